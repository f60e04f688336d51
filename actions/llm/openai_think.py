"""Reasoning that stands in the text: `<think>…</think>` at its very start is no answer (R3)."""

from collections.abc import Iterator

from actions.llm.chunks import Said, Thought

_OPEN, _CLOSE = "<think>", "</think>"


class ThinkSplit:
    """Tells pieces of content apart as they come; a mark may be cut anywhere."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, piece: str) -> Iterator[Said | Thought]:
        """Yield what *piece* adds to the text and to the reasoning."""
        self._held += piece
        if self._state == "start":
            begun = self._held.lstrip()
            if begun.startswith(_OPEN):
                self._held, self._state = begun[len(_OPEN) :], "thinking"
            elif not _OPEN.startswith(begun):
                self._state = "text"
        if self._state == "thinking":
            yield from self._think()
        if self._state == "after":
            # Blank lines between the reasoning and the answer belong to neither.
            self._held = self._held.lstrip()
            if self._held:
                self._state = "text"
        if self._state == "text" and self._held:
            held, self._held = self._held, ""
            yield Said(held)

    def end(self) -> Iterator[Said | Thought]:
        """Yield what was held back because it might have been a mark."""
        held, self._held = self._held, ""
        if held and self._state == "thinking":
            yield Thought(held)
        elif held.strip() or (held and self._state == "text"):
            yield Said(held)

    def _think(self) -> Iterator[Thought]:
        thought, mark, rest = self._held.partition(_CLOSE)
        if mark:
            self._held, self._state = rest, "after"
        else:
            keep = _overlap(thought, _CLOSE)
            thought, self._held = thought[: len(thought) - keep], thought[len(thought) - keep :]
        if thought:
            yield Thought(thought)


def _overlap(text: str, mark: str) -> int:
    """Return how many characters at the end of *text* may be the beginning of *mark*."""
    for size in range(min(len(mark) - 1, len(text)), 0, -1):
        if text.endswith(mark[:size]):
            return size
    return 0

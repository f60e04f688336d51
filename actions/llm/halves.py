"""Halves of surrogate pairs: some servers cut text there, and none can be written alone."""

_ALONE = "\ufffd"


def joined(text: str) -> str:
    """Return *text* with halves that belong together made one character, and others replaced."""
    if text.isascii():
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace")


class Halves:
    """Pieces of one text as they come: a first half waits for its second."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what *piece* makes whole."""
        text = self._held + piece
        cut = len(text) - 1 if text and "\ud800" <= text[-1] <= "\udbff" else len(text)
        self._held = text[cut:]
        return joined(text[:cut])

    def end(self) -> str:
        """Return what stands for a half that stayed alone."""
        held, self._held = self._held, ""
        return _ALONE if held else ""

"""Rounds of a conversation, and the one line that is left of an old one (R7, M1).

A line is made of the call and of how it went, never of what a page or the model said freely: it
ends up beside the person's own words.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from states.catalogue import Lang, words
from states.messages import Message, ToolCall

# What says best what a call is about, in this order; what is typed is not among them.
_TELLING = ("selector", "url", "key", "name", "direction", "mark", "ref")
_VALUE_CHARS_MAX = 60
_NAME_CHARS_MAX = 80
_FIRST_LINE_CHARS_MAX = 300
# The number that an observation shows stands in its first line; answers are cited by it.
_NUMBER = re.compile(r"\W{0,2}(?:step|步骤)\s{0,2}(\d{1,6})", re.IGNORECASE)
_BRACKETS = str.maketrans("<>", "‹›")


class Round(NamedTuple):
    """One reply of the model and all that answers it, up to the next reply."""

    messages: tuple[Message, ...]

    @property
    def reply(self) -> Message:
        """The model's message."""
        return self.messages[0]


def rounds_of(conversation: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Round, ...]]:
    """Split *conversation* into what stands before the first reply, and its rounds."""
    starts = [n for n, message in enumerate(conversation) if message.role == "assistant"]
    if not starts:
        return tuple(conversation), ()
    ends = [*starts[1:], len(conversation)]
    rounds = (Round(tuple(conversation[a:b])) for a, b in zip(starts, ends, strict=True))
    return tuple(conversation[: starts[0]]), tuple(rounds)


def line_of(folded: Round, lang: Lang) -> str:
    """Return what is left of *folded*: step number, call, outcome."""
    calls = folded.reply.tool_calls
    if not calls:
        failed = any(message.failed for message in folded.messages)
        outcome = words("folded_failed" if failed else "folded_ok", lang)
        return words("folded_round", lang, what=words("folded_text", lang), outcome=outcome)
    # Of several calls the first is the one that ran; the others were answered as not run.
    answer = next((m for m in folded.messages[1:] if m.call_id == calls[0].id), None)
    outcome = words(_outcome(answer), lang)
    number = _NUMBER.match(_first_line(answer.text)) if answer else None
    if number is None:
        return words("folded_round", lang, what=_shown(calls[0]), outcome=outcome)
    return words("folded_step", lang, number=number[1], what=_shown(calls[0]), outcome=outcome)


def left_out(message: Message, lang: Lang) -> Message:
    """Return the tool result *message* with its first line only, and a notice."""
    first = _first_line(message.text)
    # The first line is the product's own unless a fence begins there already.
    kept = "" if "<<<" in first or len(first) > _FIRST_LINE_CHARS_MAX else f"{first}\n"
    short = kept + words("result_left_out", lang)
    if len(short) >= len(message.text):
        return message
    return message.model_copy(update={"text": short})


def _outcome(answer: Message | None) -> str:
    if answer is None:
        return "folded_unanswered"
    return "folded_failed" if answer.failed else "folded_ok"


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _shown(call: ToolCall) -> str:
    given = call.input if isinstance(call.input, dict) else {}
    action = given.get("action")
    name = action if isinstance(action, str) and action else call.name
    inner = given.get("params")
    # A skill is told by its own name, which stands beside its parameters.
    about = given if "name" in given or not isinstance(inner, dict) else inner
    return f"{_plain(name, _NAME_CHARS_MAX)} {_about(about)}".rstrip()


def _about(given: Mapping[str, Any]) -> str:
    value = next((given[key] for key in _TELLING if given.get(key) not in (None, "", {}, [])), "")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _plain(text, _VALUE_CHARS_MAX)


def _plain(text: str, chars_max: int) -> str:
    """Return *text* as one bounded line that can pass for no mark of a fence or a role."""
    cut = text if len(text) <= chars_max else text[:chars_max] + "…"
    seen = "".join(
        char if unicodedata.category(char)[0] != "C" else " " for char in cut.translate(_BRACKETS)
    )
    return " ".join(seen.split())

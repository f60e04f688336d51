"""Rounds of a conversation, and the one line that is left of an old one (R7, M1).

A line is made of the call and of how it went, never of what a page or the model said freely: it
ends up beside the person's own words. Of what a call was about it keeps what no page can have
written: refs, numbers of pictures, hosts, names of skills. What the person answered stays.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from states.catalogue import Lang, words
from states.messages import Message, ToolCall

# What says best what a call is about, in this order; what is typed is not among them.
_TELLING = ("selector", "url", "key", "name", "direction", "mark", "ref")
# A selector, a key or a path may hold any words of a page; these cannot.
_HARMLESS = re.compile(r"@[a-z0-9.]{1,20}|\[[0-9]{1,4}\]|[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,5}")
_HOST = re.compile(r"https?://[a-z0-9.-]{1,80}(?::[0-9]{1,5})?(?=[/?#]|$)")
_ANSWER_CHARS_MAX = 600
_NAME_CHARS_MAX = 80
_WORD = re.compile(r"[A-Za-z0-9_-]+")
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
    outcome = words(_outcome(answer, calls[0], lang), lang)
    if calls[0].name == "ask_person" and answer is not None and not answer.failed:
        # Their own words, not to be asked for again and never to be made up.
        outcome = _plain(answer.text, _ANSWER_CHARS_MAX)
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


def _outcome(answer: Message | None, call: ToolCall, lang: Lang) -> str:
    if answer is None:
        return "folded_unanswered"
    if answer.text == words("person_refused", lang, action=_action(call)):
        return "folded_refused"
    return "folded_failed" if answer.failed else "folded_ok"


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _action(call: ToolCall) -> str:
    given = call.input if isinstance(call.input, dict) else {}
    action = given.get("action")
    return action if isinstance(action, str) and action else call.name


def _shown(call: ToolCall) -> str:
    given = call.input if isinstance(call.input, dict) else {}
    inner = given.get("params")
    # A skill is told by its own name, which stands beside its parameters.
    about = given if "name" in given or not isinstance(inner, dict) else inner
    return f"{_name(_action(call))} {_about(about)}".rstrip()


def _name(action: str) -> str:
    """Return *action* as far as it is a name: what a model made up may hold any words."""
    plain = _plain(action, _NAME_CHARS_MAX)
    return plain if _WORD.fullmatch(plain) else "?"


def _about(given: Mapping[str, Any]) -> str:
    value = next((given[key] for key in _TELLING if given.get(key) not in (None, "", {}, [])), "")
    if isinstance(value, int):
        return str(value)[:20]
    if not isinstance(value, str):
        return ""
    host = _HOST.match(value)
    return host[0] if host else value if _HARMLESS.fullmatch(value) else ""


def _plain(text: str, chars_max: int) -> str:
    """Return *text* as one bounded line that can pass for no mark of a fence or a role."""
    cut = text if len(text) <= chars_max else text[:chars_max] + "…"
    seen = "".join(
        char if unicodedata.category(char)[0] != "C" else " " for char in cut.translate(_BRACKETS)
    )
    return " ".join(seen.split())

"""One line of a panel's history: what it holds, and foreign text made fit to be shown.

The rule: no secret, no control character, no text that was typed into a page.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from states.secrets import strike

Kind = Literal[
    "instruction", "plan", "said", "retry", "step", "question", "refusal", "resumed", "answer",
    "end",
]  # fmt: skip
TEXT_CHARS_MAX = 20_000
LINE_CHARS_MAX = 300

# Cc: controls and ESC; Cf: bidi overrides, zero width; Cs, Co: no characters; Zl, Zp: line breaks.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_USER_IN_URL = re.compile(r"(?<=://)[^/?#@\s]*@")
# What says where a command acts. What is typed, chosen or stored is nobody's business.
_TARGETS = ("selector", "url", "key", "name", "zombie_id")


class PanelItem(NamedTuple):
    """One line; *seq* and *at* are those of the ledger row that began it.

    *status* of a step: running, waiting (for a person), ok, failed, unknown, refused, rejected
    or stopped; of a question: asked, approved, rejected, expired, unresolved or unanswered; of
    words said: "", unproven (they claim what nothing shows), invalid (no reply at all), cut,
    declined, paused or overflow (a reply that was not whole: nothing of it was run); of the end:
    completed, failed or aborted. *by* is who answered. *about* is what a question is about: a
    call, whether to go on after a step, or what the model wants to know ("question": approved is
    an answer then, and stands below the question). *step* counts from 1; 0 is for what is no step
    of its own, as a skill's run is. *reason* is the catalogue's key of why a rule refused, or the
    task did not complete; of a retry the kind of its failure. *cites* are the numbers of the steps
    that prove an answer.
    """

    kind: Kind
    seq: int
    at: str
    text: str = ""
    action: str = ""
    target: str = ""
    status: str = ""
    by: str = ""
    about: Literal["", "call", "step", "question"] = ""
    step: int = 0
    source: Literal["", "model", "skill"] = ""
    reason: str = ""
    cites: tuple[int, ...] = ()

    @property
    def is_open(self) -> bool:
        """Tell whether later rows may still change status, text and by."""
        return self.status in ("running", "waiting", "asked")


def shown(value: object, chars_max: int = TEXT_CHARS_MAX) -> str:
    """Return *value* as text that a screen may show, with its line breaks; "" for no text."""
    if not isinstance(value, str):
        return ""
    return _cut(strike(value), chars_max, keep="\n")


def line(value: object, chars_max: int = LINE_CHARS_MAX) -> str:
    """Return *value* as one line that a screen may show; "" for no text."""
    if not isinstance(value, str):
        return ""
    return _cut(strike(value), chars_max, keep="")


def target_of(params: Mapping[str, Any]) -> str:
    """Return what the parameters of a call say of where it acts; of an address no query."""
    for name in _TARGETS:
        value = params.get(name)
        if isinstance(value, str) and value:
            return line(_address(value) if name == "url" else value)
    return ""


def _address(url: str) -> str:
    return _USER_IN_URL.sub("", re.split(r"[?#]", url, maxsplit=1)[0])


def _cut(text: str, chars_max: int, keep: str) -> str:
    safe = text if text.isascii() and text.isprintable() else _stripped(text, keep)
    return safe if len(safe) <= chars_max else safe[:chars_max] + "…"


def _stripped(text: str, keep: str) -> str:
    plain = text.replace("\r\n", "\n").replace("\t", " ")
    if not keep:
        plain = plain.replace("\n", " ")
    return "".join(c for c in plain if c in keep or unicodedata.category(c) not in _UNSAFE)

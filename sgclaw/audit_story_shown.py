"""The facts of a story in the form they may be shown in: no control character, no secret.

The rule: whatever came from a page, a model or a file passes here before a terminal or a document
gets it. What was typed is shown as its length; what is long is cut, and the cut is told.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from browser.host.plain_text import TYPED, length_of, one_line, without_secrets
from sgclaw.audit_story import Command, Exchange
from sgclaw.audit_story_agent import Sent, Wanted
from sgclaw.audit_story_host import HostRequest
from states.secrets import strike, strike_all

SHORT, LONG = 200, 2000
# What is searched for secrets before it is cut: far more than is shown, and not without end.
_SEARCHED_MAX = 100_000
_LEVELS_MAX = 32


class Outcome(NamedTuple):
    """What became of a command on each side: a word of the story, "" when a side tells nothing."""

    agent: str
    host: str


class Approval(NamedTuple):
    """What a person said to a command, as the agent's ledger has it."""

    decision: str
    by: str
    at: str
    row: int
    seq: int | None


class Question(NamedTuple):
    """What the model asked the person, and what it heard; *row* is None before an answer."""

    text: str
    options: tuple[str, ...]
    by: str
    answered: bool
    heard: str
    at: str
    row: int | None
    seq: int | None


def shown(text: object, chars_max: int = SHORT) -> str:
    """Return *text* on one line, without secrets, cut to *chars_max*."""
    whole = str(text)
    searched = whole[:_SEARCHED_MAX]
    cut = one_line(without_secrets(strike(searched)), chars_max)
    return cut if len(whole) == len(searched) else f"{cut} (+{len(whole) - len(searched)})"


def shown_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return *params* with what was typed as its length, and what is named a secret struck out."""
    kept = {
        name: length_of(value) if name in TYPED and value is not None else value
        for name, value in params.items()
    }
    struck: dict[str, Any] = strike_all(_shallow(kept, _LEVELS_MAX))
    return struck


def params_text(params: Mapping[str, Any]) -> str:
    """Return *params* as `name=value` words."""
    words = [f"{name}={_value(value)}" for name, value in shown_params(params).items()]
    return shown(" ".join(words), SHORT * 2)


def safe(document: Any) -> Any:
    """Return *document* with every text in it as it may be shown."""
    if isinstance(document, Mapping):
        return {shown(key): safe(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [safe(item) for item in document]
    return shown(document, LONG) if isinstance(document, str) else document


def outcome_of(command: Command) -> Outcome:
    """Return what became of *command*."""
    exchanges = [e for e in command.exchanges if e.sent is None or e.sent.purpose != "step"]
    if not exchanges:
        return Outcome(_unsent(command.wanted), "")
    last = exchanges[-1]
    return Outcome(_agent_did(last, command.wanted), _host_did(last.met))


def approval_of(command: Command) -> Approval | None:
    """Return what the person was last asked and said of *command*, None if nobody was asked."""
    asked = [s for s, _ in command.exchanges if s is not None and s.kind == "confirm_request"]
    if not asked or not asked[-1].outcome or asked[-1].purpose == "question":
        return None
    last = asked[-1]
    return Approval(last.outcome, last.decided_by, last.end_at, last.end_row or last.row, last.seq)


def question_of(command: Command) -> Question | None:
    """Return what the model wanted to know of the person, None when *command* asks nothing."""
    wanted = command.wanted
    if wanted is None or not wanted.is_question:
        return None
    options = wanted.params.get("options")
    listed = options if isinstance(options, list | tuple) else ()
    asked = [each for each in command.exchanges if each.sent is not None and each.sent.outcome]
    sent, met = asked[-1] if asked else (None, None)
    return Question(
        text=str(wanted.params.get("question", "")),
        options=tuple(str(each) for each in listed),
        # Who declined is told by the host alone.
        by=(sent.decided_by if sent else "") or (met.decided_by if met else ""),
        answered=sent is not None and sent.outcome == "approved",
        heard=sent.note if sent else "",
        at=sent.end_at if sent else "",
        row=sent.end_row if sent else None,
        seq=sent.seq if sent else None,
    )


def kind_of(command: Command) -> str:
    """Return what *command* is: a call of the browser, of another tool, or a question."""
    if command.wanted is None:
        return "command"
    if command.wanted.is_question:
        return "question"
    return "tool" if command.wanted.is_of_tool else "command"


def _shallow(document: Any, levels: int) -> Any:
    """Return *document* without what nests deeper than *levels*."""
    if not isinstance(document, Mapping | list | tuple):
        return document
    if not levels:
        return "…"
    if isinstance(document, Mapping):
        return {str(key): _shallow(value, levels - 1) for key, value in document.items()}
    return [_shallow(item, levels - 1) for item in document]


def _unsent(wanted: Wanted | None) -> str:
    if wanted is None:
        return ""
    if wanted.tool == "run_skill" and all(each.allowed for each in wanted.checked):
        return "started"
    return "unsent" if all(each.allowed for each in wanted.checked) else "refused"


def _agent_did(last: Exchange, wanted: Wanted | None) -> str:
    sent = last.sent
    if sent is None:
        return ""
    if sent.outcome == "confirmation":
        rejected = wanted is not None and any(
            each.guard == "not_rejected_before" and not each.allowed for each in wanted.checked
        )
        return "rejected" if rejected else "asked"
    return sent.outcome or "open"


def _host_did(met: HostRequest | None) -> str:
    if met is None:
        return ""
    if met.mac == "DENY":
        return "denied"
    if met.decision:
        return met.decision
    did = {"OK": "ok", "FAILED": "failed", "WAIT": "asked", "CANCELLED": "cancelled"}
    if not met.outcome and met.journal is not None:
        return "ok" if met.journal.success else "failed"
    return did.get(met.outcome, "open")


def duration_text(sent: Sent) -> str:
    """Return how long *sent* took, "" when that is not known."""
    return f"{sent.duration_ms} ms" if sent.duration_ms is not None else ""


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

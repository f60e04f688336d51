"""What an auditor asks a row for, derived from the row alone (A4).

The columns beside a row's text are these facts and nothing else, so that a check can derive them
again and find a column that somebody changed. The rule: total for any JSON object, and quick, for
it runs on every append.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from states.task import UNKNOWN_ERRORS

CHARS_MAX = 200
VERDICTS = ("denied", "confirm", "approved", "rejected", "expired", "allowed")
OUTCOMES = ("ok", "failed", "unknown", "refused", "completed", "aborted")
FINAL_STATES = frozenset({"completed", "failed", "aborted"})
# What the host answers when a rule, not the page, stopped a command.
REFUSAL_ERRORS = frozenset({
    "refused", "rejected_before", "host_not_in_policy", "action_not_allowed", "action_never",
    "domain_mismatch", "scheme_refused", "url_deceptive", "url_unreadable", "url_userinfo",
    "password_field", "upload_not_allowed", "resource_not_in_policy", "skill_domain_left",
})  # fmt: skip

_NOTHING: Mapping[str, Any] = {}
_MODEL_EVENTS = frozenset(f"{end}.invoke.{call}" for end in ("done", "error")
                          for call in ("plan", "think"))  # fmt: skip
_ASKED = frozenset({"approved", "rejected", "expired"})
_TIME_TO_ASK_OVER = "after.active.confirm.approval_seconds"
# C0, C1, surrogates, and what can turn or hide text: a table and a picture may show the rest.
_UNFIT = dict.fromkeys(
    (*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x61C, *range(0x200B, 0x2010),
     *range(0x2028, 0x202F), *range(0x2060, 0x2070), *range(0xD800, 0xE000), 0xFEFF),
    "\N{REPLACEMENT CHARACTER}",
)  # fmt: skip


class Facts(NamedTuple):
    """The facts of one row; each is "" when the row has none.

    *stream* is the chain it belongs to; *verdict* is one of `VERDICTS`, *outcome* one of
    `OUTCOMES`: of a command (ok, failed, unknown, refused) or of the task (completed, failed,
    aborted).
    """

    stream: str
    at: str
    kind: str
    event: str
    state: str
    action: str
    domain: str
    verdict: str
    skill: str
    outcome: str


def facts_of(row: Mapping[str, Any]) -> Facts:
    """Return the facts of *row*, which may be any JSON object; none is over `CHARS_MAX` long."""
    event = _mapping(row, "event")
    payload = _mapping(event, "payload")
    record = _mapping(payload, "record")
    kind = event.get("type", "")
    call = _Call.of(row, record)
    verdict = _verdict(kind, payload, row)
    outcome = _end_of_task(row) or _outcome(kind, payload, record, verdict)
    return Facts(
        "model" if isinstance(kind, str) and kind in _MODEL_EVENTS else "operation",
        plain(row.get("at")),
        plain(row.get("kind")),
        plain(kind),
        plain(row.get("state")),
        plain(call.action),
        plain(call.domain),
        verdict,
        plain(call.skill),
        outcome,
    )


class _Call(NamedTuple):
    """What was asked for, in whose name, and where; the parts may be of any kind yet."""

    action: Any
    domain: Any
    skill: Any

    @classmethod
    def of(cls, row: Mapping[str, Any], record: Mapping[str, Any]) -> "_Call":
        """Return the call that *row* is about: asked for in it, sent in it, or noted beside it."""
        noted = _mapping(row, "call")
        request = _mapping(record, "request") or _mapping(record, "sent")
        action, skill = request.get("action"), noted.get("skill")
        tool = request.get("tool")
        if not action and tool != "browser_action":
            action = tool
        if tool == "run_skill":
            skill = _mapping(request, "params").get("name")
        domain = request.get("expected_domain") or noted.get("domain")
        if not domain and "page" in record:
            domain = _domain(_mapping(record, "page").get("origin"))
        return cls(action or noted.get("action"), domain, skill)


def _domain(origin: Any) -> str:
    return origin.partition("://")[2] if isinstance(origin, str) else ""


def _verdict(kind: Any, payload: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return what was decided: by a person, by the host, or by the guards of the policy."""
    if kind == "done.invoke.ask":
        decision = payload.get("decision")
        return decision if isinstance(decision, str) and decision in _ASKED else ""
    if kind == _TIME_TO_ASK_OVER:
        return "expired"
    if kind == "done.invoke.act":
        if payload.get("outcome") == "confirmation":
            return "denied" if payload.get("asked") == "rejected" else "confirm"
        return "denied" if _error(_mapping(payload, "record")) in REFUSAL_ERRORS else ""
    verdicts = row.get("verdicts")
    return _of_guards(verdicts) if isinstance(verdicts, list | tuple) else ""


def _of_guards(verdicts: list[Any] | tuple[Any, ...]) -> str:
    found = ""
    for each in verdicts:
        if isinstance(each, Mapping):
            guard = each.get("guard")
            if guard == "policy_allows":
                found = "allowed" if each.get("allowed") is True else "denied"
            elif guard == "person_not_needed" and each.get("allowed") is False:
                found = "confirm"
    return found


def _outcome(kind: Any, payload: Mapping[str, Any], record: Mapping[str, Any], verdict: str) -> str:
    """Return how a command ended in this row, or "" when none did."""
    if verdict in ("denied", "rejected"):
        return "refused"
    if kind == "done.invoke.act":
        if _error(record) in UNKNOWN_ERRORS:
            return "unknown"
    elif kind == "error.invoke.act":
        return "unknown"
    elif kind == "error.invoke.skill":
        return "failed"
    elif kind == "resumed":
        # What was only read and got no answer did nothing.
        return "unknown" if payload.get("lost") == "command" else ""
    elif kind != "done.invoke.skill":
        return ""
    outcome = payload.get("outcome")
    return outcome if isinstance(outcome, str) and outcome in ("ok", "failed") else ""


def _error(record: Mapping[str, Any]) -> str:
    error = _mapping(record, "result").get("error")
    return error if isinstance(error, str) else ""


def _end_of_task(row: Mapping[str, Any]) -> str:
    """Return the final state if this very row entered it: what comes late ends nothing."""
    state, path = row.get("state"), row.get("path")
    if not isinstance(state, str) or state not in FINAL_STATES:
        return ""
    return state if isinstance(path, list | tuple) and path and path[-1] == state else ""


def _mapping(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = document.get(key)
    # Quick for what a JSON reader gives; isinstance with an abstract class costs a microsecond.
    if type(value) is dict or isinstance(value, Mapping):
        return value
    return _NOTHING


def plain(value: Any) -> str:
    """Return *value* if it is text, cut, with nothing in it that a terminal would obey."""
    if not isinstance(value, str):
        return ""
    short = value[:CHARS_MAX]
    return short if short.isprintable() else short.translate(_UNFIT)

"""Why a task ended, as its last row tells it: the event, and what the guards said.

The ledger names no reducer, so the chart's `fail_` rows stand here once more, by their events; a
test walks the chart and holds every end of it against this table.
"""

from collections.abc import Collection, Mapping
from typing import Any

ENDS = frozenset({"completed", "failed", "aborted"})

# What an event means wherever it ends a task.
_BY_EVENT = {
    "abort": "aborted",
    "fault": "internal_error",
    "error.invoke.plan": "model_failed",
    "error.invoke.think": "model_failed",
    "error.invoke.ask": "ask_failed",
    "error.invoke.observe": "internal_error",
    "done.invoke.skill": "skill_out_of_turn",
    "error.invoke.skill": "skill_out_of_turn",
}
_BY_TIMER = {
    "task_seconds": "time_spent",
    "model_seconds": "model_silent",
    "approval_seconds": "approval_expired",
}
_BY_REPLY = {
    "invalid": "invalid_output",
    "text": "no_evidence",
    "cut": "output_cut",
    "declined": "model_declined",
    "paused": "model_paused",
    "overflow": "window_full",
}
_BY_DECISION = {"expired": "approval_expired", "unresolved": "ask_failed"}
_BY_GUARD = {"breaker_closed": "breaker_open", "no_loop": "loop", "budget_left": "budget_spent"}


def reason_of_end(event: str, payload: Mapping[str, Any], refusing: Collection[str]) -> str:
    """Return the catalogue's key for the end that *event* brought; *refusing* guards said no."""
    if event in _BY_EVENT:
        return _BY_EVENT[event]
    if event.startswith("after."):
        return _BY_TIMER.get(event.rpartition(".")[2], "time_spent")
    if event in ("done.invoke.plan", "done.invoke.think"):
        found = _BY_REPLY.get(str(payload.get("reply")))
    elif event == "done.invoke.ask":
        found = _BY_DECISION.get(str(payload.get("decision")))
    else:
        found = None
    if found is not None:
        return found
    named = (reason for guard, reason in _BY_GUARD.items() if guard in refusing)
    return next(named, "skill_out_of_turn" if event == "skill_asked" else "internal_error")

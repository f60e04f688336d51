"""A walk through the chart erp_write with the real guards and reducers."""

from typing import Any

from engine.chart.core import Core, Do, Snapshot, Start, Step
from sgclaw.charts import bindings_of, load_named, table_of
from states.erp_write import Context

CHART = load_named("erp_write")
CORE = Core(CHART, table_of("erp_write"), bindings_of("erp_write"))
OFFER = {"cancelled_before": False, "asked_again": False}
CARD: dict[str, Any] = {
    "rights": "granted", "located": "one", "values": "valid", "names": "resolved",
    "record_state": "legal", "stamps": "taken", "dry_run": "valid",
    "record": {"preview_id": "p1", "summary": "100 -> 3000", "digest": "d1"},
}  # fmt: skip
CHECKED: dict[str, Any] = {
    "owner": "same", "rights": "granted", "record_state": "legal", "read_values": "same",
    "dry_run": "valid", "digest": "same", "record": {"digest": "d1"},
}  # fmt: skip
SAVE = {"owner": "same", "record": {"user": "sales1"}}
WON = {"claim": "won", "record": {"rows": [7, 8]}}
QUEUED = "handed_over.queued"
RUNNING = "handed_over.running"
STALLED = "handed_over.stalled"
CLOSING = "handed_over.closing"
CANCELLING = "handed_over.cancelling"


class Walk:
    """One prepared change; `done("prepare", facts)` is the answer of the live service."""

    def __init__(self, offer: dict[str, Any] = OFFER) -> None:
        self.snapshot: Snapshot = CORE.initial(Context())
        self.steps: list[Step] = []
        self.send("propose_change", offer)

    @property
    def state(self) -> str:
        return self.snapshot.state

    @property
    def reason(self) -> str:
        return str(self.snapshot.context.record.reason)

    @property
    def notice(self) -> str:
        return str(self.snapshot.context.record.notice)

    @property
    def status(self) -> int:
        return int(self.snapshot.context.control.status)

    @property
    def started(self) -> list[str]:
        """Return every service that was ever started, in order."""
        return [e.src for step in self.steps for e in step.effects if isinstance(e, Start)]

    @property
    def told(self) -> bool:
        """Tell whether the last event made something be told to the person."""
        return any(isinstance(e, Do) and e.action == "tell" for e in self.steps[-1].effects)

    def send(self, name: str, payload: dict[str, Any] | None = None) -> str:
        """Send an event as its live sender would."""
        self.steps.append(
            CORE.feed(self.snapshot, CORE.stamped(self.snapshot, name, payload or {}))
        )
        self.snapshot = self.steps[-1].snapshot
        return self.state

    def done(self, service: str, payload: dict[str, Any]) -> str:
        return self.send(f"done.invoke.{service}", payload)

    def failed(self, service: str) -> str:
        return self.send(f"error.invoke.{service}", {"error": "e", "text": "t"})

    def late(self, delay: str) -> str:
        """Let the live timer *delay* run out."""
        [name] = [live for live, _ in self.snapshot.live if live.endswith(f".{delay}")]
        return self.send(name)

    def taken(self, attempt: int) -> str:
        return self.send("row_taken", {"attempt": attempt})

    def answered(self, status: int, attempt: int = 1) -> str:
        return self.send("row_answered", {"status": status, "attempt": attempt})


def at(state: str) -> Walk:
    """Return a walk that has come to *state*."""
    walk = Walk()
    roads: dict[str, list[Any]] = {
        "preview": [],
        "shown": [("prepare", CARD)],
        "claimed.checking": [("prepare", CARD), "save"],
        "claimed.queueing": [("prepare", CARD), "save", ("recheck", CHECKED)],
    }
    roads["claimed.settling"] = [*roads["claimed.queueing"], "error"]
    roads[QUEUED] = [*roads["claimed.queueing"], ("enqueue", WON)]
    roads[CANCELLING] = [*roads[QUEUED], "abort"]
    roads[RUNNING] = [*roads[QUEUED], 1]
    roads[STALLED] = [*roads[RUNNING], "lease"]
    roads[CLOSING] = [*roads[STALLED], 2, "lease", 3, "lease"]
    for step in roads[state]:
        if step == "save":
            walk.send("save", SAVE)
        elif step == "abort":
            walk.send("abort")
        elif step == "error":
            walk.failed("enqueue")
        elif step == "lease":
            walk.late("lease_seconds")
        elif isinstance(step, int):
            walk.taken(step)
        else:
            walk.done(*step)
    assert walk.state == state
    return walk


HANDED_OVER = [QUEUED, CANCELLING, RUNNING, STALLED, CLOSING]
STATES = ["preview", "shown", "claimed.checking", "claimed.queueing", "claimed.settling"]

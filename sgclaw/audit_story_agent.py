"""The agent's side of a story: its ledger row by row, one block for each call that was wanted.

The rule: the order is that of the rows' numbers. Each request that the agent sent has the seq that
its answer names; where no answer stands in the ledger it is counted on from the one before.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sgclaw.audit_story_rows import Row, Rows

# Guards that are a fork in the chart's road; whatever else refuses has decided something.
FORKS = frozenset(
    {
        "reply_is_text", "starts_skill", "skill_is_running", "step_by_step", "not_told_yet",
        "host_wants_confirmation", "browser_is_new", "approval_expired", "target_not_found",
        "asking_about_call",
    }
)  # fmt: skip
ENDS = frozenset({"completed", "failed", "aborted"})
# What a prune tells of itself, before and after: it is no task, and no browser takes part in it.
PRUNING, PRUNED = "pruning", "pruned"
_SERVICES = {"act": "command", "ask_person": "confirm_request"}


class Checked(NamedTuple):
    """What one guard said, in which row."""

    row: int
    guard: str
    allowed: bool
    verdict: dict[str, Any]


@dataclass(eq=False)
class Sent:
    """One request that the agent sent: its seq in its *life*, and what it heard."""

    life: int
    row: int
    at: str
    kind: str
    purpose: str
    generation: int | None
    seq: int | None = None
    outcome: str = ""
    error: str = ""
    message: str = ""
    duration_ms: int | None = None
    decided_by: str = ""
    end_row: int | None = None
    end_at: str = ""


@dataclass(eq=False)
class Wanted:
    """One call that somebody wanted, and all that the ledger says of it."""

    life: int
    row: int
    at: str
    by: str
    skill: str
    tool: str
    action: str
    params: dict[str, Any]
    domain: str
    effect: str
    said: str = ""
    checked: list[Checked] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)


class Told(NamedTuple):
    """Anything else that the ledger tells: an event, or rows that are missing (`gap`)."""

    life: int
    row: int
    at: str
    event: str
    state: str
    payload: dict[str, Any]
    result: str = "handled"
    checked: tuple[Checked, ...] = ()
    skill: str = ""


@dataclass(eq=False)
class AgentSide:
    """All that the agent wrote of one run."""

    entries: list[Wanted | Told] = field(default_factory=list)
    rows: int = 0
    first: int = 0
    last: int = 0
    gaps: list[tuple[int, int]] = field(default_factory=list)
    other_traces: list[int] = field(default_factory=list)
    times_back: list[tuple[int, str, str]] = field(default_factory=list)
    state: str = ""

    @property
    def wanted(self) -> list[Wanted]:
        """Return the calls alone."""
        return [entry for entry in self.entries if isinstance(entry, Wanted)]

    @property
    def is_upkeep(self) -> bool:
        """True for what a prune wrote of itself: nothing but that, its first row first."""
        told = [entry.event for entry in self.entries if isinstance(entry, Told)]
        return len(told) == len(self.entries) and told in ([PRUNING], [PRUNING, PRUNED])

    @property
    def sent(self) -> list[Sent]:
        """Return every request that was sent, in order."""
        return [sent for wanted in self.wanted for sent in wanted.sent]


def agent_side(trace_id: str, ledger: Rows | None) -> AgentSide:
    """Return what the agent's *ledger* says of *trace_id*."""
    reader = _LedgerReader(trace_id)
    for row in ledger.rows if ledger is not None else ():
        reader.take(row)
    _number(reader.side)
    return reader.side


class _LedgerReader:
    """Folds the rows of one trace."""

    def __init__(self, trace_id: str) -> None:
        self.side = AgentSide()
        self._trace_id = trace_id
        self._life = 1
        self._at = ""
        self._skill = ""
        self._call: Wanted | None = None
        self._open: list[Sent] = []  # those that were not answered yet

    def take(self, row: Row) -> None:
        """Fold one row."""
        side, seq, at = self.side, _number_in(row, "seq"), _text(row, "at")
        if row.get("trace_id") != self._trace_id:
            side.other_traces.append(seq)
            return
        if seq != side.last + 1:
            side.gaps.append((side.last, seq))
            gap = {"after": side.last, "before": seq}
            side.entries.append(Told(self._life, seq, at, "gap", side.state, gap))
        if at < self._at:
            side.times_back.append((seq, self._at, at))
        side.rows, side.first, side.last, self._at = side.rows + 1, side.first or seq, seq, at
        side.state = _text(row, "state").removeprefix("active.")
        self._event(row, seq, at)

    def _event(self, row: Row, seq: int, at: str) -> None:
        event = _mapping(row, "event")
        kind, payload = _text(event, "type"), _mapping(event, "payload")
        if kind == "resumed":
            self._life += 1
        checked = _checked(row, seq)
        if _is_call(kind, payload):
            self._begun(seq, at, kind, payload)
            self._tell(checked)
        elif kind == "done.invoke.observe":
            self._tell([each for each in checked if not each.allowed])
        elif kind.endswith((".invoke.act", ".invoke.ask")):
            self._ended(row, seq, at)
            self._tell(checked)
        else:
            self._told(row, seq, at, tuple(checked))
        if kind.endswith(".invoke.skill") or kind == "resumed":
            self._skill = ""
        self._starts(row, seq, at, "step" if kind in ("done.invoke.observe", "resumed") else "call")
        if side_state_ends(self.side.state) and kind.startswith(("done.", "error.", "skill_")):
            self.side.entries.append(
                Told(self._life, seq, at, "ended", self.side.state, {"event": kind})
            )

    def _told(self, row: Row, seq: int, at: str, checked: tuple[Checked, ...]) -> None:
        event = _mapping(row, "event")
        kind = _text(event, "type")
        self._timed_out(kind, seq, at)
        told = Told(self._life, seq, at, kind, self.side.state, _mapping(event, "payload"),
                    _text(row, "result"), checked, self._skill)  # fmt: skip
        self.side.entries.append(told)

    def _timed_out(self, kind: str, seq: int, at: str) -> None:
        """The chart's own timer ended the wait for the person's answer."""
        call = self._call
        if kind.startswith("after.active.confirm") and call is not None and call.sent:
            last = call.sent[-1]
            if not last.outcome:
                last.outcome, last.end_row, last.end_at = "expired", seq, at

    def _begun(self, seq: int, at: str, kind: str, payload: dict[str, Any]) -> None:
        record = _mapping(payload, "record")
        request, turn = _mapping(record, "request"), _mapping(record, "turn")
        by_skill = kind == "skill_asked"
        self._call = Wanted(
            life=self._life,
            row=seq,
            at=at,
            by="skill" if by_skill else "model",
            skill=self._skill if by_skill else "",
            tool=_text(request, "tool"),
            action=_text(request, "action"),
            params=_mapping(request, "params"),
            domain=_text(request, "expected_domain"),
            effect=_text(payload, "effect"),
            said=_text(turn, "text"),
        )
        self.side.entries.append(self._call)

    def _tell(self, checked: Iterable[Checked]) -> None:
        if self._call is not None:
            self._call.checked += checked

    def _starts(self, row: Row, seq: int, at: str, purpose: str) -> None:
        effects = row.get("effects")
        for effect in effects if isinstance(effects, list) else ():
            match effect:
                case ["cancel", "act" | "ask", generation, *_]:
                    self._cut_short(generation, seq, at)
                case ["start", _, "run_skill", *_] if self._call is not None:
                    self._skill = str(self._call.params.get("name", ""))
                case ["start", _, "act" | "ask_person" as service, generation, *_]:
                    self._sends(service, generation, Sent(self._life, seq, at, "", purpose, None))

    def _cut_short(self, generation: object, seq: int, at: str) -> None:
        """Nobody waits for that answer any more: what the request came to is not known."""
        for sent in self._open:
            if sent.generation == generation and not sent.outcome:
                sent.outcome, sent.end_row, sent.end_at = "unknown", seq, at

    def _sends(self, service: str, generation: object, sent: Sent) -> None:
        if self._call is None:
            return
        sent.kind = _SERVICES[service]
        if service == "act":
            sent.purpose = ""
            if self._call.tool == "answer_dialog":
                sent.kind = "dialog_response"
        sent.generation = generation if type(generation) is int else None
        self._call.sent.append(sent)
        self._open = [*(each for each in self._open if not each.outcome), sent]

    def _ended(self, row: Row, seq: int, at: str) -> None:
        event = _mapping(row, "event")
        payload = _mapping(event, "payload")
        sent = next((s for s in reversed(self._open) if _is_end_of(s, event)), None)
        if sent is None:
            kind, result = _text(event, "type"), _text(row, "result")
            told = Told(self._life, seq, at, kind, self.side.state, payload, result)
            self.side.entries.append(told)
            return
        sent.end_row, sent.end_at = seq, at
        record = _mapping(payload, "record")
        if _text(event, "type").startswith("error."):
            sent.outcome, sent.error = "unknown", _text(payload, "error")
            sent.message = _text(payload, "text")
        elif sent.kind == "confirm_request":
            sent.outcome, sent.decided_by = _text(payload, "decision"), _text(record, "approved_by")
            sent.error, sent.message = _text(record, "error"), _text(record, "message")
        else:
            _answered(sent, _text(payload, "outcome"), _mapping(record, "result"))


def _answered(sent: Sent, outcome: str, result: dict[str, Any]) -> None:
    sent.outcome = outcome
    sent.error, sent.message = _text(result, "error"), _text(result, "message")
    sent.seq = seq if (seq := _number_in(result, "seq")) > 0 else None
    sent.duration_ms = took if type(took := result.get("duration_ms")) is int else None


def side_state_ends(state: str) -> bool:
    """Tell whether *state* is one that a task ends in."""
    return state in ENDS


def _is_call(kind: str, payload: dict[str, Any]) -> bool:
    replied = kind in ("done.invoke.plan", "done.invoke.think")
    return kind == "skill_asked" or (
        replied and payload.get("reply") in ("call", "skill", "dialog")
    )


def _is_end_of(sent: Sent, event: dict[str, Any]) -> bool:
    service = "ask" if sent.kind == "confirm_request" else "act"
    same = _text(event, "type").rpartition(".")[2] == service
    return same and not sent.outcome and sent.generation == event.get("generation")


def _checked(row: Row, seq: int) -> list[Checked]:
    found: dict[tuple[str, bool], Checked] = {}
    verdicts = row.get("verdicts")
    for document in verdicts if isinstance(verdicts, list) else ():
        if isinstance(document, dict) and isinstance(guard := document.get("guard"), str):
            allowed = document.get("allowed") is True
            if guard not in FORKS:  # a branch may ask a guard again: it says the same
                found.setdefault((guard, allowed), Checked(seq, guard, allowed, document))
    return list(found.values())


def _number(side: AgentSide) -> None:
    """Count the seq of each request whose answer names none, from those around it."""
    gaps = [before for _, before in side.gaps]
    for life in {sent.life for sent in side.sent}:
        sents = [sent for sent in side.sent if sent.life == life]
        known: int | None = 0
        row = 0 if life == 1 else sents[0].row
        for sent in sents:
            whole = known is not None and not any(row < gap <= sent.row for gap in gaps)
            if sent.seq is None and known is not None and whole:
                sent.seq = known + 1
            known, row = sent.seq, sent.row
        for sent, later in zip(reversed(sents[:-1]), reversed(sents), strict=False):
            whole = not any(sent.row < gap <= later.row for gap in gaps)
            if sent.seq is None and later.seq is not None and later.seq > 1 and whole:
                sent.seq = later.seq - 1


def _mapping(document: Row, key: str) -> dict[str, Any]:
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _text(document: Row, key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""


def _number_in(document: Row, key: str) -> int:
    value = document.get(key)
    return value if type(value) is int else 0

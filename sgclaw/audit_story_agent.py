"""The agent's side of a story: its ledger row by row, one block for each call that was wanted.

The rule: the order is that of the rows' numbers. Each request that the agent sent has the seq that
its answer names; where no answer stands in the ledger it is counted on from the one before. A
call of a tool that is not the browser goes to no host: it has no seq, and counts for none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sgclaw.audit_story_model import (
    REPLIES,
    TRIED,
    FailedTry,
    ModelCall,
    call_in,
    try_in,
)
from sgclaw.audit_story_rows import Row, Rows, mapping_in, number_in, text_in
from sgclaw.audit_story_steps import Steps
from states.task import NOT_THE_BROWSERS

# Guards that are a fork in the chart's road; whatever else refuses has decided something.
FORKS = frozenset(
    {
        "reply_is_text", "starts_skill", "skill_is_running", "step_by_step", "not_told_yet",
        "host_wants_confirmation", "browser_is_new", "approval_expired", "target_not_found",
        "asking_about_call", "asking_question", "asks_person", "reply_is_declined", "reply_is_cut",
        "reply_is_paused", "window_is_full",
    }
)  # fmt: skip
ENDS = frozenset({"completed", "failed", "aborted"})
# What a prune tells of itself, before and after: it is no task, and no browser takes part in it.
PRUNING, PRUNED = "pruning", "pruned"
_SERVICES = {"act": "command", "ask_person": "confirm_request"}
# What a call of a tool that is not the browser is called, in the place of a request to the host.
TOOL = "tool"
_CALLS = frozenset({"call", "skill", "dialog", "tool", "question"})


class Checked(NamedTuple):
    """What one guard said, in which row."""

    row: int
    guard: str
    allowed: bool
    verdict: dict[str, Any]


@dataclass(eq=False)
class Sent:
    """One request that the agent sent: its seq in its *life*, and what it heard.

    *note* is what the model was told of the answer to its own question.
    """

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
    note: str = ""
    end_row: int | None = None
    end_at: str = ""


@dataclass(eq=False)
class Wanted:
    """One call that somebody wanted, and all that the ledger says of it.

    *model* is the model call whose reply began with it, None for a later call of that reply.
    """

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
    reply: str = ""
    said: str = ""
    model: ModelCall | None = None
    checked: list[Checked] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)

    @property
    def is_question(self) -> bool:
        """True for what the model wants to know of the person."""
        return self.reply == "question"

    @property
    def is_of_tool(self) -> bool:
        """True for a call that goes to no browser: of an MCP tool, or of a skill's manual."""
        return self.tool in NOT_THE_BROWSERS


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
    calls: list[ModelCall] = field(default_factory=list)
    tries: list[FailedTry] = field(default_factory=list)
    steps: dict[int, Wanted] = field(default_factory=dict)

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
        """Return every request that was sent to the host, in order."""
        return [sent for wanted in self.wanted for sent in wanted.sent if sent.kind != TOOL]


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
        self._steps: Steps[Wanted] = Steps()
        self.side.steps = self._steps.done

    def take(self, row: Row) -> None:
        """Fold one row."""
        side, seq, at = self.side, number_in(row, "seq"), text_in(row, "at")
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
        before, side.state = side.state, text_in(row, "state").removeprefix("active.")
        self._event(row, seq, at)
        if row.get("result") == "handled":
            event = mapping_in(row, "event")
            kind, payload = text_in(event, "type"), mapping_in(event, "payload")
            self._steps.took(kind, payload, before, side.state)

    def _event(self, row: Row, seq: int, at: str) -> None:
        event = mapping_in(row, "event")
        kind, payload = text_in(event, "type"), mapping_in(event, "payload")
        if kind == "resumed":
            self._life += 1
        checked = _checked(row, seq)
        self._asked_model(kind, payload, seq)
        if _is_call(kind, payload):
            self._begun(seq, at, kind, payload)
            if self._call is not None and row.get("result") == "handled":
                self._steps.wanted(self._call, is_question=self._call.is_question)
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
        self._starts(row, seq, at, kind)
        if side_state_ends(self.side.state) and kind.startswith(("done.", "error.", "skill_")):
            self.side.entries.append(
                Told(self._life, seq, at, "ended", self.side.state, {"event": kind})
            )

    def _asked_model(self, kind: str, payload: dict[str, Any], seq: int) -> None:
        if kind == TRIED:
            self.side.tries.append(try_in(seq, payload))
        elif kind in REPLIES and (call := call_in(seq, payload)) is not None:
            self.side.calls.append(call)

    def _told(self, row: Row, seq: int, at: str, checked: tuple[Checked, ...]) -> None:
        event = mapping_in(row, "event")
        kind = text_in(event, "type")
        self._timed_out(kind, seq, at)
        told = Told(self._life, seq, at, kind, self.side.state, mapping_in(event, "payload"),
                    text_in(row, "result"), checked, self._skill)  # fmt: skip
        self.side.entries.append(told)

    def _timed_out(self, kind: str, seq: int, at: str) -> None:
        """The chart's own timer ended the wait for the person's answer."""
        call = self._call
        if kind.startswith("after.active.confirm") and call is not None and call.sent:
            last = call.sent[-1]
            if not last.outcome:
                last.outcome, last.end_row, last.end_at = "expired", seq, at

    def _begun(self, seq: int, at: str, kind: str, payload: dict[str, Any]) -> None:
        record = mapping_in(payload, "record")
        request, turn = mapping_in(record, "request"), mapping_in(record, "turn")
        by_skill = kind == "skill_asked"
        self._call = Wanted(
            life=self._life,
            row=seq,
            at=at,
            by="skill" if by_skill else "model",
            skill=self._skill if by_skill else "",
            tool=text_in(request, "tool"),
            action=text_in(request, "action"),
            params=mapping_in(request, "params"),
            domain=text_in(request, "expected_domain"),
            effect=text_in(payload, "effect"),
            reply="call" if by_skill else text_in(payload, "reply"),
            said=text_in(turn, "text"),
            model=None if by_skill else call_in(seq, payload),
        )
        self.side.entries.append(self._call)

    def _tell(self, checked: Iterable[Checked]) -> None:
        if self._call is not None:
            self._call.checked += checked

    def _purpose(self, kind: str) -> str:
        """Return what a question is about that the event *kind* makes the agent ask."""
        call = self._call
        if call is not None and call.is_question and kind != "done.invoke.observe":
            return "question"
        if kind in ("done.invoke.observe", "resumed"):
            return "step"
        return "tool" if call is not None and call.is_of_tool else "call"

    def _starts(self, row: Row, seq: int, at: str, kind: str) -> None:
        purpose = self._purpose(kind)
        effects = row.get("effects")
        for effect in effects if isinstance(effects, list) else ():
            match effect:
                case ["cancel", "act" | "ask", generation, *_]:
                    self._cut_short(generation, seq, at)
                case ["start", _, "run_skill", *_] if self._call is not None:
                    self._skill = str(self._call.params.get("name", ""))
                    self._steps.starts_skill()
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
            elif self._call.is_of_tool:
                sent.kind = TOOL
        sent.generation = generation if type(generation) is int else None
        self._call.sent.append(sent)
        self._open = [*(each for each in self._open if not each.outcome), sent]

    def _ended(self, row: Row, seq: int, at: str) -> None:
        event = mapping_in(row, "event")
        payload = mapping_in(event, "payload")
        sent = next((s for s in reversed(self._open) if _is_end_of(s, event)), None)
        if sent is None:
            kind, result = text_in(event, "type"), text_in(row, "result")
            told = Told(self._life, seq, at, kind, self.side.state, payload, result)
            self.side.entries.append(told)
            return
        sent.end_row, sent.end_at = seq, at
        record = mapping_in(payload, "record")
        if text_in(event, "type").startswith("error."):
            sent.outcome, sent.error = "unknown", text_in(payload, "error")
            sent.message = text_in(payload, "text")
        elif sent.kind == "confirm_request":
            sent.outcome, sent.decided_by = (
                text_in(payload, "decision"),
                text_in(record, "approved_by"),
            )
            sent.error, sent.message = text_in(record, "error"), text_in(record, "message")
            sent.note = text_in(record, "note") if sent.purpose == "question" else ""
        else:
            _answered(sent, text_in(payload, "outcome"), mapping_in(record, "result"))


def _answered(sent: Sent, outcome: str, result: dict[str, Any]) -> None:
    sent.outcome = outcome
    sent.error, sent.message = text_in(result, "error"), text_in(result, "message")
    sent.seq = seq if (seq := number_in(result, "seq")) > 0 else None
    sent.duration_ms = took if type(took := result.get("duration_ms")) is int else None


def side_state_ends(state: str) -> bool:
    """Tell whether *state* is one that a task ends in."""
    return state in ENDS


def _is_call(kind: str, payload: dict[str, Any]) -> bool:
    return kind == "skill_asked" or (kind in REPLIES and payload.get("reply") in _CALLS)


def _is_end_of(sent: Sent, event: dict[str, Any]) -> bool:
    service = "ask" if sent.kind == "confirm_request" else "act"
    same = text_in(event, "type").rpartition(".")[2] == service
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

"""One run as its ledger tells it, and what it did on the chart: visits, times, rows, refusals.

Which rows an event took stands in no ledger row, and no context is needed to tell: guards are asked
in declared order with the short circuits of `engine.chart.guard`, and each one that was asked is in
`verdicts`. So the verdicts are dealt out again, in order, to the guards of the rows that the state
offers: the first row whose tree they satisfy was taken, then eventless rows until none is. Every
verdict, each leaf of `path` and the `state` at the end must be used up, or the ledger is refused.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from engine.chart.compile import TableRow, compile_table
from engine.chart.declaration import ALWAYS, Chart, Guard, Row
from engine.chart.errors import ChartError
from engine.chart.step import MACROSTEP_ROWS_MAX
from states.verdict import Verdict, verdict_from

RESULTS = ("handled", "ignored", "stale", "faulted")
RowKey = tuple[str, str, int]
_Verdicts = tuple[tuple[str, Verdict], ...]


class OverlayError(ChartError):
    """A ledger that cannot be drawn: empty, broken, or of another chart than this one."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__((), code, **facts)


class LedgerStep(NamedTuple):
    """One processed event; *number* is the ledger's own, *seconds* count from the first event."""

    number: int
    seconds: float
    event: str
    result: str
    state: str
    path: tuple[str, ...]
    verdicts: _Verdicts
    chart_id: str
    chart_sha256: str


class RunOverlay(NamedTuple):
    """The events of one trace in order."""

    trace_id: str
    started: datetime
    steps: tuple[LedgerStep, ...]


class StateRun(NamedTuple):
    """How often a state was entered, when first, and the seconds spent in it."""

    visits: int = 0
    first_seconds: float = 0.0
    seconds: float = 0.0


class RowRun(NamedTuple):
    """The ledger rows that took a row, when first, and which guard refused it how often and why."""

    taken: tuple[int, ...] = ()
    first_seconds: float = 0.0
    refusals: tuple[tuple[str, Verdict, int], ...] = ()


class Walk(NamedTuple):
    """A run on its chart; what it never touched is missing from *states*, *rows* and *initials*.

    *initials* counts how often a state with children was entered through its initial state.
    """

    trace_id: str
    started: datetime
    seconds: float
    states: Mapping[str, StateRun]
    rows: Mapping[RowKey, RowRun]
    initials: Mapping[str, int]
    results: Mapping[str, int]
    last_state: str
    last_row: Row | None
    last_verdicts: _Verdicts


def key_of(row: Row) -> RowKey:
    """Return what names *row* in its chart."""
    return row.source, row.event, row.number


def overlay_of(rows: Iterable[Mapping[str, object]]) -> RunOverlay:
    """Return the run that *rows*, all of one ledger, tell; only those of events are drawn.

    Raises:
        OverlayError: there is no event, a row is missing, or one is not what the journal writes.
    """
    steps: list[LedgerStep] = []
    trace_id, started, before = "", None, None
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise OverlayError("overlay_broken", row=place, key="event")
        number = row.get("seq", place)
        if not isinstance(number, int) or isinstance(number, bool):
            raise OverlayError("overlay_broken", row=place, key="seq")
        if before is not None and number != before + 1:
            raise OverlayError("overlay_gap", row=number, before=before)
        before = number
        if row.get("kind", "event") != "event":
            continue
        moment = _moment(row, number)
        if started is None:
            trace_id, started = _text(row, "trace_id", number), moment
        steps.append(_step(row, number, (moment - started).total_seconds()))
    if started is None:
        raise OverlayError("overlay_empty")
    return RunOverlay(trace_id, started, tuple(steps))


def _step(row: Mapping[str, object], number: int, seconds: float) -> LedgerStep:
    event, path, verdicts = row.get("event"), row.get("path"), row.get("verdicts")
    if not isinstance(event, Mapping):
        raise OverlayError("overlay_broken", row=number, key="event")
    if not isinstance(path, list | tuple) or not all(isinstance(leaf, str) for leaf in path):
        raise OverlayError("overlay_broken", row=number, key="path")
    if not isinstance(verdicts, list | tuple):
        raise OverlayError("overlay_broken", row=number, key="verdicts")
    if row.get("result") not in RESULTS:
        raise OverlayError("overlay_broken", row=number, key="result")
    return LedgerStep(
        number,
        max(0.0, seconds),
        _text(event, "type", number),
        _text(row, "result", number),
        _text(row, "state", number),
        tuple(path),
        tuple(_verdict(document, number) for document in verdicts),
        _text(row, "chart", number),
        _text(row, "chart_sha256", number),
    )


def _verdict(document: object, number: int) -> tuple[str, Verdict]:
    if not isinstance(document, Mapping) or not isinstance(document.get("allowed"), bool):
        raise OverlayError("overlay_broken", row=number, key="verdicts")
    return _text(document, "guard", number), verdict_from(document)


def _text(row: Mapping[str, object], key: str, number: int) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise OverlayError("overlay_broken", row=number, key=key)
    return value


def _moment(row: Mapping[str, object], number: int) -> datetime:
    try:
        moment = datetime.fromisoformat(_text(row, "at", number))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise OverlayError("overlay_broken", row=number, key="at") from error


def walk(chart: Chart, run: RunOverlay) -> Walk:
    """Return what *run* did on *chart*.

    Raises:
        OverlayError: the run is of another chart or version, or is not what *chart* can do.
    """
    steps = [step for step in run.steps if step.chart_id == chart.id]
    if not steps:
        other = ", ".join(sorted({step.chart_id for step in run.steps}))
        raise OverlayError("overlay_other_chart", chart=chart.id, other=other)
    for step in steps:
        if step.chart_sha256 != chart.sha256:
            facts = {"theirs": step.chart_sha256[:12], "ours": chart.sha256[:12]}
            raise OverlayError("overlay_other_version", chart=chart.id, row=step.number, **facts)
    walker = _Walker(chart)
    for step in steps:
        walker.feed(step)
    return walker.ended(run)


class _Walker:
    """Deals the verdicts of each step to the rows they were asked for."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self._rows = compile_table(chart).rows
        self._leaf = chart.leaf_of(chart.initial)
        self._states: dict[str, StateRun] = {}
        self._taken: dict[RowKey, RowRun] = {}
        self._refused: dict[RowKey, dict[tuple[str, Verdict], int]] = {}
        self._initials: dict[str, int] = {}
        self._results = dict.fromkeys(RESULTS, 0)
        self._since: dict[str, float] = {}
        self._last: tuple[Row | None, _Verdicts] = (None, ())
        self._now = 0.0
        self._verdicts: list[tuple[str, Verdict]] = []
        self._missing = False
        for state in reversed(chart.chain(self._leaf)):
            self._enter(state.path)

    def feed(self, step: LedgerStep) -> None:
        """Follow one event.

        Raises:
            OverlayError: *step* is not what the chart does there.
        """
        self._now = max(self._now, step.seconds)
        self._results[step.result] += 1
        self._verdicts = list(step.verdicts)
        path: list[str] = []
        fits = True
        if step.result == "ignored":
            fits = not self._take(step, step.event, path)
        elif step.result == "handled":
            fits = self._take(step, step.event, path)
            rows = 1
            while fits and rows < MACROSTEP_ROWS_MAX and self._take(step, ALWAYS, path):
                rows += 1
        used_up = not self._verdicts and not self._missing
        if not (fits and used_up and tuple(path) == step.path and self._leaf == step.state):
            raise OverlayError(
                "overlay_does_not_fit", row=step.number, event=step.event, chart=self._chart.id
            )

    def ended(self, run: RunOverlay) -> Walk:
        """Return all that was seen; what is active stays so until the last event."""
        for path in tuple(self._since):
            self._leave(path)
        rows = dict(self._taken)
        for key, refusals in self._refused.items():
            told = tuple((guard, verdict, count) for (guard, verdict), count in refusals.items())
            rows[key] = rows.get(key, RowRun())._replace(refusals=told)
        row, verdicts = self._last
        return Walk(
            run.trace_id,
            run.started,
            self._now,
            self._states,
            rows,
            self._initials,
            self._results,
            self._leaf,
            row,
            verdicts,
        )

    def _take(self, step: LedgerStep, event: str, path: list[str]) -> bool:
        for offered in self._rows[self._leaf].get(event, ()):
            row = offered.row
            asked: list[tuple[str, Verdict]] = []
            if row.guard is None or self._answer(row.guard, asked):
                self._note(row, step, asked)
                self._move(offered, path)
                return True
            self._refuse(row, asked)
        return False

    def _answer(self, guard: Guard, asked: list[tuple[str, Verdict]]) -> bool:
        """Return what *guard* answered; a verdict that is missing makes the step unfit."""
        if guard.op == "name":
            if not self._verdicts or self._verdicts[0][0] != guard.name:
                self._missing = True
                return False
            asked.append(self._verdicts.pop(0))
            return asked[-1][1].allowed
        if guard.op == "not":
            return not self._answer(guard.parts[0], asked)
        stop = guard.op == "or"
        return any(self._answer(part, asked) is stop for part in guard.parts) is stop

    def _note(self, row: Row, step: LedgerStep, asked: list[tuple[str, Verdict]]) -> None:
        before = self._taken.get(key_of(row), RowRun((), self._now))
        self._taken[key_of(row)] = before._replace(taken=(*before.taken, step.number))
        self._last = row, tuple(asked)
        # A refusal under `not` lets the row pass; it is told there too.
        self._refuse(row, asked)

    def _refuse(self, row: Row, asked: list[tuple[str, Verdict]]) -> None:
        for guard, verdict in asked:
            if not verdict.allowed:
                counts = self._refused.setdefault(key_of(row), {})
                counts[guard, verdict] = counts.get((guard, verdict), 0) + 1

    def _move(self, offered: TableRow, path: list[str]) -> None:
        if offered.row.target is None:
            return
        for op in offered.ops:
            if op.kind == "exit":
                self._leave(op.path)
            elif op.kind == "enter":
                self._enter(op.path)
        path.append(offered.leaf)
        self._leaf = offered.leaf
        entered = offered.row.target
        while (initial := self._chart.states[entered].initial) is not None:
            self._initials[entered] = self._initials.get(entered, 0) + 1
            entered = initial

    def _enter(self, path: str) -> None:
        seen = self._states.get(path, StateRun(0, self._now))
        self._states[path] = seen._replace(visits=seen.visits + 1)
        self._since[path] = self._now

    def _leave(self, path: str) -> None:
        since = self._since.pop(path, self._now)
        seen = self._states.get(path, StateRun())
        self._states[path] = seen._replace(seconds=seen.seconds + self._now - since)

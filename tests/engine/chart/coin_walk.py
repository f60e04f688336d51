"""Random walks on a chart, noted as a request to XState and as what our table did.

Every name of the chart is bound here: each action is an effect, so that its place in the order
shows, and each guard a coin, a function of the guard's name and the event's number.
"""

import json
import random
from collections import Counter
from hashlib import blake2b
from typing import Any, NamedTuple

from engine.chart.compile import compile_table
from engine.chart.core import Core, Do, Start, Step, Timer
from engine.chart.declaration import Action, Chart, Guard, Row, State, is_within
from engine.chart.errors import ChartError, ChartRuntimeError
from engine.chart.export.xstate import xstate, xstate_event
from engine.chart.load import Names, load_chart
from engine.chart.step import CoreBindings, GuardFunction
from statecharts import chart_names, chart_text
from states.events import Event
from states.verdict import ALLOWED, Verdict, refused
from tests.engine.chart.sample import CHARTS

TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(CHARTS.glob("*.yaml"))}
TEXTS |= {name: chart_text(name) for name in chart_names()}
# In a row they would let nothing through that is tossed fairly.
GATES = frozenset({"reply_is_valid", "budget_left", "policy_allows", "person_not_needed"})
# Each leads away from what comes after it in the list of rows.
EXITS = frozenset(
    {"reply_is_declined", "reply_is_cut", "reply_is_paused", "window_is_full", "asks_person"}
)
KINDS = {"guard": "guards", "action": "effects", "service": "services", "delay": "delays"}


class Walk(NamedTuple):
    """What was sent, in XState's spelling, and what our table did; *rows* counts those taken."""

    request: dict[str, Any]
    told: list[dict[str, Any]]
    rows: Counter[Row]
    chains: int


def toss(guard: str, number: int) -> bool:
    """Return the answer of the guard *guard* to the event *number*.

    Heads are the rarer side, but not of a gate that much lies behind.
    """
    heads = 4 if guard in GATES else 1 if guard in EXITS else 2
    return blake2b(f"{guard} {number}".encode(), digest_size=1).digest()[0] % 5 < heads


def loaded(text: str) -> tuple[Chart, CoreBindings]:
    """Return the chart *text* with every name bound."""
    names = Names()
    while True:
        try:
            chart = load_chart(text, source="walk.yaml", names=names)
        except ChartError as error:
            for problem in error.problems:
                field = KINDS[problem.code.removeprefix("chart_unknown_")]
                known = getattr(names, field) | {dict(problem.facts)["name"]}
                names = names._replace(**{field: known})
            continue
        guards = {guard: _coin(guard) for guard in sorted(names.guards)}
        return chart, CoreBindings(guards, {}, dict.fromkeys(names.delays, 1.0))


def stays_above(chart: Chart, row: Row, leaf: str) -> bool:
    """Tell whether *row* stays in a state that does something and that XState would leave.

    That is a state that *leaf* is in, below the row's own state and above its target.
    """
    if row.target is None or not row.target.startswith(f"{row.source}."):
        return False
    kept = [s for s in chart.chain(row.target)[1:] if s.path.startswith(f"{row.source}.")]
    does = [s for s in kept if s.entry or s.exit or s.services or s.delays]
    return any(is_within(leaf, state.path) for state in does)


class Walker:
    """One walk; what is stale for our table is not noted."""

    def __init__(self, text: str, seed: int) -> None:
        self.chart, self._bindings = loaded(text)
        chart = loud(self.chart)
        self._core = Core(chart, compile_table(chart), self._bindings)
        self._dice = random.Random(seed)  # noqa: S311
        self._at, self._from = self._core.initial(None), -1
        self._seen = {self._at.state: (self._at, self._from)}
        self._items: list[dict[str, Any]] = []
        self._walk = Walk({}, [], Counter(), 0)

    def walk(self, events: int) -> Walk:
        """Return a walk of *events* events."""
        while len(self._items) < events:
            # Back to any state seen, so that the rare ones are met often.
            if self._core.is_final(self._at) or self._dice.random() < 0.4:
                self._at, self._from = self._dice.choice(list(self._seen.values()))
            self._send(self._some_event())
        machine = json.loads(xstate(self.chart))
        guards = list(self._bindings.guards)
        return self._walk._replace(
            request={"machine": machine, "guards": guards, "items": self._items}
        )

    def _some_event(self) -> str:
        rows = [row for state in self.chart.chain(self._at.state) for row in state.rows]
        fitting = sorted({row.event for row in rows if row.event})
        return self._dice.choice(fitting if self._dice.random() < 0.9 else [*self.chart.events])

    def _send(self, kind: str) -> None:
        number, at = len(self._items), self._at
        rows = self.chart.rows_for(at.state, kind)
        if any(stays_above(self.chart, row, at.state) for row in rows):
            return
        event = self._core.stamped(at, kind, {"number": number})
        try:
            step = self._core.feed(at, event)
        except ChartRuntimeError:
            return  # coins may chase each other for ever; test_lockstep holds that case
        if step.result != "stale":
            self._note(kind, did(self.chart, step))
            self._at, self._from = step.snapshot, number
            if not self._core.is_final(self._at):
                self._seen[self._at.state] = (self._at, number)
            taken = [row for row in rows if row.guard is None or _holds(row.guard, number)]
            self._walk.rows.update(taken[:1])
            self._walk = self._walk._replace(chains=self._walk.chains + (len(step.path) > 1))

    def _note(self, kind: str, told: dict[str, Any]) -> None:
        number = len(self._items)
        coins = "".join("01"[toss(name, number)] for name in self._bindings.guards)
        sent = {"from": self._from, "event": xstate_event(self.chart, kind), "coins": coins}
        self._items.append(sent)
        self._walk.told.append(told)


def _coin(name: str) -> GuardFunction:
    def guard(_: object, event: Event) -> Verdict:
        return ALLOWED if toss(name, event.payload["number"]) else refused("tails")

    return guard


def _holds(guard: Guard, number: int) -> bool:
    if guard.op == "name":
        return toss(guard.name, number)
    parts = [_holds(part, number) for part in guard.parts]
    return not parts[0] if guard.op == "not" else all(parts) if guard.op == "and" else any(parts)


def loud(chart: Chart) -> Chart:
    """Return *chart* with an effect before each `stop`, which by itself leaves no trace."""

    def told(actions: tuple[Action, ...]) -> tuple[Action, ...]:
        pairs = [(Action("do", f"stop {a.name}"), a) if a.kind == "stop" else (a,) for a in actions]
        return tuple(action for pair in pairs for action in pair)

    def state_of(state: State) -> State:
        rows = tuple(row._replace(actions=told(row.actions)) for row in state.rows)
        return state._replace(entry=told(state.entry), exit=told(state.exit), rows=rows)

    return chart._replace(states={path: state_of(state) for path, state in chart.states.items()})


def did(chart: Chart, step: Step) -> dict[str, Any]:
    """Return *step* as tools/oracles/xstate_walk.mjs tells it."""
    if step.result == "ignored":
        return {"ignored": True}
    spawned = {s.id for state in chart.states.values() for s in state.spawns}
    actions, invokes, timers = [], [], []
    for effect in step.effects:
        if isinstance(effect, Do):
            actions.append(effect.action)
        elif isinstance(effect, Timer):
            timers.append(xstate_event(chart, effect.event))
        elif isinstance(effect, Start) and effect.id in spawned:
            actions.append(f"spawn {effect.id}")
        elif isinstance(effect, Start):
            invokes.append(effect.id)
    told = {"state": step.snapshot.state, "actions": actions}
    return {**told, "invokes": sorted(invokes), "timers": sorted(timers)}

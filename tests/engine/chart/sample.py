"""Small charts and what their names mean, shared by the tests of the engine."""

import itertools
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.declaration import Chart, Domains
from engine.chart.load import Names, load_chart
from engine.chart.step import CoreBindings, Snapshot
from states.events import Event
from states.verdict import ALLOWED, Verdict, refused

CHARTS = Path(__file__).parent / "charts"


class Loan(NamedTuple):
    """The context of the sample charts: finite, like a task's control."""

    risk: str = "none"
    failures: int = 0
    steps: int = 0


def _when(reason: str, holds: bool) -> Verdict:
    return ALLOWED if holds else refused(reason)


GUARDS = {
    "mac_denied": lambda _, e: _when("mac_given", e.payload.get("mac") is False),
    "is_done": lambda _, e: _when("not_done", e.payload.get("verdict") == "done"),
    "is_stop": lambda _, e: _when("not_stop", e.payload.get("verdict") == "stop"),
    "is_retry": lambda _, e: _when("not_retry", e.payload.get("verdict") == "retry"),
    "is_next": lambda _, e: _when("not_next", e.payload.get("verdict") == "next"),
    "risky": lambda _, e: _when("only_reads", e.payload.get("risk") == "write"),
    "ok": lambda _, e: _when("not_ok", e.payload.get("ok") is True),
    "loud": lambda _, e: _when("silent", e.payload.get("loud") is True),
    "can_retry": lambda c, _: _when("tries_spent", c.failures < 2),
    "tired": lambda c, _: _when("fresh", c.steps > 3),
    "fresh": lambda c, _: _when("tired", c.steps <= 2),
}
REDUCERS = {
    "start_count": lambda c, _: c._replace(steps=0),
    "count_step": lambda c, _: c._replace(steps=min(c.steps + 1, 4)),
    "count_failure": lambda c, _: c._replace(failures=min(c.failures + 1, 3)),
    "take_risk": lambda c, e: c._replace(risk=e.payload.get("risk", "none")),
    "clear_risk": lambda c, _: c._replace(risk="none"),
    "approve_step": lambda c, _: c._replace(failures=0),
    "see_answer": lambda c, e: c._replace(risk="read" if e.payload.get("ok") else c.risk),
}
_EFFECT_NAMES = """
    log_task show_progress hide_progress note_timeout note_denied answer_reader show_card hide_card
    ring tidy report a b c x y z
"""
EFFECTS = frozenset(_EFFECT_NAMES.split())
ENDING = ("abort", "fault", "after.active.task_time", "error.invoke.reader")
SERVICES = frozenset({"make_plan", "send_command", "judge", "read_aloud", "work"})
BINDINGS = CoreBindings(GUARDS, REDUCERS, {"task_time": 900.0, "rest_time": 0.05})
NAMES = Names(frozenset(GUARDS), frozenset(REDUCERS), EFFECTS, SERVICES, frozenset(BINDINGS.delays))


def chart_of(text: str) -> Chart:
    """Load *text* with the sample names."""
    return load_chart(text, source="sample.yaml", names=NAMES)


def sample(name: str) -> Chart:
    """Load a chart of the folder `charts`."""
    return chart_of((CHARTS / f"{name}.yaml").read_text("utf-8"))


def core_of(text: str, bindings: CoreBindings = BINDINGS) -> Core:
    """Return the core of the chart *text*."""
    chart = chart_of(text)
    return Core(chart, compile_table(chart), bindings)


def sample_core(name: str) -> Core:
    """Return the core of a chart of the folder `charts`."""
    chart = sample(name)
    return Core(chart, compile_table(chart), BINDINGS)


def payloads(domains: Domains) -> Iterator[Mapping[str, Any]]:
    """Yield each payload that *domains* allow."""
    for values in itertools.product(*domains.values()):
        yield dict(zip(domains, values, strict=True))


def walk(core: Core, *events: str | tuple[str, dict[str, Any]]) -> Snapshot:
    """Return the snapshot after *events*, each sent by its live sender."""
    at = core.initial(Loan())
    for event in events:
        kind, payload = event if isinstance(event, tuple) else (event, {})
        step = core.feed(at, core.stamped(at, kind, payload))
        assert step.result == "handled", (kind, step.result, at.state)
        at = step.snapshot
    return at


def some_event(chart: Chart, at: Snapshot, dice: random.Random) -> Event:
    """Return any event of *chart*, with a live, an old or no generation."""
    fitting = [row.event for state in chart.chain(at.state) for row in state.rows if row.event]
    kinds = fitting if fitting and dice.random() < 0.8 else [*chart.events, "unheard_of"]
    # Ends come often enough by themselves.
    kind = dice.choice(
        [kind for kind in kinds if dice.random() < 0.2 or kind not in ENDING] or kinds
    )
    domains = chart.events.get(kind, {})
    payload = {key: dice.choice(values) for key, values in domains.items()}
    live = [generation for _, generation in at.live]
    generation = dice.choice([None, *live, at.generation, dice.randint(0, 9)])
    return Event(kind, payload, generation)

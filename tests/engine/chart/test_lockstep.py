"""The compiled table and the `transitions` machine do the same, event for event."""

import random
from collections import Counter
from collections.abc import Callable
from zlib import crc32

import pytest

from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.declaration import Chart
from engine.chart.errors import ChartError, ChartRuntimeError
from engine.chart.load import Names, load_chart
from engine.chart.reference import ReferenceCore
from engine.chart.step import CoreBindings, Snapshot
from statecharts import chart_names, chart_text
from states.events import Event
from states.verdict import ALLOWED, Verdict, refused
from tests.engine.chart.sample import BINDINGS, Loan, sample, some_event

KINDS = {"guard": "guards", "action": "effects", "service": "services", "delay": "delays"}


def _shipped(name: str) -> tuple[Chart, CoreBindings]:
    """Return a shipped chart whose guards toss a coin on the event, the same in both engines.

    The coin mostly allows: a gate of eight guards would let nothing through a fair one.
    """
    names, text = Names(), chart_text(name)
    while True:
        try:
            chart = load_chart(text, source=name, names=names)
        except ChartError as error:
            for problem in error.problems:
                field = KINDS[problem.code.removeprefix("chart_unknown_")]
                known = getattr(names, field) | {dict(problem.facts)["name"]}
                names = names._replace(**{field: known})
            continue
        guards = {guard: _coin(guard) for guard in names.guards}
        return chart, CoreBindings(guards, {}, dict.fromkeys(names.delays, 1.0))


def _coin(name: str) -> Callable[[object, Event], Verdict]:
    def guard(_: object, event: Event) -> Verdict:
        toss = crc32(f"{name} {event.type} {sorted(event.payload.items())}".encode())
        return ALLOWED if toss % 4 else refused("tails")

    return guard


def _chart(name: str) -> tuple[Chart, CoreBindings]:
    return _shipped(name) if name in chart_names() else (sample(name), BINDINGS)


@pytest.mark.parametrize("name", ["order", "deep", "loan", *chart_names()])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_engines_agree_on_every_step(name: str, seed: int) -> None:
    chart, bindings = _chart(name)
    core = Core(chart, compile_table(chart), bindings)
    reference = ReferenceCore(chart, bindings)
    dice = random.Random(seed)  # noqa: S311
    start = core.initial(Loan())
    assert start == reference.initial(Loan())
    seen: dict[str, Snapshot] = {start.state: start}
    taken: set[tuple[str, str]] = set()
    results: Counter[str] = Counter()
    at = start
    for _ in range(1500):
        if core.is_final(at) or dice.random() < 0.05:
            at = dice.choice([one for one in seen.values() if not core.is_final(one)])
        event = some_event(chart, at, dice)
        if dice.random() < 0.7:
            event = core.stamped(at, event.type, event.payload)
        try:
            step = core.feed(at, event)
        except ChartRuntimeError:
            # Coins may chase each other for ever: then both engines must say so.
            with pytest.raises(ChartRuntimeError):
                reference.feed(at, event)
            continue
        assert step == reference.feed(at, event), (at, event)
        results[step.result] += 1
        if step.result == "handled":
            taken.add((at.state, event.type))
        at = seen[step.snapshot.state] = step.snapshot
    # The walk went somewhere: every kind of answer, and most of the chart's rows by event.
    assert set(results) == {"handled", "ignored", "stale"}
    assert results["handled"] > 300
    assert len(taken) > 15

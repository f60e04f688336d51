"""The compiled table and XState 5 in Node do the same on the exported chart, event for event.

Four things differ and are normalised, nothing else:
- a stale event never reaches a row with us: XState is not asked (it trusts cancellation);
- after an event that no row takes XState tries the eventless rows once more, we do not;
- what a state starts comes in another order (we: entry actions, services, timers; XState: entry
  actions, timers, services), so services and timers are compared as sets of their own, and what
  is cancelled is not compared at all: we name only what is live;
- a row of a state to a grandchild leaves an active child and comes back to it in XState (and in
  SCXML), while ours stays in the child. Where that shows, the row is not taken here; it shows in
  no shipped chart.
"""

import copy
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from statecharts import chart_names
from tests.engine.chart.coin_walk import TEXTS, Walk, Walker, loaded, stays_above
from tests.support.oracles import walk_in_xstate

EVENTS = 4000
CONTROL_EVENTS = 1500


def _alternatives_swapped(states: dict[str, Any]) -> None:
    states["active"]["states"]["planning"]["invoke"][0]["onDone"].reverse()


def _exit_action_dropped(states: dict[str, Any]) -> None:
    del states["active"]["states"]["confirm"]["exit"]


def _self_row_that_stays(states: dict[str, Any]) -> None:
    del states["active"]["states"]["executing"]["states"]["waiting"]["on"]["approve"][0]["reenter"]


def _spawn_dropped(states: dict[str, Any]) -> None:
    del states["active"]["states"]["executing"]["on"]["note"][0]["actions"]


def _eventless_row_dropped(states: dict[str, Any]) -> None:
    states["active"]["states"]["observing"]["always"].pop(1)


def _parent_row_dropped(states: dict[str, Any]) -> None:
    del states["active"]["on"]["stop_reader"]


FAULTS: tuple[Callable[[dict[str, Any]], None], ...] = (
    _alternatives_swapped,
    _exit_action_dropped,
    _self_row_that_stays,
    _spawn_dropped,
    _eventless_row_dropped,
    _parent_row_dropped,
)


@cache
def _walks() -> dict[str, Walk]:
    """Return a walk for each chart, and the walk of one chart for each fault put in."""
    walks = {
        name: Walker(text, seed).walk(EVENTS) for seed, (name, text) in enumerate(TEXTS.items())
    }
    loan = walks["loan"]
    for fault in FAULTS:
        request = {**loan.request, "items": loan.request["items"][:CONTROL_EVENTS]}
        request["machine"] = copy.deepcopy(request["machine"])
        fault(request["machine"]["states"])
        walks[fault.__name__] = Walk(request, loan.told[:CONTROL_EVENTS], Counter(), 0)
    return walks


@cache
def _answers() -> dict[str, dict[str, Any]]:
    """Return what XState does on every walk: one Node process for all."""
    answers = walk_in_xstate([walk.request for walk in _walks().values()])
    return dict(zip(_walks(), answers, strict=True))


def _difference(name: str) -> str:
    """Return where XState first went another way, or nothing."""
    walk = _walks()[name]
    for number, theirs in enumerate(_answers()[name]["steps"]):
        if walk.told[number] != theirs:
            sent = walk.request["items"][number]
            return f"event {number} {sent}: {walk.told[number]} but XState {theirs}"
    return ""


@pytest.mark.parametrize("name", TEXTS)
def test_xstate_loads_the_export_and_does_what_the_table_does(name: str) -> None:
    answer = _answers()[name]
    chart = loaded(TEXTS[name])[0]
    assert answer["warnings"] == []
    assert answer["initial"]["state"] == chart.leaf_of(chart.initial)
    assert len(answer["steps"]) == EVENTS
    assert _difference(name) == ""


@pytest.mark.parametrize("fault", [fault.__name__ for fault in FAULTS])
def test_a_fault_in_the_export_is_a_difference(fault: str) -> None:
    assert "but XState" in _difference(fault)


def test_the_walks_go_everywhere() -> None:
    kinds, missed, declared = Counter[str](), 0, 0
    for name in TEXTS:
        chart, walk = loaded(TEXTS[name])[0], _walks()[name]
        rows = [row for row in chart.rows() if row.event]
        assert {row.event for row in rows} == {row.event for row in walk.rows}, name
        declared += len(rows)
        missed += sum(row not in walk.rows for row in rows)
        for row, times in walk.rows.items():
            kinds["internal"] += times * (row.target is None)
            kinds["to itself"] += times * (row.target == row.source)
            kinds["of a parent"] += times * bool(chart.states[row.source].children)
            kinds["guarded by a tree"] += times * bool(row.guard and row.guard.parts)
        kinds["eventless chains"] += walk.chains
    assert EVENTS * len(TEXTS) >= 20_000
    assert missed / declared < 0.05
    assert len(kinds) == 5
    assert min(kinds.values()) > 300, kinds


@pytest.mark.parametrize("name", chart_names())
def test_no_shipped_chart_has_a_row_that_means_something_else_elsewhere(name: str) -> None:
    chart = loaded(TEXTS[name])[0]
    rows = [(row, leaf.path) for row in chart.rows() for leaf in chart.leaves()]
    assert [row[:3] for row, leaf in rows if stays_above(chart, row, leaf)] == []


def test_a_row_that_means_something_else_elsewhere_is_found() -> None:
    chart = loaded(TEXTS["deep"])[0]
    row = next(row for row in chart.states["a"].rows if row.target == "a.b.c.d")
    assert stays_above(chart, row, "a.b.f")
    assert not stays_above(chart, row, "a.e")

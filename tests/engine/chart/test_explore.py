"""The quick walk finds exactly what feeding every event to every state finds, by shortest ways."""

import pytest

from engine.chart.explore import explore
from engine.chart.probe import Probe, event_in
from engine.chart.step import CoreBindings
from states.events import Event
from states.verdict import Verdict
from tests.engine.chart.check.small import SOUND, probe_of_chart, sown
from tests.engine.chart.naive import naive_steps, steps_of
from tests.engine.chart.sample import BINDINGS, Loan, chart_of, sample


def _probe(name: str) -> Probe:
    return probe_of_chart(sample(name))


@pytest.mark.parametrize("name", ["loan", "errand", "order", "deep"])
def test_every_state_and_step_of_the_naive_walk_is_found_and_no_other(name: str) -> None:
    probe = _probe(name)
    far, steps = naive_steps(probe)
    found = explore(probe)
    assert set(found.nodes) == set(far)
    assert steps_of(found) == steps


def test_steps_are_shared_so_far_fewer_are_run_than_there_are() -> None:
    found = explore(_probe("loan"))
    assert found.events > 5000
    assert found.feeds < found.events / 10


def test_each_trace_is_a_shortest_way_that_the_core_can_go() -> None:
    probe = _probe("loan")
    far, _ = naive_steps(probe)
    found = explore(probe)
    assert max(far.values()) > 5
    for number, node in enumerate(found.nodes):
        trace = found.trace(number)
        assert len(trace) == far[node]
        at = probe.core.initial(probe.initials[found.start(number)])
        for stimulus in trace:
            event = event_in(probe.core, at, stimulus)
            assert event is not None
            at = probe.core.feed(at, event).snapshot
        assert at.state == node.state


def test_each_beginning_is_walked_from_and_named() -> None:
    tired = Loan(steps=4)
    found = explore(_probe("loan")._replace(initials=(Loan(), tired)))
    number = found.nodes.index(found.nodes[0]._replace(control=tired))
    assert found.trace(number) == ()
    assert found.start(number) == number == 1


def test_the_rows_taken_are_told_with_the_place_they_are_first_taken() -> None:
    probe = probe_of_chart(chart_of(SOUND))
    found = explore(probe)
    assert set(found.taken_rows) == set(probe.core.chart.rows())
    [tired] = [row for row in found.taken_rows if row.guard and row.guard.text() == "tired"]
    way = [each.type for each in found.trace_to(found.taken_rows[tired])]
    assert way == ["submit", *["done.invoke.send"] * 4]


def test_an_overlap_is_a_later_guarded_row_that_was_enabled_too() -> None:
    found = explore(probe_of_chart(chart_of(SOUND)))
    [overlap] = found.overlaps
    assert (overlap.leaf, overlap.winner.number, overlap.other.number) == ("active.sending", 1, 2)
    place = found.overlaps[overlap]
    assert place.stimulus.fields == {"ok": True}
    apart = sown(("{guard: tired, ", "{guard: {and: [tired, {not: ok}]}, "))
    assert not explore(probe_of_chart(apart)).overlaps


def test_a_guard_that_is_not_pure_is_blamed() -> None:
    tosses = iter(range(1000))

    def now_and_then(context: Loan, event: Event) -> Verdict:
        return BINDINGS.guards["tired" if next(tosses) % 2 else "ok"](context, event)

    guards = {**BINDINGS.guards, "tired": now_and_then}
    bindings = CoreBindings(guards, BINDINGS.reducers, BINDINGS.delays)
    found = explore(probe_of_chart(chart_of(SOUND), bindings))
    assert "check_impure" in [each.problem.code for each in found.violations]
    assert not explore(probe_of_chart(chart_of(SOUND))).violations


def test_a_control_that_is_no_named_tuple_is_walked_too() -> None:
    tired = BINDINGS.guards["tired"]
    counting = CoreBindings(
        {"ok": BINDINGS.guards["ok"], "tired": lambda c, e: tired(Loan(steps=c), e)},
        {"count_step": lambda c, _: min(c + 1, 4), "count_failure": lambda c, _: c},
        BINDINGS.delays,
    )
    probe = probe_of_chart(chart_of(SOUND), counting)._replace(
        initials=(0,), describe=lambda context: {"steps": context}
    )
    far, steps = naive_steps(probe)
    found = explore(probe)
    assert set(found.nodes) == set(far)
    assert steps_of(found) == steps

"""Counters keep in their bounds, macrosteps end, guards and reducers answer: or it is found."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.chart.check import check
from engine.chart.step import CoreBindings
from states.verdict import ALLOWED
from tests.engine.chart.check.small import found_in, probe_of_chart, sown, told
from tests.engine.chart.sample import BINDINGS, Loan


def _with(**reducers: Callable[..., Any]) -> CoreBindings:
    return BINDINGS._replace(reducers={**BINDINGS.reducers, **reducers})


def _endless(context: Loan, _: object) -> Loan:
    return context._replace(failures=context.failures + 1)


def test_a_counter_that_leaves_its_domain_is_found_by_the_shortest_way() -> None:
    report = found_in(sown(), bindings=_with(count_failure=_endless), domains={"failures": (0, 1)})
    assert told(report) == [("check_out_of_domain", ["submit", *["done.invoke.send"] * 2])]
    facts = dict(report.violations[0].problem.facts)
    assert facts == {"name": "failures", "value": "2"}
    assert report.violations[0].problem.line > 1


def test_a_counter_without_any_bound_ends_the_walk_with_a_plain_message() -> None:
    untired = sown(("            - {guard: tired, target: failed}\n", ""))
    probe = probe_of_chart(untired, _with(count_failure=_endless), {})
    report = check(probe, limit=200)
    assert [code for code, _ in told(report)] == ["check_too_many_states"]
    assert "200" in report.violations[0].problem.what
    assert len(report.exploration.nodes) < 210
    assert told(check(probe_of_chart(untired, domains={}), limit=200)) == []


def test_a_flag_is_no_counter() -> None:
    flags = _with(count_failure=lambda context, _: context._replace(failures=True))
    assert "check_out_of_domain" in [code for code, _ in told(found_in(sown(), bindings=flags))]


def _raise(*_: object) -> Any:
    raise ZeroDivisionError("nothing to divide")


def test_a_guard_that_raises_is_found_by_the_shortest_way() -> None:
    bindings = BINDINGS._replace(guards={**BINDINGS.guards, "tired": _raise})
    report = found_in(sown(), bindings=bindings)
    assert told(report) == [("check_fault", ["submit", "done.invoke.send"])]
    assert "tired" in report.violations[0].problem.what
    assert "nothing to divide" in report.violations[0].problem.what


@pytest.mark.parametrize("reducer", ["count_step", "count_failure"])
def test_a_reducer_that_raises_is_found(reducer: str) -> None:
    report = found_in(sown(), bindings=_with(**{reducer: _raise}))
    assert [code for code, _ in told(report)] == ["check_fault"]
    assert reducer in report.violations[0].problem.what


def test_eventless_rows_without_end_are_found() -> None:
    chase = (
        "      sending:\n",
        "      here: {always: [{guard: loud, target: active.there}], on: {note: failed}}\n"
        "      there: {always: [{guard: loud, target: active.here}], on: {note: failed}}\n"
        "      sending:\n        on: {note: active.here}\n",
    )
    events = ("  fault: {}\n", "  fault: {}\n  note: {}\n")
    loud = BINDINGS._replace(guards={**BINDINGS.guards, "loud": lambda *_: ALLOWED})
    report = found_in(sown(chase, events), bindings=loud)
    assert told(report) == [("check_never_settles", ["submit", "note"])]

"""A watched control notes each look at it: a field that was not noted was not looked at."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from engine.chart.watch import is_watchable, reads_of, watched, writes_of
from tests.engine.chart.sample import Loan

PLAIN = Loan("read", 1, 2)


def test_a_field_that_is_read_is_noted_and_answers_as_before() -> None:
    control = watched(PLAIN)
    assert reads_of(control) == ()
    assert (control.steps, control.risk) == (2, "read")
    assert reads_of(control) == (2, 0)


@pytest.mark.parametrize(
    "look",
    [
        lambda c: list(c),
        lambda c: c[0],
        lambda c: c == PLAIN,
        lambda c: c != PLAIN,
        lambda c: c < PLAIN,
        hash,
        repr,
        str,
        lambda c: f"{c}",
        lambda c: "read" in c,
        lambda c: c.__add__((1,)),
        lambda c: c * 2,
        lambda c: 2 * c,
        lambda c: tuple(c),
        lambda c: Loan(*c),
        lambda c: Loan._make(c),
        lambda c: c._asdict(),
        lambda c: c.index("read"),
        lambda c: c.count("read"),
        lambda c: dict(zip(c._fields, c, strict=True)),
        lambda c: (lambda a, b, d: (a, b, d))(*c),
        lambda c: sorted(c, key=str),
        copy.copy,
    ],
)
def test_a_look_at_the_whole_is_a_read_of_every_field(look: Callable[[Any], object]) -> None:
    control = watched(PLAIN)
    look(control)
    assert set(reads_of(control)) == {0, 1, 2}


def test_unpacking_and_matching_are_reads() -> None:
    control = watched(PLAIN)
    risk, _, _ = control
    assert risk == "read"
    assert set(reads_of(control)) == {0, 1, 2}
    control = watched(PLAIN)
    match control:
        case Loan(failures=1):
            pass
    assert reads_of(control) == (1,)


def test_a_changed_copy_tells_what_was_written_and_reads_nothing() -> None:
    control = watched(PLAIN)
    after = control._replace(steps=4)
    assert reads_of(control) == ()
    assert writes_of(after, control) == ((2, 4),)
    assert tuple(after) == ("read", 1, 4)


def test_what_the_step_wrote_itself_is_no_read() -> None:
    control = watched(PLAIN)
    after = control._replace(steps=4)
    assert after.steps == 4
    assert reads_of(control) == ()
    assert after.failures == 1
    assert reads_of(control) == (1,)


def test_a_control_made_anew_is_written_in_whole() -> None:
    control = watched(PLAIN)
    assert writes_of(Loan("none", 0, 0), control) == ((0, "none"), (1, 0), (2, 0))
    assert writes_of(control, control) == ()


def test_an_unknown_field_is_refused_as_by_a_named_tuple() -> None:
    with pytest.raises(ValueError, match="unexpected field names"):
        watched(PLAIN)._replace(tempo=1)


def test_only_a_named_tuple_can_be_watched() -> None:
    assert is_watchable(PLAIN)
    assert not is_watchable((1, 2))
    assert not is_watchable(3)

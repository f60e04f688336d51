"""What is past its days goes, from the beginning of a chain and whole; what is in doubt stays."""

from datetime import timedelta

import pytest
import yaml

from memory.retention import (
    ENDS,
    PROFILES,
    Days,
    Why,
    clock_doubt,
    days_of,
    fates,
    is_past,
)
from memory.segments import Segment
from statecharts import chart_names, chart_text
from states.settings import AuditLimits
from tests.support.segment_lab import NOW, days_ago, stamp

DAYS = Days(90, 30, 60)


def segment(number: int, day: float, state: str = "archived", stream: str = "model") -> Segment:
    at = stamp(days_ago(day))
    return Segment(stream, number, number, "", number, "", at, at, 1, 1, state)


def whys(
    *segments: Segment, held: dict[tuple[str, int], Why] | None = None, archived: bool = True
) -> list[str]:
    return [f.why for f in fates(segments, DAYS, NOW, held or {}, archived_only=archived)]


def test_the_standard_profile_is_the_seeds_and_the_long_one_is_over_half_a_year() -> None:
    assert days_of(AuditLimits()) == Days(operation=90, pipe=30, model=90)
    assert min(PROFILES["long"]) >= 180
    assert days_of(AuditLimits(), "long") == PROFILES["long"]
    assert days_of(AuditLimits(retention_profile="long")) == PROFILES["long"]


def test_days_of_one_class_can_be_set_by_themselves() -> None:
    limits = AuditLimits(pipe_days=7, retention_profile="long")
    assert days_of(limits) == Days(185, 7, 185)


@pytest.mark.parametrize(
    ("number", "day", "stream", "why"),
    [(1, 61, "model", "past"), (1, 59, "model", "young"), (1, 61, "operation", "young"),
     (1, 91, "operation", "past"), (1, 60, "model", "young")],
)  # fmt: skip
def test_a_segment_goes_when_the_days_of_its_stream_are_over(
    number: int, day: float, stream: str, why: str
) -> None:
    assert whys(segment(number, day, stream=stream)) == [why]


def test_what_was_not_archived_stays_unless_that_is_not_asked_for() -> None:
    assert whys(segment(1, 99, "closed")) == ["not_archived"]
    assert whys(segment(1, 99, "closed"), archived=False) == ["past"]


def test_nothing_goes_from_the_middle_of_a_chain() -> None:
    found = whys(segment(1, 99), segment(2, 98, "closed"), segment(3, 97), segment(4, 1))
    assert found == ["past", "not_archived", "behind_kept", "young"]


def test_one_stream_does_not_hold_the_other_back() -> None:
    mixed = [segment(1, 99, "closed"), segment(1, 99, stream="operation")]
    assert whys(*mixed) == ["not_archived", "past"]


def test_a_clock_that_was_set_back_in_between_drops_no_later_segment_before() -> None:
    assert whys(segment(1, 1), segment(2, 99)) == ["young", "behind_kept"]


@pytest.mark.parametrize("why", ["running", "unfinished"])
def test_what_a_trace_holds_stays_also_without_archive(why: Why) -> None:
    assert whys(segment(1, 99), held={("model", 1): why}, archived=False) == [why]


def test_what_was_dropped_is_no_matter_and_what_is_half_dropped_goes_on() -> None:
    half = segment(2, 1, "dropping")
    found = whys(segment(1, 99, "dropped"), half, held={("model", 2): "running"})
    assert found == ["past"]


def test_a_segment_without_a_readable_time_stays() -> None:
    assert whys(segment(1, 99)._replace(closed_at="")) == ["time_unreadable"]


@pytest.mark.parametrize(
    ("newest", "doubt"),
    [(0.5, ""), (89, ""), (91, "ahead"), (4_000, "ahead"), (-0.5, "behind")],
)
def test_a_clock_is_doubted_that_would_drop_everything_or_stands_before_the_newest(
    newest: float, doubt: str
) -> None:
    assert clock_doubt(NOW, days_ago(newest), 90) == doubt


def test_a_clock_is_not_doubted_for_seconds_or_when_nothing_is_there() -> None:
    assert clock_doubt(NOW, NOW + timedelta(seconds=2), 90) == ""
    assert clock_doubt(NOW, None, 90) == ""
    assert not is_past(NOW + timedelta(days=3), 1, NOW)


def test_the_ends_of_a_task_are_those_that_the_charts_declare() -> None:
    ends: set[str] = set()
    others: set[str] = set()
    for name in chart_names():
        for state, declared in yaml.safe_load(chart_text(name))["states"].items():
            (ends if declared.get("type") == "final" else others).add(state)
    assert ends == ENDS
    assert others
    assert not others & ENDS

"""What a ledger says about a chart is read exactly, and a ledger that does not fit is refused."""

import random
from collections import defaultdict
from typing import Any, NamedTuple

import pytest

from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.declaration import Action, Chart, Row
from engine.chart.export.overlay import OverlayError, key_of, overlay_of, walk
from engine.chart.step import CoreBindings
from states.catalogue import Lang
from tests.engine.chart.export.told import NASTY_WALK, nasty, nasty_run, row_of
from tests.engine.chart.sample import BINDINGS, Loan, sample, some_event

LANGS: tuple[Lang, ...] = ("en", "zh-CN")
ODD: tuple[object, ...] = (None, "5", True, {})


class Marked(NamedTuple):
    """A context that remembers each row that was taken."""

    loan: Loan = Loan()
    marks: tuple[str, ...] = ()


def marking(chart: Chart) -> tuple[Chart, CoreBindings]:
    """Return *chart* with a reducer on each row that leaves the row's mark in the context."""

    def marked(row: Row) -> Row:
        return row._replace(actions=(*row.actions, Action("reduce", mark_of(row))))

    states = {
        path: state._replace(rows=tuple(map(marked, state.rows)))
        for path, state in chart.states.items()
    }
    guards = {
        name: lambda c, e, guard=guard: guard(c.loan, e) for name, guard in BINDINGS.guards.items()
    }
    reducers: dict[str, Any] = {
        name: lambda c, e, reduce=reduce: c._replace(loan=reduce(c.loan, e))
        for name, reduce in BINDINGS.reducers.items()
    }
    for mark in map(mark_of, chart.rows()):
        reducers[mark] = lambda c, _e, mark=mark: c._replace(marks=(*c.marks, mark))
    return chart._replace(states=states), CoreBindings(guards, reducers, BINDINGS.delays)


def mark_of(row: Row) -> str:
    return "|".join(map(str, key_of(row)))


@pytest.mark.parametrize("name", ["loan", "deep"])
@pytest.mark.parametrize("seed", range(25))
def test_the_rows_that_a_run_took_are_told_from_its_ledger_alone(name: str, seed: int) -> None:
    chart, bindings = marking(sample(name))
    core = Core(chart, compile_table(chart), bindings)
    dice = random.Random(seed)  # noqa: S311
    snapshot = core.initial(Marked())
    rows, took = [], defaultdict(list)
    for number in range(1, 40):
        event = some_event(chart, snapshot, dice)
        step = core.feed(snapshot._replace(context=snapshot.context._replace(marks=())), event)
        snapshot = step.snapshot
        rows.append(row_of(chart, number, event, step))
        for mark in snapshot.context.marks:
            took[mark].append(number)
    found = walk(chart, overlay_of(rows))
    assert {"|".join(map(str, k)): list(r.taken) for k, r in found.rows.items() if r.taken} == took
    assert found.last_state == snapshot.state
    assert sum(found.results.values()) == len(rows)


def test_visits_and_seconds_are_those_of_the_ledger() -> None:
    found = walk(nasty(), overlay_of(nasty_run()))
    # One event a second: first is left at +2 and +4, and was entered again at +0 and +3.
    assert found.states["first"] == (3, 0.0, 3.0)
    assert found.states["outer.deep"] == (2, 5.0, 4.0)
    assert found.states["outer.deep.deeper.deepest.bottom.same"] == (3, 5.0, 4.0)
    assert found.states["done"] == (1, 11.0, 1.0)
    assert "outer.flat" in found.states
    assert not any("lonely" in path for path in found.states)
    assert found.seconds == len(NASTY_WALK) - 1
    assert found.initials["outer"] == 3
    assert found.results == {"handled": 11, "ignored": 2, "stale": 0, "faulted": 0}


def test_a_refusal_is_told_with_its_guard_its_reason_and_its_count() -> None:
    found = walk(nasty(), overlay_of([*nasty_run()[:2]]))
    [refused] = [run for key, run in found.rows.items() if key[1].startswith("a_very") and
                 key[2] == 1]  # fmt: skip
    [(guard, verdict, count)] = refused.refusals
    assert (guard, verdict.reason, count) == ("says_no", "guard_negated", 1)
    assert refused.taken == ()
    negated = walk(nasty(), overlay_of(nasty_run()[:9])).rows
    passed = negated["outer", "dotted.event.name.with.many.parts", 2]
    assert (passed.taken, passed.refusals[0][0]) == ((9,), "says_no")


def test_a_clock_that_was_set_back_makes_no_negative_time() -> None:
    rows = nasty_run()
    rows[5]["at"] = "2020-01-01T00:00:00+00:00"
    rows[6]["at"] = "2026-11-29T08:30:06"
    found = walk(nasty(), overlay_of(rows))
    assert min(run.seconds for run in found.states.values()) >= 0
    assert found.seconds == 12


def refusal(rows: Any, chart: Chart | None = None) -> OverlayError:
    with pytest.raises(OverlayError) as caught:
        walk(chart or nasty(), overlay_of(rows))
    for lang in LANGS:
        assert caught.value.text(lang) != caught.value.code
    return caught.value


def test_an_empty_ledger_is_refused() -> None:
    assert refusal([]).code == "overlay_empty"
    assert refusal([{"kind": "head", "v": 1}]).code == "overlay_empty"


def test_rows_of_another_kind_are_passed_over() -> None:
    rows = [{"kind": "resume", "seq": 0}, *nasty_run()]
    assert walk(nasty(), overlay_of(rows)) == walk(nasty(), overlay_of(nasty_run()))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("seq", bad) for bad in ODD),
        *(("at", bad) for bad in ("", "soon", None, 5, "9999-12-31T23:59:59-12:00")),
        *(("event", bad) for bad in (*ODD, {"type": 5})),
        *(("result", bad) for bad in (*ODD, "lost")),
        *(("path", bad) for bad in (*ODD, [1])),
        *(("verdicts", bad) for bad in (*ODD, [5], [{"guard": "go"}], [{"allowed": True}])),
        *((key, 5) for key in ("trace_id", "state", "chart", "chart_sha256")),
    ],
)
def test_a_row_that_cannot_be_read_is_refused_by_its_number(key: str, value: object) -> None:
    rows = nasty_run()
    place = 0 if key == "trace_id" else 4
    rows[place][key] = value
    error = refusal(rows)
    assert (error.code, error.facts["row"]) == ("overlay_broken", place + 1)
    assert walk(nasty(), overlay_of(nasty_run())).last_state == "done"


def test_a_row_that_is_no_mapping_is_refused() -> None:
    assert refusal([*nasty_run()[:2], 5]).facts == {"row": 3, "key": "event"}


def test_a_ledger_of_another_chart_or_version_is_refused() -> None:
    assert refusal(nasty_run(), sample("loan")).code == "overlay_other_chart"
    newer = nasty()._replace(sha256="f" * 64)
    error = refusal(nasty_run(), newer)
    assert error.code == "overlay_other_version"
    assert "has been changed since the run" in error.text("en")


def _without(number: int) -> list[dict[str, Any]]:
    return [row for row in nasty_run() if row["seq"] != number]


def _edited(number: int, **changes: Any) -> list[dict[str, Any]]:
    return [{**row, **changes} if row["seq"] == number else row for row in nasty_run()]


@pytest.mark.parametrize(
    "rows",
    [
        _edited(3, path=["first"]),
        _edited(3, state="first"),
        _edited(3, path=[]),
        _edited(2, verdicts=[]),
        _edited(2, verdicts=[{"guard": "says_yes", "allowed": False}] * 2),
        _edited(3, verdicts=[{"guard": "says_yes", "allowed": True}]),
        _edited(8, result="handled"),
        _edited(3, result="ignored"),
        _edited(3, result="stale"),
        _edited(3, event={"type": "unheard_of"}),
    ],
)
def test_a_ledger_that_the_chart_could_not_have_made_is_refused(rows: Any) -> None:
    assert refusal(rows).code == "overlay_does_not_fit"


@pytest.mark.parametrize("number", range(2, len(NASTY_WALK)))
def test_a_ledger_that_lacks_a_row_or_has_one_twice_is_refused(number: int) -> None:
    assert refusal(_without(number)).facts == {"row": number + 1, "before": number - 1}
    twice = nasty_run()
    twice.insert(number, twice[number - 1])
    assert refusal(twice).facts == {"row": number, "before": number}


def test_a_stale_or_faulted_event_moves_nothing() -> None:
    rows = nasty_run()[:3]
    stale = {**rows[2], "seq": 4, "result": "stale", "path": [], "verdicts": []}
    stale["event"] = {"type": "done.invoke.watch"}
    found = walk(nasty(), overlay_of([*rows, stale, {**stale, "seq": 5, "result": "faulted"}]))
    assert (found.results["stale"], found.results["faulted"]) == (1, 1)
    assert found.last_state == rows[2]["state"]

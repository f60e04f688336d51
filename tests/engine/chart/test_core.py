"""What a step does: order, priority, generations, ownership; and that it changes nothing else."""

import copy
from typing import Any

import pytest

from engine.chart.compile import compile_table
from engine.chart.core import Cancel, Core, CoreBindings, Do, Snapshot, Start, Timer
from engine.chart.errors import ChartError, ChartFaultError, ChartRuntimeError
from states.events import Event
from states.verdict import ALLOWED, refused
from tests.engine.chart.sample import BINDINGS, CHARTS, Loan, chart_of, core_of, sample_core, walk

ORDER = (CHARTS / "order.yaml").read_text("utf-8")


def _names(effects: tuple[object, ...]) -> list[str]:
    shown = []
    for effect in effects:
        if isinstance(effect, Do):
            shown.append(effect.action)
        elif isinstance(effect, Timer):
            shown.append(f"timer {effect.event} {effect.seconds:g} #{effect.generation}")
        elif isinstance(effect, Start):
            shown.append(f"start {effect.id} #{effect.generation} of {effect.owner}")
        elif isinstance(effect, Cancel):
            shown.append(f"cancel {effect.id} #{effect.generation}")
    return shown


def _effects(core: Core, at: Snapshot, kind: str) -> list[str]:
    return _names(core.feed(at, core.stamped(at, kind)).effects)


def test_entering_runs_the_row_then_the_parent_then_the_child() -> None:
    core = core_of(ORDER)
    step = core.feed(core.initial(Loan()), Event("go"))
    assert _names(step.effects) == [
        "x",
        "a",
        "timer after.outer.9 9 #1",
        "c",
        "start job #2 of outer.one",
    ]
    assert step.snapshot.state == "outer.one"
    assert step.path == ("outer.one",)
    assert step.snapshot.live == (("after.outer.9", 1), ("job", 2))


def test_leaving_runs_the_child_then_the_parent_then_the_row_then_the_target() -> None:
    core = core_of(ORDER)
    at = walk(core, "go")
    leaving = ["hide_card", "cancel job #2", "b", "cancel after.outer.9 #1", "z", "report"]
    assert _effects(core, at, "abort") == leaving


def test_a_parents_row_to_its_own_child_does_not_leave_the_parent() -> None:
    core = core_of(ORDER)
    at = walk(core, "go")
    assert _effects(core, at, "sub") == ["hide_card", "cancel job #2", "x", "show_card"]


def test_a_row_to_the_state_itself_leaves_and_enters_it() -> None:
    core = core_of(ORDER)
    at = walk(core, "go")
    again = ["hide_card", "cancel job #2", "x", "c", "start job #3 of outer.one"]
    assert _effects(core, at, "self") == again
    outer = ["a", "timer after.outer.9 9 #3", "c", "start job #4 of outer.one"]
    left = ["hide_card", "cancel job #2", "b", "cancel after.outer.9 #1", "x"]
    assert _effects(core, at, "up") == [*left, *outer]


def test_an_internal_row_runs_its_actions_and_leaves_nothing() -> None:
    core = core_of(ORDER)
    at = walk(core, "go")
    step = core.feed(at, Event("inside"))
    assert _names(step.effects) == ["x", "y"]
    assert step.snapshot == at
    assert step.path == ()


def test_an_event_without_a_row_is_ignored_and_changes_nothing() -> None:
    core = core_of(ORDER)
    at = walk(core, "go")
    for kind in ("go", "never_heard_of"):
        step = core.feed(at, Event(kind))
        assert (step.result, step.snapshot, step.effects, step.path) == ("ignored", at, (), ())


def test_the_end_is_the_end() -> None:
    core = core_of(ORDER)
    at = walk(core, "go", "abort")
    assert core.is_final(at)
    assert core.feed(at, Event("abort")).result == "ignored"
    assert at.live == ()


# -- generations


def test_an_answer_counts_once() -> None:
    core = core_of(ORDER)
    at = walk(core, "go")
    done = core.stamped(at, "done.invoke.job")
    first = core.feed(at, done)
    assert (first.result, _names(first.effects)) == ("handled", ["ring"])
    second = core.feed(first.snapshot, done)
    assert (second.result, second.snapshot) == ("stale", first.snapshot)


def test_a_late_answer_of_an_earlier_visit_is_stale() -> None:
    core = core_of(ORDER)
    at = walk(core, "go")
    late = core.stamped(at, "done.invoke.job")
    back = walk(core, "go", "sub", "go")
    assert core.feed(back, late).result == "stale"
    assert core.feed(back, core.stamped(back, "done.invoke.job")).result == "handled"


@pytest.mark.parametrize("generation", [None, 1, 3, 99])
def test_nobody_else_can_answer_for_a_service(generation: int | None) -> None:
    core = core_of(ORDER)
    at = walk(core, "go")
    assert core.feed(at, Event("done.invoke.job", generation=generation)).result == "stale"
    assert core.feed(at, Event("done.invoke.job", generation=2)).result == "handled"


def test_an_answer_that_no_row_takes_still_ends_its_service() -> None:
    # The lint refuses such a chart, so the row is taken out after loading.
    chart = chart_of(ORDER)
    one = chart.states["outer.one"]
    rows = tuple(row for row in one.rows if row.event != "done.invoke.job")
    deaf = chart._replace(states={**chart.states, one.path: one._replace(rows=rows)})
    core = Core(deaf, compile_table(deaf), BINDINGS)
    at = walk(core, "go")
    step = core.feed(at, core.stamped(at, "done.invoke.job"))
    assert (step.result, step.snapshot.live) == ("ignored", (("after.outer.9", 1),))


def test_a_timer_rings_for_its_own_visit_only() -> None:
    core = sample_core("loan")
    at = walk(core, "submit", ("done.invoke.plan", {"verdict": "act", "risk": "write"}))
    ring = core.stamped(at, "after.active.confirm.300")
    assert core.feed(at, ring).snapshot.state == "aborted"
    later = core.feed(at, Event("reject")).snapshot
    assert core.feed(later, ring).result == "stale"


# -- sessions


def test_a_session_starts_by_its_action_and_ends_with_its_owner() -> None:
    core = core_of(ORDER)
    at = walk(core, "go")
    assert "session" not in dict(at.live)
    running = walk(core, "go", "ask", "sub")
    assert dict(running.live)["session"] == 3
    assert "cancel session #3" in _effects(core, running, "abort")


def test_a_session_speaks_only_while_it_lives() -> None:
    core = core_of(ORDER)
    silent, running = walk(core, "go"), walk(core, "go", "ask")
    asked = Event("asked", generation=3)
    assert core.feed(running, asked).result == "handled"
    assert core.feed(running, core.stamped(running, "asked")).snapshot == running
    assert core.feed(silent, asked).result == "stale"
    assert core.feed(running, Event("asked")).result == "stale"
    stopped = core.feed(running, Event("bye")).snapshot
    assert core.feed(stopped, asked).result == "stale"
    over = core.feed(running, core.stamped(running, "done.invoke.session")).snapshot
    assert core.feed(over, asked).result == "stale"


def test_starting_a_running_session_ends_the_one_before() -> None:
    core = core_of(ORDER)
    at = walk(core, "go", "ask")
    assert _effects(core, at, "ask") == ["cancel session #3", "start session #4 of outer"]


def test_stopping_what_does_not_run_does_nothing() -> None:
    core = core_of(ORDER)
    assert _effects(core, walk(core, "go"), "bye") == []


# -- guards and eventless rows


def test_the_first_enabled_row_wins_and_every_verdict_is_kept() -> None:
    core = sample_core("loan")
    at = walk(core, "submit")
    payload = {"verdict": "act", "risk": "write", "mac": False}
    step = core.feed(at, core.stamped(at, "done.invoke.plan", payload))
    assert step.snapshot.state == "failed"
    assert step.verdicts == (("mac_denied", ALLOWED), ("is_done", refused("not_done")))
    payload["mac"] = True
    step = core.feed(at, core.stamped(at, "done.invoke.plan", payload))
    assert step.snapshot.state == "active.confirm"
    asked = [name for name, _ in step.verdicts]
    assert asked == ["mac_denied", "is_done", "is_stop", "tired", "risky"]


def test_the_childs_rows_come_before_the_parents() -> None:
    core = sample_core("loan")
    at = walk(core, "submit", ("done.invoke.plan", {"verdict": "act", "risk": "read"}))
    assert at.state == "active.executing.waiting"
    step = core.feed(at, Event("note", {"loud": True}))
    assert _names(step.effects) == ["start reader #5 of active"]


def test_eventless_rows_follow_until_none_is_enabled() -> None:
    core = sample_core("loan")
    at = walk(core, "submit", ("done.invoke.plan", {"verdict": "act", "risk": "read"}))
    step = core.feed(at, core.stamped(at, "done.invoke.send", {"ok": False}))
    assert step.path == ("active.observing", "active.resting")
    assert step.verdicts == (("ok", refused("not_ok")), ("tired", refused("fresh")))
    step = core.feed(at, core.stamped(at, "done.invoke.send", {"ok": True}))
    assert step.path == ("active.observing", "active.evaluate")


def test_a_negated_guard_says_which_guard_held() -> None:
    asked: list[tuple[str, object]] = []
    chart = chart_of(
        ORDER.replace("self: {target", "self: {guard: {not: {or: [ok, loud]}}, target")
    )
    core = Core(chart, compile_table(chart), BINDINGS)
    step = core.feed(walk(core, "go"), Event("self", {"loud": True}))
    asked += step.verdicts
    assert step.result == "ignored"
    assert asked == [("ok", refused("not_ok")), ("loud", ALLOWED)]


def test_eventless_rows_without_end_are_stopped() -> None:
    spin = ORDER.replace("two: {entry", "two: {always: {guard: fresh, target: outer.two}, entry")
    core = core_of(spin)
    with pytest.raises(ChartRuntimeError, match="took 100 rows"):
        core.feed(walk(core, "go"), Event("sub"))


# -- purity and faults


def test_feed_leaves_its_input_as_it_was() -> None:
    core = sample_core("loan")
    at = walk(core, "submit")
    before = copy.deepcopy(at)
    event = core.stamped(at, "done.invoke.plan", {"verdict": "act", "risk": "read"})
    assert core.feed(at, event) == core.feed(at, event)
    assert at == before


def test_two_tasks_on_one_core_do_not_see_each_other() -> None:
    core = sample_core("loan")
    one, two = core.initial(Loan()), core.initial(Loan(failures=1))
    one = core.feed(one, Event("submit")).snapshot
    two = core.feed(two, Event("submit")).snapshot
    one = core.feed(one, Event("abort")).snapshot
    assert (one.state, two.state) == ("aborted", "active.planning")
    assert two == core.feed(core.initial(Loan(failures=1)), Event("submit")).snapshot


def test_a_guard_that_raises_is_named() -> None:
    guards = {**BINDINGS.guards, "is_done": lambda c, e: e.payload["nothing"]}
    core = core_of(
        (ORDER).replace("self: {target", "self: {guard: is_done, target"),
        BINDINGS._replace(guards=guards),
    )
    at = walk(core, "go")
    with pytest.raises(ChartFaultError, match=r"guard is_done failed \(KeyError") as caught:
        core.feed(at, Event("self"))
    assert caught.value.name == "is_done"


@pytest.mark.parametrize("answer", [True, "yes", None, 1])
def test_a_guard_must_answer_with_a_verdict(answer: object) -> None:
    guards: dict[str, Any] = {**BINDINGS.guards, "ok": lambda c, e: answer}
    bindings = BINDINGS._replace(guards=guards)
    core = core_of(ORDER.replace("self: {target", "self: {guard: ok, target"), bindings)
    with pytest.raises(ChartFaultError, match="not a Verdict"):
        core.feed(walk(core, "go"), Event("self"))


def test_a_reducer_that_raises_is_named() -> None:
    reducers = {**BINDINGS.reducers, "count_step": lambda c, e: 1 / 0}
    core = core_of(
        ORDER.replace("actions: [x]}, abort", "actions: [count_step]}, abort"),
        BINDINGS._replace(reducers=reducers),
    )
    with pytest.raises(ChartFaultError, match=r"reducer count_step failed \(ZeroDivisionError"):
        core.feed(core.initial(Loan()), Event("go"))


def test_a_name_without_meaning_is_refused_before_the_first_step() -> None:
    chart = chart_of(ORDER.replace("self: {target", "self: {guard: ok, target"))
    with pytest.raises(ChartError, match="guard ok of the chart order is not bound"):
        Core(chart, compile_table(chart), CoreBindings())
    Core(chart, compile_table(chart), BINDINGS)

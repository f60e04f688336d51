"""The SCXML holds the whole chart, and python-statemachine does with it what our table does.

python-statemachine follows the W3C's algorithm. Guards are coins bound to the names in `cond`; all
events of a run are queued before the first is taken, and written delays are made long, so that
nothing depends on the clock. As for XState (test_xstate_oracle), stale events are not sent and
rows whose meaning differs are not taken.
"""

import contextlib
import io
import random
import re
import threading
from typing import Any, NamedTuple
from xml.etree import ElementTree as Xml

import pytest
from statemachine.io import load

from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.declaration import Chart
from engine.chart.errors import ChartRuntimeError
from engine.chart.export.scxml import OURS, SCXML, scxml
from statecharts import chart_names
from tests.engine.chart.coin_walk import TEXTS, did, loaded, loud, stays_above, toss
from tests.engine.chart.sample import chart_of, sample

RUNS = 20
RUN_EVENTS = 30
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


class Run(NamedTuple):
    """The events of one run and what it did: the actions and the states entered, in order."""

    events: tuple[str, ...]
    numbers: tuple[int, ...]
    actions: list[str]
    path: list[str]


class Coins:
    """The model of a machine: every guard of the chart by its name."""

    def __init__(self, guards: tuple[str, ...]) -> None:
        self._guards = guards
        self.number = -1

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._guards:
            raise AttributeError(name)

        # An eventless row has no event: it is asked about the last one.
        def guard(number: int | None = None) -> bool:
            return toss(name, self.number if number is None else number)

        return guard


class Script:
    """Sends every event as soon as the machine stands, and notes each leaf it enters."""

    def __init__(self, chart: Chart, run: Run) -> None:
        self._leaves = {leaf.path for leaf in chart.leaves()}
        self._run = run
        self.path: list[str] = []

    def on_enter_state(self, machine: Any, state: Any) -> None:
        if not self.path:
            for kind, number in zip(self._run.events, self._run.numbers, strict=True):
                machine.send(kind, number=number)
        if state.id in self._leaves:
            self.path.append(state.id)

    def before_transition(self, model: Coins, number: int | None = None) -> None:
        model.number = model.number if number is None else number


def _run(name: str, seed: int) -> Run:
    """Return a run of our table from the start to an end, or to RUN_EVENTS events and an abort."""
    chart, bindings = loaded(TEXTS[name])
    core = Core(loud(chart), compile_table(loud(chart)), bindings)
    dice = random.Random(seed)  # noqa: S311
    at = core.initial(None)
    run = Run((), (), [], [at.state])
    for number in range(seed * 1000, seed * 1000 + RUN_EVENTS):
        fitting = {row.event for state in chart.chain(at.state) for row in state.rows if row.event}
        kind = dice.choice(sorted(fitting - {"abort", "fault"} or fitting))
        if number % 1000 == RUN_EVENTS - 1:
            kind = "abort"
        if any(stays_above(chart, row, at.state) for row in chart.rows_for(at.state, kind)):
            continue
        try:
            step = core.feed(at, core.stamped(at, kind, {"number": number}))
        except ChartRuntimeError:
            continue
        if step.result == "stale":
            continue
        run = run._replace(events=(*run.events, kind), numbers=(*run.numbers, number))
        run.actions.extend(did(chart, step)["actions"])
        run.path.extend(step.path)
        at = step.snapshot
        if core.is_final(at):
            break
    return run


def _done_elsewhere(name: str, text: str, run: Run) -> tuple[list[str], list[str]]:
    """Return the actions and the states entered when python-statemachine runs *text*."""
    chart, bindings = loaded(TEXTS[name])
    script = Script(chart, run)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        load(text, format="scxml")(model=Coins(tuple(bindings.guards)), listeners=[script])
    return printed.getvalue().splitlines(), script.path


def _exported(name: str) -> str:
    return re.sub(r' delay="[^"]*"', ' delay="900s"', scxml(loaded(TEXTS[name])[0]))


@pytest.mark.parametrize("name", TEXTS)
def test_python_statemachine_does_what_the_table_does(name: str) -> None:
    events = 0
    for seed in range(1, RUNS + 1):
        run = _run(name, seed)
        assert _done_elsewhere(name, _exported(name), run) == (run.actions, run.path), run
        events += len(run.events)
    assert events > RUNS


def test_a_fault_in_the_export_is_a_difference() -> None:
    text = _exported("order")
    faulty = re.sub(r"<onexit>\s*<log label=\"hide_card\".*?</onexit>", "", text, flags=re.DOTALL)
    assert faulty != text
    runs = [_run("order", seed) for seed in range(1, RUNS + 1)]
    assert any(_done_elsewhere("order", faulty, run) != (run.actions, run.path) for run in runs)


def test_an_auditor_steps_the_task_chart_in_python_statemachine() -> None:
    before = set(threading.enumerate())
    with contextlib.redirect_stdout(io.StringIO()):
        machine = load(scxml(loaded(TEXTS["task"])[0]), format="scxml")()
        assert set(machine.configuration_values) == {"idle"}
        machine.send("submit_task")
        # It knows no service of ours: its thread for the invoke says so and ends.
        for thread in set(threading.enumerate()) - before:
            thread.join(10)
        assert set(machine.configuration_values) == {"active", "active.planning"}
        machine.send("abort")
        assert set(machine.configuration_values) == {"aborted"}


@pytest.mark.parametrize("name", chart_names())
def test_no_event_is_the_beginning_of_another(name: str) -> None:
    # SCXML would take `a.b` for the rows of `a` too, we do not.
    events = {row.event for row in loaded(TEXTS[name])[0].rows() if row.event}
    assert [(a, b) for a in events for b in events if b.startswith(f"{a}.")] == []


@pytest.mark.parametrize("name", TEXTS)
def test_every_row_is_a_transition_in_the_order_of_the_file(name: str) -> None:
    chart = loaded(TEXTS[name])[0]
    told = [
        (state.get("id"), row.get("event", ""), row.get("target"), row.get("cond"), _labels(row))
        for state in _parsed(scxml(chart)).iter()
        for row in state.findall(_tag("transition"))
    ]
    assert told == [
        (
            row.source,
            row.event,
            row.target,
            row.guard.text() if row.guard else None,
            [action.text() for action in row.actions],
        )
        for row in chart.rows()
    ]


def test_a_state_tells_what_it_starts_times_and_does() -> None:
    root = _parsed(scxml(sample("loan")))
    states = {state.get("id"): state for state in root.iter(_tag("state"))}
    confirm, active = states["active.confirm"], states["active"]
    assert [_labels(block) for block in confirm.findall(_tag("onentry"))] == [["show_card"], []]
    assert [send.attrib for send in confirm.iter(_tag("send"))] == [
        {"id": "after.active.confirm.300", "event": "after.active.confirm.300", "delay": "300s"}
    ]
    assert [c.get("sendid") for c in confirm.iter(_tag("cancel"))] == ["after.active.confirm.300"]
    named = next(active.iter(_tag("send")))
    assert (named.get("delay"), named.get("delayexpr")) == (None, "task_time")
    spawn = active.find(f"{{{OURS}}}spawn")
    assert spawn is not None
    assert (spawn.get("id"), spawn.get("emits")) == ("reader", "asked")
    invoke = states["active.planning"].find(_tag("invoke"))
    assert invoke is not None
    assert invoke.attrib == {"id": "plan", "type": f"{OURS}:service:make_plan"}
    assert [final.get("id") for final in root.iter(_tag("final"))] == [
        "completed",
        "failed",
        "aborted",
    ]


def test_our_own_facts_stand_in_our_own_namespace_and_in_both_languages() -> None:
    root = _parsed(scxml(sample("loan")))
    texts = {each.get(LANGUAGE): each.text for each in root.findall(f"{{{OURS}}}description")}
    assert texts == {"en": "A book is lent", "zh-CN": "借出一本书"}
    assert root.get(f"{{{OURS}}}sha256") == sample("loan").sha256
    asked = next(row for row in root.iter(_tag("transition")) if row.get("event") == "asked")
    assert asked.get(f"{{{OURS}}}only-from") == "reader"
    kinds = {log.get("label"): log.get(f"{{{OURS}}}kind") for log in root.iter(_tag("log"))}
    assert (kinds["take_risk"], kinds["show_card"], kinds["spawn reader"]) == (
        "reduce",
        "do",
        "spawn",
    )


def test_the_file_says_how_to_read_a_condition() -> None:
    assert "datamodel=null a processor cannot evaluate it" in scxml(sample("loan"))
    assert "守卫名" in scxml(sample("loan"), "zh-CN")


def test_nothing_in_a_description_breaks_the_file() -> None:
    text = (
        'id: odd\nversion: 1\ndescription: {en: "a -- <b> & \\"c\\" \\x01 ]]>", zh-CN: "甲\\n乙"}\n'
    )
    text += "initial: one\nevents: {abort: {}}\nstates:\n"
    text += (
        '  one: {on: {abort: {target: two, description: "<\\"\\x02\'>"}}}\n  two: {type: final}\n'
    )
    root = _parsed(scxml(chart_of(text)))
    texts = [each.text for each in root.findall(f"{{{OURS}}}description")]
    assert texts == ['a -- <b> & "c" \ufffd ]]>', "甲\n乙"]
    row = next(root.iter(_tag("transition")))
    assert row.get(f"{{{OURS}}}description-en") == "<\"\ufffd'>"


def _tag(name: str) -> str:
    return f"{{{SCXML}}}{name}"


def _labels(block: Xml.Element) -> list[str | None]:
    return [log.get("label") for log in block.findall(_tag("log"))]


def _parsed(text: str) -> Xml.Element:
    return Xml.fromstring(text)  # noqa: S314 - our own text

"""An invoke may speak before it ends: declared, checked at load, heard in its state, and drawn."""

import json
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.errors import ChartError, Problem
from engine.chart.export.dot import dot
from engine.chart.export.mermaid import mermaid
from engine.chart.export.outline import outline
from engine.chart.export.scxml import OURS, SCXML, scxml
from engine.chart.export.svg import svg
from engine.chart.export.xstate import xstate
from engine.chart.load import problems_of
from engine.chart.reference import ReferenceCore
from engine.chart.shell import Emit
from engine.chart.step import Snapshot
from sgclaw.charts import task_chart
from states.events import Event
from tests.engine.chart.errand import Errand, at_once
from tests.engine.chart.sample import BINDINGS, NAMES, Loan, chart_of, core_of

TALKING = """
id: talking
version: 1
initial: idle
events:
  submit: {}
  approve: {}
  abort: {}
  fault: {}
  told: {risk: [read, write]}
  hummed: {}
states:
  idle:
    on: {submit: active, abort: aborted}
  active:
    initial: sending
    after: {60: failed}
    on: {abort: aborted, fault: failed}
    states:
      sending:
        invoke: {id: job, src: send_command, emits: [told], onDone: active.working, onError: failed}
        on:
          told: {actions: [take_risk, ring]}
          approve: active.working
      working:
        invoke: {id: job, src: work, emits: [hummed], onDone: completed, onError: failed}
        on: {hummed: {actions: [tidy]}}
  completed: {type: final, entry: report}
  failed: {type: final, entry: report}
  aborted: {type: final, entry: report}
"""


def problems(text: str) -> tuple[Problem, ...]:
    return problems_of(text, source="talking.yaml", names=NAMES)


def test_the_chart_loads() -> None:
    assert problems(TALKING) == ()
    sending = chart_of(TALKING).states["active.sending"]
    assert [service.emits for service in sending.invokes] == [("told",)]


@pytest.mark.parametrize(
    ("emits", "code"),
    [("[told, unheard]", "chart_unknown_event"),
     ("[told, hummed]", "chart_emit_unhandled"),
     ("[told, submit]", "chart_emit_unhandled"),
     ("[told, done.invoke.job]", "chart_emit_reserved"),
     ("[told, error.invoke.job]", "chart_emit_reserved"),
     ("[told, 7]", "chart_wrong_type"),
     ("[told, {a: b}]", "chart_wrong_type")],
)  # fmt: skip
def test_what_an_invoke_may_not_send_is_refused_on_its_line(emits: str, code: str) -> None:
    changed = TALKING.replace("emits: [told]", f"emits: {emits}", 1)
    line = next(n for n, text in enumerate(changed.splitlines(), 1) if emits in text)
    found = {problem.code: problem.line for problem in problems(changed)}
    assert found.get(code) == line, found


def test_an_event_that_only_an_invoke_sends_needs_a_row_in_its_state() -> None:
    deaf = TALKING.replace("          told: {actions: [take_risk, ring]}\n", "")
    assert "chart_emit_unhandled" in {problem.code for problem in problems(deaf)}


TOLD = {"risk": "write"}


async def test_what_an_invoke_says_is_folded_and_its_state_is_not_left() -> None:
    async def send(_: Any, emit: Emit) -> Mapping[str, Any]:
        emit("told", TOLD)
        emit("told", TOLD)
        return {}

    errand = Errand({"send_command": send, "work": at_once}, core=core_of(TALKING))
    assert await errand.run("submit") == "completed"
    assert errand.did("do").count("ring") == 2
    told = [entry for entry in errand.diary.entries if entry.event.type == "told"]
    assert [(entry.result, entry.state, entry.path) for entry in told] == [
        ("handled", "active.sending", ())
    ] * 2
    # It was journaled before the end of the service that said it, and started that once.
    assert errand.did("start") == ["send_command", "work"]
    assert errand.shell.snapshot.context.risk == "write"


async def test_what_it_did_not_declare_ends_the_service() -> None:
    async def send(_: Any, emit: Emit) -> Mapping[str, Any]:
        emit("approve", {})
        return {}

    errand = Errand({"send_command": send, "work": at_once}, core=core_of(TALKING))
    assert await errand.run("submit") == "failed"
    [error] = [e.event.payload for e in errand.diary.entries if e.event.type == "error.invoke.job"]
    assert error["error"] == "chart_emit_undeclared"


async def test_one_id_in_two_states_may_say_what_each_declares() -> None:
    async def send(_: Any, emit: Emit) -> Mapping[str, Any]:
        emit("told", TOLD)
        return {}

    async def work(_: Any, emit: Emit) -> Mapping[str, Any]:
        emit("hummed", {})
        return {}

    errand = Errand({"send_command": send, "work": work}, core=core_of(TALKING))
    assert await errand.run("submit") == "completed"
    assert [name for name in errand.did("do") if name in ("ring", "tidy")] == ["ring", "tidy"]


def test_what_a_service_says_after_its_state_was_left_is_stale_in_both_engines() -> None:
    chart = chart_of(TALKING)
    core = Core(chart, compile_table(chart), BINDINGS)
    reference = ReferenceCore(chart, BINDINGS)
    snapshot = core.feed(core.initial(Loan()), Event("submit")).snapshot
    generation = dict(snapshot.live)["job"]

    def results(event: Event, at: Snapshot) -> tuple[str, str]:
        return core.feed(at, event).result, reference.feed(at, event).result

    told = Event("told", TOLD, generation)
    assert results(told, snapshot) == ("handled", "handled")
    # Nobody but the service may say it.
    assert results(Event("told", TOLD), snapshot) == ("stale", "stale")
    assert results(Event("told", TOLD, generation + 7), snapshot) == ("stale", "stale")
    left = core.feed(snapshot, Event("approve")).snapshot
    assert results(told, left) == ("stale", "stale")


@pytest.mark.parametrize("drawn", [dot, mermaid, outline, svg])
def test_the_pictures_say_what_an_invoke_sends(drawn: Any) -> None:
    silent = chart_of(TALKING.replace("emits: [told], ", ""))
    quiet, text = (drawn(chart) for chart in (silent, chart_of(TALKING)))
    if drawn is outline:  # it shows rows: the one that the invoke's event takes
        assert "told" in text
    else:
        assert "emits told" in text
        assert "emits told" not in quiet


def test_the_exports_say_what_an_invoke_sends() -> None:
    sending = json.loads(xstate(chart_of(TALKING)))["states"]["active"]["states"]["sending"]
    assert sending["meta"]["emits"] == {"job": ["told"]}
    assert "emits" not in sending["invoke"][0]
    root = Xml.fromstring(scxml(chart_of(TALKING)))  # noqa: S314 - our own text
    states = {state.get("id"): state for state in root.iter(f"{{{SCXML}}}state")}
    invoke = states["active.sending"].find(f"{{{SCXML}}}invoke")
    assert invoke is not None
    assert invoke.get(f"{{{OURS}}}emits") == "told"
    [row] = [t for t in states["active.sending"].iter(f"{{{SCXML}}}transition")
             if t.get("event") == "told"]  # fmt: skip
    assert row.get(f"{{{OURS}}}only-from") == "job"


def test_the_task_chart_hears_of_failed_tries_where_a_model_is_asked() -> None:
    chart = task_chart()
    speaking = {path for path, state in chart.states.items()
                if any("model_tried" in s.emits for s in state.invokes)}  # fmt: skip
    assert speaking == {"active.planning", "active.executing.thinking"}
    for path in speaking:
        [row] = chart.rows_for(path, "model_tried")
        assert (row.target, [action.name for action in row.actions]) == (None, ["take_try"])


def test_a_service_whose_emits_are_no_list_of_names_is_refused() -> None:
    with pytest.raises(ChartError):
        chart_of(TALKING.replace("emits: [told]", "emits: {told: 1}", 1))

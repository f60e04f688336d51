"""The XState JSON says what the chart says, in the words of version 5.

That `createMachine` takes it without a warning and steps as we do is held in test_xstate_oracle.
"""

import json
from typing import Any

import pytest

from engine.chart.declaration import ALWAYS
from engine.chart.export.xstate import xstate, xstate_event
from tests.engine.chart.coin_walk import TEXTS, loaded
from tests.engine.chart.sample import sample


def _machine(name: str) -> Any:
    return json.loads(xstate(sample(name)))


def _active(name: str) -> Any:
    return _machine(name)["states"]["active"]


def test_alternatives_are_an_array_in_the_order_of_the_file() -> None:
    done = _active("loan")["states"]["planning"]["invoke"][0]["onDone"]
    assert [row.get("guard") for row in done] == [
        "mac_denied and not is_done",
        "is_done",
        "is_stop or tired",
        "risky",
        None,
    ]
    assert done[3] == {
        "guard": "risky",
        "target": "#loan.active.confirm",
        "actions": [{"type": "take_risk"}],
    }


def test_a_compound_guard_has_a_name_and_its_tree_stands_in_the_meta() -> None:
    guards = _machine("loan")["meta"]["guards"]
    assert guards["mac_denied and not is_done"] == {"and": ["mac_denied", {"not": "is_done"}]}
    assert guards["risky and (is_next or is_retry)"] == {
        "and": ["risky", {"or": ["is_next", "is_retry"]}]
    }
    assert "is_done" not in guards


def test_what_services_and_timers_send_is_spelled_as_xstate_sends_it() -> None:
    chart = sample("loan")
    assert xstate_event(chart, "done.invoke.plan") == "xstate.done.actor.plan"
    assert xstate_event(chart, "error.invoke.reader") == "xstate.error.actor.reader"
    assert xstate_event(chart, "after.active.task_time") == "xstate.after.task_time.loan.active"
    half_a_second = "after.active.executing.dispatch.0.5"
    assert xstate_event(chart, half_a_second) == "xstate.after.500.loan.active.executing.dispatch"
    assert xstate_event(chart, "approve") == "approve"
    assert set(_active("loan")["on"]) == {
        *("abort", "fault", "asked", "stop_reader"),
        *("xstate.done.actor.reader", "xstate.error.actor.reader"),
    }


def test_timers_and_eventless_rows_have_their_own_keys() -> None:
    states = _active("loan")["states"]
    dispatch = states["executing"]["states"]["dispatch"]
    assert dispatch["after"] == {"500": [{"target": "#loan.active.executing.waiting"}]}
    assert [row["guard"] for row in dispatch["always"]] == ["tired", "fresh"]
    assert _active("loan")["after"] == {
        "task_time": [{"target": "#loan.failed", "actions": [{"type": "note_timeout"}]}]
    }
    # An internal row: actions, no target.
    assert states["resting"]["after"]["rest_time"] == [{"actions": [{"type": "ring"}]}]


def test_only_a_row_to_its_own_state_re_enters() -> None:
    on = _machine("order")["states"]["outer"]["on"]
    assert on["up"][0]["reenter"] is True
    assert "reenter" not in on["sub"][0]


def test_a_session_is_declared_and_started_and_stopped_by_actions() -> None:
    active = _active("loan")
    assert active["meta"]["spawn"] == [{"id": "reader", "src": "read_aloud", "emits": ["asked"]}]
    note = active["states"]["executing"]["on"]["note"][0]["actions"]
    assert note == [{"type": "sgclaw.spawn", "params": {"id": "reader", "src": "read_aloud"}}]
    stop = active["on"]["stop_reader"][0]["actions"]
    assert stop[0] == {"type": "sgclaw.stop", "params": {"id": "reader"}}


def test_descriptions_are_in_the_readers_language_and_in_both_in_the_meta() -> None:
    chart = sample("loan")
    assert json.loads(xstate(chart))["description"] == "A book is lent"
    told = json.loads(xstate(chart, "zh-CN"))
    assert told["description"] == "借出一本书"
    assert told["meta"]["description"] == {"en": "A book is lent", "zh-CN": "借出一本书"}
    assert told["states"]["active"]["description"] == "任务进行中"
    note = told["states"]["active"]["states"]["confirm"]["on"]["note"][0]
    assert note["description"] == "heard"


@pytest.mark.parametrize("name", TEXTS)
def test_no_row_and_no_state_is_lost(name: str) -> None:
    chart = loaded(TEXTS[name])[0]
    nodes = {"": json.loads(xstate(chart))}
    for path, state in chart.states.items():
        nodes[path] = node = nodes[state.parent]["states"][path.rpartition(".")[2]]
        rows = [*node.get("always", [])]
        for key in ("on", "after"):
            rows += [row for listed in node.get(key, {}).values() for row in listed]
        for invoke in node.get("invoke", []):
            rows += [*invoke.get("onDone", []), *invoke.get("onError", [])]
        assert len(rows) == len(state.rows)
        assert len(node.get("always", [])) == len(state.alternatives(ALWAYS))
        assert (node.get("type") == "final") is state.final

"""The facts of a row say what an auditor looks for, and come from the row alone, whatever it is."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts import CHARS_MAX, OUTCOMES, VERDICTS, Facts, facts_of

GOLDEN = Path(__file__).parents[1] / "golden" / "0.1.0"
PAGE = {"origin": "https://erp.example.com:8443"}
CLICK = {"tool": "browser_action", "action": "click", "expected_domain": "erp.example.com"}
SKILL = {"tool": "run_skill", "action": "", "params": {"name": "erp-monthly-report"}}
OK, NO = {"allowed": True}, {"allowed": False}
ALLOWED = [{"guard": "policy_allows", **OK}, {"guard": "person_not_needed", **OK}]
DENIED = [{"guard": "policy_allows", **NO}]
ASKS = [{"guard": "policy_allows", **OK}, {"guard": "person_not_needed", **NO}]
TEXTS = st.text(st.characters(codec=None), max_size=300)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def golden(name: str) -> list[dict[str, Any]]:
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def row(event: str, payload: dict[str, Any] | None = None, **changed: Any) -> dict[str, Any]:
    whole = {
        "at": "2026-11-30T08:00:00.000+00:00", "kind": "event", "state": "active.observing",
        "path": ["active.observing"], "verdicts": [],
        "event": {"type": event, "payload": payload or {}, "generation": None},
    }  # fmt: skip
    return {**whole, **changed}


def test_a_run_with_an_approval_is_told_by_its_facts() -> None:
    told = [(f.event, f.action, f.verdict, f.outcome) for f in map(facts_of, golden("approved"))]
    assert told[1:8] == [
        ("done.invoke.plan", "getText", "allowed", ""),
        ("done.invoke.act", "getText", "", "ok"),
        ("done.invoke.observe", "", "", ""),
        ("done.invoke.think", "click", "allowed", ""),
        ("done.invoke.act", "click", "confirm", ""),
        ("done.invoke.ask", "click", "approved", ""),
        ("done.invoke.act", "click", "", "ok"),
    ]
    assert told[-1] == ("done.invoke.think", "", "", "completed")


def test_a_run_that_a_person_refused_is_told_by_its_facts() -> None:
    told = [(f.verdict, f.outcome) for f in map(facts_of, golden("refused"))]
    assert told == [
        ("", ""), ("allowed", ""), ("confirm", ""), ("rejected", "refused"), ("", ""),
        ("", "failed"),
    ]  # fmt: skip


def test_a_command_that_a_kill_took_is_of_unknown_outcome() -> None:
    [lost] = [f for f in map(facts_of, golden("resumed")) if f.event == "resumed"]
    assert (lost.action, lost.outcome) == ("click", "unknown")
    read = row("resumed", {"lost": "read", "record": {}})
    assert facts_of(read).outcome == ""


@pytest.mark.parametrize("end", ["done", "error"])
@pytest.mark.parametrize(
    ("service", "stream"),
    [("plan", "model"), ("think", "model"), ("act", "operation"), ("observe", "operation"),
     ("ask", "operation"), ("skill", "operation")],
)  # fmt: skip
def test_what_a_model_said_is_a_stream_of_its_own(end: str, service: str, stream: str) -> None:
    assert facts_of(row(f"{end}.invoke.{service}")).stream == stream
    assert facts_of(row("submit_task")).stream == "operation"


@pytest.mark.parametrize(
    ("verdicts", "verdict", "outcome"),
    [(ALLOWED, "allowed", ""), (DENIED, "denied", "refused"), (ASKS, "confirm", ""), ([], "", ""),
     ([{"guard": "budget_left", **NO}], "", "")],
)  # fmt: skip
def test_the_policys_guards_give_the_verdict(
    verdicts: list[Any], verdict: str, outcome: str
) -> None:
    for event in ("done.invoke.think", "done.invoke.plan", "skill_asked"):
        facts = facts_of(row(event, {"record": {"request": CLICK}}, verdicts=verdicts))
        assert facts[5:] == ("click", "erp.example.com", verdict, "", outcome)


@pytest.mark.parametrize(
    ("event", "payload", "verdict", "outcome"),
    [
        ("done.invoke.act", {"outcome": "confirmation", "asked": "new"}, "confirm", ""),
        ("done.invoke.act", {"outcome": "confirmation", "asked": "rejected"}, "denied", "refused"),
        ("done.invoke.act", {"outcome": "ok"}, "", "ok"),
        ("done.invoke.act", {"outcome": "failed"}, "", "failed"),
        ("error.invoke.act", {"error": "no_response"}, "", "unknown"),
        ("done.invoke.ask", {"decision": "approved"}, "approved", ""),
        ("done.invoke.ask", {"decision": "rejected"}, "rejected", "refused"),
        ("done.invoke.ask", {"decision": "expired"}, "expired", ""),
        ("done.invoke.ask", {"decision": "unresolved"}, "", ""),
        ("after.active.confirm.approval_seconds", {}, "expired", ""),
        ("done.invoke.skill", {"outcome": "ok"}, "", "ok"),
        ("done.invoke.skill", {"outcome": "failed"}, "", "failed"),
        ("error.invoke.skill", {"error": "skill_failed"}, "", "failed"),
        ("done.invoke.observe", {"outcome": "failed"}, "", ""),
    ],
)  # fmt: skip
def test_each_answer_has_its_verdict_and_outcome(
    event: str, payload: dict[str, Any], verdict: str, outcome: str
) -> None:
    facts = facts_of(row(event, payload))
    assert (facts.verdict, facts.outcome) == (verdict, outcome)


@pytest.mark.parametrize(
    ("error", "verdict", "outcome"),
    [("domain_mismatch", "denied", "refused"), ("host_not_in_policy", "denied", "refused"),
     ("unknown_outcome", "", "unknown"), ("element_not_found", "", "failed")],
)  # fmt: skip
def test_the_hosts_refusal_is_no_failure_of_the_page(
    error: str, verdict: str, outcome: str
) -> None:
    payload = {"outcome": "failed", "record": {"result": {"error": error}, "page": PAGE}}
    facts = facts_of(row("done.invoke.act", payload))
    assert (facts.domain, facts.verdict, facts.outcome) == (
        "erp.example.com:8443", verdict, outcome
    )  # fmt: skip


@pytest.mark.parametrize("state", ["completed", "failed", "aborted"])
def test_a_task_ends_once_with_the_row_that_enters_its_final_state(state: str) -> None:
    end = row("done.invoke.think", state=state, path=["active.evaluate", state])
    late = row("done.invoke.act", {"outcome": "ok"}, state=state, path=[], result="stale")
    assert facts_of(end).outcome == state
    assert facts_of(late).outcome == "ok"


def test_a_skills_call_has_its_name_and_an_answer_what_is_noted_beside_it() -> None:
    started = facts_of(row("done.invoke.plan", {"record": {"request": SKILL}}))
    assert (started.action, started.skill) == ("run_skill", "erp-monthly-report")
    call = {"action": "click", "domain": "erp.example.com", "skill": "erp-monthly-report"}
    answered = facts_of(row("done.invoke.act", {"outcome": "failed"}, call=call))
    assert answered[5:] == ("click", "erp.example.com", "", "erp-monthly-report", "failed")


def test_no_fact_can_move_a_terminal_or_grow_without_end() -> None:
    asked = {"action": "a\x1b[2J\u202e\ud800" + "b" * 1_000, "expected_domain": "\x00" * 300}
    facts = facts_of(row("skill_asked", {"record": {"request": asked}}))
    assert facts.action == "a\ufffd[2J\ufffd\ufffd" + "b" * 193
    assert facts.domain == "\ufffd" * CHARS_MAX


@given(st.dictionaries(TEXTS, JSON, max_size=4))
def test_any_object_has_facts(document: dict[str, Any]) -> None:
    assert_plain(facts_of(document))


@given(
    st.sampled_from([row for name in ("approved", "refused", "resumed") for row in golden(name)]),
    st.lists(st.integers(0, 9), max_size=5),
    JSON,
)
def test_a_row_with_anything_in_any_place_has_facts(
    whole: dict[str, Any], way: list[int], value: Any
) -> None:
    changed = json.loads(json.dumps(whole))
    inside: Any = changed
    for step in way:
        places = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        if not places:
            break
        place = places[step % len(places)]
        if not isinstance(inside[place], dict | list) or step == way[-1]:
            inside[place] = value
            break
        inside = inside[place]
    assert_plain(facts_of(changed))
    assert facts_of(json.loads(json.dumps(changed))) == facts_of(changed)


def assert_plain(facts: Facts) -> None:
    assert facts.stream in ("model", "operation")
    assert facts.verdict in ("", *VERDICTS)
    assert facts.outcome in ("", *OUTCOMES)
    for fact in facts:
        assert len(fact) <= CHARS_MAX
        fact.encode()
        assert not any(char < " " or "\x7f" <= char < "\xa0" for char in fact)

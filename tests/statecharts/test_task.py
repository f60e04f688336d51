"""The task chart, walked with the real guards and reducers: every road of the design is there."""

from typing import Any

import pytest

from engine.chart.compile import compile_table
from engine.chart.core import Core, CoreBindings, Snapshot, Step
from engine.chart.step import Start
from sgclaw.charts import task_chart
from sgclaw.wiring import GUARDS, REDUCERS, delays_of
from states.events import Event
from states.settings import Settings
from states.task import CONTROL_DOMAINS, Context, Control

CHART = task_chart()
CORE = Core(
    CHART,
    compile_table(CHART),
    CoreBindings(guards=GUARDS, reducers=REDUCERS, delays=delays_of(Settings())),
)
TURN = {"turn": {"text": "t"}}
CALL = {"reply": "call", "effect": "act", "claims": False, "record": TURN}
CONFIRM = {**CALL, "effect": "confirm"}
DENY = {**CALL, "effect": "deny"}
TEXT = {"reply": "text", "effect": "read", "claims": True, "record": TURN}
INVALID = {"reply": "invalid", "effect": "read", "claims": False, "record": TURN}
SKILL = {"reply": "skill", "effect": "act", "claims": False, "record": TURN}
RESULT = {"result": {"success": True}, "page": {}}
OK = {"outcome": "ok", "asked": "new", "record": RESULT}
FAILED = {"outcome": "failed", "asked": "new", "record": {"result": {"success": False}, "page": {}}}
ASKS = {"outcome": "confirmation", "asked": "new", "record": {"digest": "d"}}
SEEN = {"outcome": "ok", "repeats": 0, "same_failures": 0, "steps": "left", "record": {}}
SAW_FAILURE = {**SEEN, "outcome": "failed", "same_failures": 1}
YES = {"decision": "approved", "record": {"digest": "d", "approved_by": "x"}}
NO = {"decision": "rejected", "record": {"digest": "d"}}


class Walk:
    """One chart instance; `do("plan", payload)` is the answer of the live service plan."""

    def __init__(self, **control: Any) -> None:
        self.snapshot: Snapshot = CORE.initial(Context(Control(**control)))
        self.last: Step | None = None
        self.send("submit_task", {"record": {"instruction": "x"}})

    @property
    def state(self) -> str:
        return self.snapshot.state.removeprefix("active.")

    @property
    def started(self) -> list[str]:
        assert self.last is not None
        return [effect.id for effect in self.last.effects if isinstance(effect, Start)]

    def send(self, name: str, payload: dict[str, Any] | None = None, by: str = "") -> str:
        live = dict(self.snapshot.live)
        generation = live.get(by) if by else None
        self.last = CORE.feed(self.snapshot, Event(name, payload or {}, generation))
        self.snapshot = self.last.snapshot
        return self.state

    def done(self, service: str, payload: dict[str, Any]) -> str:
        return self.send(f"done.invoke.{service}", payload, by=service)

    def step(self, seen: dict[str, Any] = SEEN) -> str:
        """Take one successful model step from thinking or planning to the next thinking."""
        self.done("plan" if self.state == "planning" else "think", CALL)
        self.done("act", OK)
        return self.done("observe", seen)


def test_a_step_goes_the_whole_round() -> None:
    walk = Walk()
    assert walk.state == "planning"
    assert walk.done("plan", CALL) == "executing.waiting"
    assert walk.started == ["act"]
    assert walk.done("act", OK) == "observing"
    assert walk.done("observe", SEEN) == "executing.thinking"
    assert walk.done("think", TEXT) == "completed"


def test_a_denied_call_is_an_observation_and_nothing_is_sent() -> None:
    walk = Walk()
    assert walk.done("plan", DENY) == "observing"
    assert "act" not in walk.started


def test_a_risky_call_waits_for_a_person_and_then_goes_once() -> None:
    walk = Walk()
    assert walk.done("plan", CONFIRM) == "confirm"
    assert "act" not in walk.started
    assert walk.done("ask", YES) == "executing.waiting"
    assert walk.started == ["act"]
    assert walk.send("done.invoke.ask", YES) == "executing.waiting"


@pytest.mark.parametrize("decision", ["rejected", "", "maybe"])
def test_anything_but_a_yes_sends_nothing(decision: str) -> None:
    walk = Walk()
    walk.done("plan", CONFIRM)
    assert walk.done("ask", {**NO, "decision": decision}) == "executing.thinking"
    assert "act" not in walk.started


def test_an_expired_question_fails_the_task() -> None:
    walk = Walk()
    walk.done("plan", CONFIRM)
    assert walk.done("ask", {"decision": "expired", "record": {}}) == "failed"
    assert walk.snapshot.context.record.reason == "approval_expired"


def test_the_charts_own_timer_ends_a_question_too() -> None:
    walk = Walk()
    walk.done("plan", CONFIRM)
    name = "after.active.confirm.approval_seconds"
    assert walk.send(name, by=name) == "failed"
    assert walk.snapshot.context.record.reason == "approval_expired"


def test_the_host_may_ask_although_the_agent_would_not() -> None:
    walk = Walk()
    walk.done("plan", CALL)
    assert walk.done("act", ASKS) == "confirm"
    assert walk.done("ask", YES) == "executing.waiting"


def test_a_digest_that_was_rejected_is_observed_instead_of_asked() -> None:
    walk = Walk()
    walk.done("plan", CALL)
    assert walk.done("act", {**ASKS, "asked": "rejected"}) == "observing"


def test_invalid_output_is_repaired_twice() -> None:
    walk = Walk()
    assert walk.done("plan", INVALID) == "executing.thinking"
    assert walk.done("think", INVALID) == "executing.thinking"
    assert walk.done("think", INVALID) == "failed"
    assert walk.snapshot.context.record.reason == "invalid_output"


def test_a_valid_reply_resets_the_repairs() -> None:
    walk = Walk()
    walk.done("plan", INVALID)
    walk.done("think", INVALID)
    walk.step()
    assert walk.done("think", INVALID) == "executing.thinking"


def test_a_claim_without_a_deed_is_told_once_and_then_fails() -> None:
    walk = Walk()
    assert walk.done("plan", TEXT) == "executing.thinking"
    assert walk.done("think", TEXT) == "failed"
    assert walk.snapshot.context.record.reason == "no_evidence"


def test_a_plain_answer_completes_at_once() -> None:
    assert Walk().done("plan", {**TEXT, "claims": False}) == "completed"


def test_an_answer_after_a_failure_does_not_complete() -> None:
    walk = Walk()
    walk.done("plan", CALL)
    walk.done("act", FAILED)
    walk.done("observe", SAW_FAILURE)
    assert walk.done("think", {**TEXT, "claims": False}) == "executing.thinking"


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        ({**SEEN, "repeats": 4}, "loop"),
        ({**SAW_FAILURE, "same_failures": 4}, "breaker_open"),
    ],
)
def test_the_critic_ends_the_task_with_its_reason(seen: dict[str, Any], reason: str) -> None:
    walk = Walk()
    assert walk.step(seen) == "failed"
    assert walk.snapshot.context.record.reason == reason
    assert Walk().step() == "executing.thinking"


def test_five_failures_in_a_row_open_the_breaker() -> None:
    walk = Walk()
    for _ in range(4):
        assert walk.step(SAW_FAILURE) == "executing.thinking"
    assert walk.step(SAW_FAILURE) == "failed"


def test_a_skills_calls_take_the_same_road() -> None:
    walk = Walk()
    assert walk.done("plan", SKILL) == "executing.waiting"
    assert walk.started == ["skill"]
    assert walk.send("skill_asked", {"effect": "act", "record": {}}, by="skill") == (
        "executing.waiting"
    )
    assert walk.started == ["act"]
    walk.done("act", OK)
    assert walk.done("observe", SEEN) == "executing.waiting"
    assert walk.done("skill", {"outcome": "ok", "record": RESULT}) == "observing"
    assert walk.done("observe", SEEN) == "executing.thinking"


def test_a_rejection_inside_a_skill_ends_the_skill() -> None:
    walk = Walk()
    walk.done("plan", SKILL)
    assert walk.send("skill_asked", {"effect": "confirm", "record": {}}, by="skill") == "confirm"
    walk.done("ask", NO)
    assert "skill" not in dict(walk.snapshot.live)
    assert walk.snapshot.context.control.skill == "idle"
    assert walk.state == "executing.thinking"


def test_a_call_of_a_skill_that_was_ended_is_stale() -> None:
    walk = Walk()
    walk.done("plan", SKILL)
    generation = dict(walk.snapshot.live)["skill"]
    walk.send("skill_asked", {"effect": "confirm", "record": {}}, by="skill")
    walk.done("ask", NO)
    late = Event("skill_asked", {"effect": "act", "record": {}}, generation)
    assert CORE.feed(walk.snapshot, late).result == "stale"


def test_step_mode_asks_after_each_step() -> None:
    walk = Walk(step_mode=True)
    walk.done("plan", CALL)
    walk.done("act", OK)
    assert walk.done("observe", SEEN) == "confirm"
    assert walk.done("ask", YES) == "executing.thinking"
    assert "act" not in walk.started


def test_a_question_about_a_step_that_cannot_be_put_fails_the_task() -> None:
    walk = Walk(step_mode=True)
    walk.done("plan", CALL)
    walk.done("act", OK)
    walk.done("observe", SEEN)
    assert walk.done("ask", {"decision": "unresolved", "record": {}}) == "failed"
    assert walk.snapshot.context.record.reason == "ask_failed"


def test_a_call_whose_target_is_not_found_is_observed() -> None:
    walk = Walk()
    walk.done("plan", CONFIRM)
    assert walk.done("ask", {"decision": "unresolved", "record": {}}) == "observing"


def test_a_rejection_costs_a_step() -> None:
    walk = Walk()
    walk.done("plan", CONFIRM)
    assert walk.done("ask", {**NO, "steps": "spent"}) == "executing.thinking"
    assert walk.snapshot.context.record.steps == 1
    assert walk.done("think", CALL) == "failed"
    assert walk.snapshot.context.record.reason == "budget_spent"


def test_a_spent_budget_still_lets_the_model_answer_but_do_nothing_more() -> None:
    walk = Walk()
    assert walk.step({**SEEN, "steps": "spent"}) == "executing.thinking"
    assert walk.done("think", TEXT) == "completed"
    other = Walk()
    other.step({**SEEN, "steps": "spent"})
    assert other.done("think", CALL) == "failed"
    assert other.snapshot.context.record.reason == "budget_spent"
    assert "act" not in other.started


LEAVES = ["planning", "executing.waiting", "observing", "executing.thinking", "confirm"]


def at(leaf: str) -> Walk:
    walk = Walk()
    roads: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "planning": [],
        "executing.waiting": [("plan", CALL)],
        "observing": [("plan", CALL), ("act", OK)],
        "executing.thinking": [("plan", CALL), ("act", OK), ("observe", SEEN)],
        "confirm": [("plan", CONFIRM)],
    }
    for service, payload in roads[leaf]:
        walk.done(service, payload)
    assert walk.state == leaf
    return walk


@pytest.mark.parametrize("leaf", LEAVES)
def test_abort_works_everywhere(leaf: str) -> None:
    walk = at(leaf)
    assert walk.send("abort", {"record": {"reason": "r"}}) == "aborted"
    assert walk.snapshot.live == ()


@pytest.mark.parametrize("leaf", LEAVES)
def test_the_tasks_time_ends_everywhere(leaf: str) -> None:
    walk = at(leaf)
    name = "after.active.task_seconds"
    assert walk.send(name, by=name) == "failed"
    assert walk.snapshot.context.record.reason == "time_spent"


@pytest.mark.parametrize("leaf", LEAVES)
def test_a_fault_ends_everywhere(leaf: str) -> None:
    assert at(leaf).send("fault", {"error": "X", "text": "y"}) == "failed"


def test_abort_in_idle_and_after_the_end() -> None:
    idle = CORE.initial(Context())
    assert CORE.feed(idle, Event("abort")).snapshot.state == "aborted"
    walk = at("planning")
    walk.send("abort")
    assert walk.send("abort") == "aborted"
    assert walk.last is not None
    assert walk.last.result == "ignored"


def test_control_stays_in_its_declared_domains() -> None:
    assert set(CONTROL_DOMAINS) == set(Control._fields)
    walk = Walk()
    for _ in range(3):
        walk.step(SAW_FAILURE)
        control = walk.snapshot.context.control._asdict()
        assert all(value in CONTROL_DOMAINS[name] for name, value in control.items())

"""What a person refused is not sent again; a skill needs a host that the policy allows."""

from actions.judge import judge_call
from actions.judged import Judged, Remembered
from states.events import Event
from states.fold import REDUCERS
from states.messages import ToolCall
from states.policy import Effect, Policy
from states.task import Context, Control, Record, Request
from tests.actions.desk import PAGE, make_ports

VOID = ToolCall(
    id="c", name="browser_action", input={"action": "click", "params": {"selector": "#void"}}
)
REPORT = ToolCall(
    id="c", name="run_skill",
    input={"name": "erp-monthly-report", "params": {"month": "2026-03"}},
)  # fmt: skip
NO = Event("x", {"decision": "rejected", "steps": "left", "record": {"digest": "d" * 64}})


def remembered(request: Request) -> Remembered:
    """Return what the task remembers after a no to *request* on the page."""
    before = Context(Control(), Record(request=request, page=PAGE))
    return Remembered(REDUCERS["take_rejection"](before, NO).record.rejected)


def test_the_agent_itself_knows_what_was_refused_and_sends_nothing() -> None:
    first = judge_call(VOID, make_ports(), Remembered())
    assert first.effect is Effect.CONFIRM
    again = judge_call(VOID, make_ports(), remembered(first.request))
    assert (again.effect, again.verdict.reason) == (Effect.DENY, "rejected_before")


def test_the_same_call_waiting_longer_is_still_the_one_that_was_refused() -> None:
    first = judge_call(VOID, make_ports(), Remembered())
    params = {"selector": "#void", "timeout_ms": 20_000}
    longer = VOID.model_copy(update={"input": {"action": "click", "params": params}})
    again = judge_call(longer, make_ports(), remembered(first.request))
    assert (again.effect, again.verdict.reason) == (Effect.DENY, "rejected_before")


def test_another_call_is_not_taken_for_the_one_that_was_refused() -> None:
    first = judge_call(VOID, make_ports(), Remembered())
    query = {"action": "click", "params": {"selector": "#query"}}
    other = judge_call(
        VOID.model_copy(update={"input": query}), make_ports(), remembered(first.request)
    )
    assert other.effect is Effect.ACT


def judged_skill(host: str) -> Judged:
    policy = Policy.model_validate(
        {"version": 1, "hosts": [{"host": host, "allow": ["navigate", "getText"]}]}
    )
    return judge_call(REPORT, make_ports(policy=policy), Remembered())


def test_a_skill_none_of_whose_hosts_the_policy_allows_is_denied() -> None:
    judged = judged_skill("other.example.com")
    assert (judged.effect, judged.verdict.reason) == (Effect.DENY, "skill_domains")
    assert "erp.example.com" in judged.verdict.text("en")


def test_a_skill_whose_host_the_policy_allows_may_run() -> None:
    assert judged_skill("erp.example.com").effect is Effect.ACT

"""Gates of the agent's judgement that stand behind others, each by itself."""

import pytest

from actions.judge import judge_ask, judge_call
from actions.judged import Remembered
from skills.registry import load_library
from states.messages import ToolCall
from states.policy import Effect, Policy
from tests.actions.desk import make_ports

READ = ToolCall(
    id="c", name="browser_action", input={"action": "getText", "params": {"selector": "#sum"}}
)


def test_a_read_that_was_lost_is_simply_made_again() -> None:
    first = judge_call(READ, make_ports(), Remembered())
    unknown = {first.request.call_digest}
    assert judge_call(READ, make_ports(), Remembered(unknown=unknown)).effect is Effect.READ


def test_a_skill_too_needs_a_person_for_what_may_have_acted_before() -> None:
    skill, ports = load_library().get("erp-monthly-report"), make_ports()
    first = judge_ask(skill, ["click", "#query"], ports)
    assert first.effect is Effect.ACT
    again = judge_ask(skill, ["click", "#query"], ports, {first.request.call_digest})
    assert (again.effect, again.verdict.reason) == (Effect.CONFIRM, "sent_before")


@pytest.mark.parametrize(
    ("host", "effect"), [("erp.example.com", Effect.ACT), ("other.example.com", Effect.DENY)]
)
def test_a_skill_none_of_whose_domains_is_in_the_policy_does_not_start(
    host: str, effect: Effect
) -> None:
    policy = Policy.model_validate({"version": 1, "hosts": [{"host": host, "allow": ["*"]}]})
    wanted = {"name": "erp-monthly-report", "params": {"month": "2026-03"}}
    call = ToolCall(id="c", name="run_skill", input=wanted)
    judged = judge_call(call, make_ports(policy=policy), Remembered())
    assert judged.effect is effect
    assert judged.verdict.reason == ("" if effect is Effect.ACT else "skill_domains")


@pytest.mark.parametrize("name", ["rm", "", "browser_actions"])
def test_an_unknown_tool_is_none_of_the_known_ones_whatever_its_input(name: str) -> None:
    judged = judge_call(
        ToolCall(id="c", name=name, input={"accept": True}), make_ports(), Remembered()
    )
    assert (judged.reply, judged.verdict.reason) == ("invalid", "tool_unknown")


def test_a_skill_that_is_not_loaded_does_not_run_with_another_ones_parameters() -> None:
    wanted = {"name": "none", "params": {"month": "2026-03"}}
    judged = judge_call(
        ToolCall(id="c", name="run_skill", input=wanted), make_ports(), Remembered()
    )
    assert (judged.reply, judged.verdict.reason) == ("invalid", "skill_unknown")

"""Model output is judged before anything happens: shape, parameters, policy, refusals."""

from typing import Any

import pytest

from actions.judge import judge_ask, judge_call
from actions.judge_turn import judge_turn
from actions.judged import Judged, Remembered
from actions.perception.marks import Mark
from skills.registry import load_library
from states.fold import rejected_mark
from states.messages import ModelTurn, ToolCall
from states.page import AomNode, PageState
from states.policy import Effect
from tests.actions.desk import NODES, make_ports


def browser(action: str, params: dict[str, Any] | None = None, **more: Any) -> ToolCall:
    wanted = {"action": action, "params": params or {}, **more}
    return ToolCall(id="c", name="browser_action", input=wanted)


def judge(call: ToolCall) -> Judged:
    return judge_call(call, make_ports(), Remembered())


def test_a_harmless_click_may_be_made_on_the_current_page() -> None:
    judged = judge(browser("click", {"selector": "#query"}))
    assert (judged.reply, judged.effect) == ("call", Effect.ACT)
    assert judged.request.expected_domain == "erp.example.com"


@pytest.mark.parametrize("selector", ["#void", "@1"])
def test_a_risky_button_that_the_snapshot_knows_needs_a_person(selector: str) -> None:
    assert judge(browser("click", {"selector": selector})).effect is Effect.CONFIRM


def test_a_domain_outside_the_policy_is_denied_with_the_reason() -> None:
    judged = judge(browser("navigate", {"url": "https://evil.test/"}))
    assert judged.effect is Effect.DENY
    assert "evil.test" in judged.payload(make_ports())["record"]["refusal_text"]


@pytest.mark.parametrize("action", ["eval", "executeJsInPage"])
def test_foreign_code_is_denied_not_repaired(action: str) -> None:
    judged = judge(browser(action))
    assert (judged.reply, judged.effect) == ("call", Effect.DENY)


@pytest.mark.parametrize(
    "call",
    [
        ToolCall(id="c", name="rm"),
        ToolCall(id="c", name="browser_action", input="click"),
        ToolCall(id="c", name="browser_action", input={"params": {}}),
        browser("fly"),
        browser("click"),
        browser("click", {"selector": "#a", "force": True}),
        browser("click", {"selector": 5}),
        browser("click", {"selector": "#a"}, extra=1),
        ToolCall(id="c", name="run_skill", input={"name": "none"}),
        ToolCall(id="c", name="run_skill", input={"name": "erp-monthly-report", "params": {}}),
        ToolCall(id="c", name="answer_dialog", input={}),
    ],
)
def test_a_call_that_cannot_be_read_is_invalid_and_says_why(call: ToolCall) -> None:
    judged = judge(call)
    assert judged.reply == "invalid"
    assert len(judged.payload(make_ports())["record"]["note"]) > 15


def test_a_skill_is_judged_with_its_parameters_completed() -> None:
    wanted = {"name": "erp-monthly-report", "params": {"month": "2026-03"}}
    judged = judge(ToolCall(id="c", name="run_skill", input=wanted))
    assert (judged.reply, judged.effect) == ("skill", Effect.ACT)
    assert judged.request.params["params"]["format"] == "xlsx"


def test_a_dialog_always_needs_a_person() -> None:
    judged = judge(ToolCall(id="c", name="answer_dialog", input={"accept": True}))
    assert (judged.reply, judged.effect) == ("dialog", Effect.CONFIRM)


def test_what_the_person_refused_on_this_page_is_not_asked_again() -> None:
    call = browser("click", {"selector": "#void"})
    first = judge(call)
    mark = rejected_mark(first.request.call_digest, "d1")
    again = judge_call(call, make_ports(), Remembered({mark}))
    assert (again.effect, again.verdict.reason) == (Effect.DENY, "rejected_before")
    elsewhere = judge_call(
        call, make_ports(), Remembered({rejected_mark(first.request.call_digest, "d2")})
    )
    assert elsewhere.effect is Effect.CONFIRM


def test_what_may_have_acted_before_a_kill_goes_out_again_on_a_persons_word_only() -> None:
    call = browser("click", {"selector": "#query"})
    first = judge(call)
    assert first.effect is Effect.ACT
    again = judge_call(call, make_ports(), Remembered(unknown={first.request.call_digest}))
    assert (again.effect, again.verdict.reason) == (Effect.CONFIRM, "sent_before")
    other = judge_call(call, make_ports(), Remembered(unknown={"another"}))
    assert other.effect is Effect.ACT


def test_another_spelling_of_the_same_parameters_is_the_same_call() -> None:
    plain = judge(browser("type", {"selector": "#n", "text": "5"}))
    spelled = judge(browser("type", {"selector": "#n", "text": "5", "clear": True}))
    other = judge(browser("type", {"selector": "#n", "text": "5", "clear": False}))
    assert plain.request.call_digest == spelled.request.call_digest
    assert plain.request.call_digest != other.request.call_digest


def test_a_parameter_that_was_struck_out_of_the_ledger_is_not_typed() -> None:
    struck = judge(browser("type", {"selector": "#n", "text": "key [redacted]"}))
    assert (struck.reply, struck.verdict.reason) == ("invalid", "call_struck")
    assert judge(browser("type", {"selector": "#n", "text": "key redacted"})).reply == "call"


def test_a_text_is_a_reply_and_its_claim_is_seen() -> None:
    judged = judge_turn(ModelTurn(text="已导出"), make_ports(), Remembered())
    assert (judged.reply, judged.claims) == ("text", True)
    assert judge_turn(ModelTurn(broken="{"), make_ports(), Remembered()).reply == "invalid"


def test_a_skill_keeps_to_its_own_domains() -> None:
    skill = load_library().get("erp-monthly-report")
    ports = make_ports()
    inside = judge_ask(skill, ["navigate", "https://erp.example.com/report"], ports)
    assert inside.effect is Effect.ACT
    outside = judge_ask(skill, ["navigate", "https://evil.test/"], ports)
    assert (outside.effect, outside.verdict.reason) == (Effect.DENY, "skill_domain_left")


@pytest.mark.parametrize("args", [[], ["fly"], ["click"], ["click", 5], [None], ["eval", "1"]])
def test_a_skills_wrong_call_is_denied_with_a_reason(args: list[Any]) -> None:
    skill = load_library().get("erp-monthly-report")
    judged = judge_ask(skill, args, make_ports())
    assert judged.effect is Effect.DENY
    assert judged.verdict.reason


def test_before_any_page_is_open_only_a_navigation_makes_sense() -> None:
    ports = make_ports()
    ports.view.page = PageState()
    skill = load_library().get("erp-monthly-report")
    read = judge_call(browser("getText"), ports, Remembered())
    assert (read.effect, read.verdict.reason) == (Effect.DENY, "page_not_open")
    assert judge_ask(skill, ["getText"], ports).verdict.reason == "page_not_open"
    goto = browser("navigate", {"url": "https://erp.example.com/"})
    assert judge_call(goto, ports, Remembered()).effect is Effect.ACT


def test_a_call_into_a_frame_is_expected_on_the_host_of_the_frame() -> None:
    ports = make_ports()
    pay = AomNode(role="button", name="付款", selector="iframe >>> #pay", ref="@f2.1")
    frame = AomNode(
        role="iframe", selector="iframe", frame="f2", host="erp.example.com:8443", children=(pay,)
    )
    ports.view.nodes = (*NODES, frame)
    ports.view.marks = (Mark(id=3, role="button", name="付款", ref="@f2.1"),)
    for selector in ("@f2.1", "iframe >>> #pay", 'button "付款"', "[3]", "@f2.77"):
        judged = judge_call(browser("click", {"selector": selector}), ports, Remembered())
        assert judged.request.expected_domain == "erp.example.com:8443"
    for selector in ("#query", "iframe", "#unknown"):
        judged = judge_call(browser("click", {"selector": selector}), ports, Remembered())
        assert judged.request.expected_domain == "erp.example.com"
    named = browser("click", {"selector": "@f2.1"}, expected_domain="a.example.com")
    assert judge_call(named, ports, Remembered()).request.expected_domain == "a.example.com"


@pytest.mark.parametrize("selector", ['button "作废"', 'button "作废" #1', "[7]"])
def test_a_risky_button_needs_a_person_however_it_is_called(selector: str) -> None:
    ports = make_ports()
    ports.view.marks = (Mark(id=7, selector="#void"), Mark(id=8, selector="#query"))
    assert judge_call(browser("click", {"selector": selector}), ports, Remembered()).effect is (
        Effect.CONFIRM
    )
    harmless = browser("click", {"selector": 'button "查询"'})
    assert judge_call(harmless, ports, Remembered()).effect is Effect.ACT

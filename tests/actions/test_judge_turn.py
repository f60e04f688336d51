"""A whole reply is judged: how it ended, its first call, and broken output that only reads."""

import json
from typing import Any

import pytest

from actions.judge_turn import judge_turn, judge_written, only_reads
from actions.judged import Judged, Remembered
from actions.ports import Ports
from states.messages import ModelTurn, Stop
from states.policy import Effect, Policy
from tests.actions.desk import NODES, make_ports
from tests.actions.talk import READ_TOOL, WRITE_TOOL, Desk, browse, call, turn

ALL = Policy.model_validate({"version": 1, "hosts": [{"host": "erp.example.com", "allow": ["*"]}]})


def stage() -> Ports:
    """Return ports whose policy allows all, with one MCP tool that reads and one that writes."""
    return make_ports(desk=Desk(), policy=ALL)


def judge(*calls: Any, **more: Any) -> Judged:
    return judge_turn(turn(*calls, **more), stage(), Remembered())


def broken(document: Any) -> str:
    """Return *document* as a model writes it that ends its lists with a comma."""
    return json.dumps(document)[:-1] + ",}"


@pytest.mark.parametrize(
    ("stop", "reply", "reason"),
    [("length", "cut", "output_cut_told"), ("refusal", "declined", "model_declined"),
     ("pause", "paused", "model_paused"), ("overflow", "overflow", "window_full")],
)  # fmt: skip
def test_each_way_of_stopping_is_its_own_reply_and_runs_nothing(
    stop: Stop, reply: str, reason: str
) -> None:
    judged = judge(browse("click", selector="#query"), stop=stop)
    assert (judged.reply, judged.effect, judged.verdict.reason) == (reply, Effect.READ, reason)
    assert (judged.request.action, judged.request.call_id) == ("", "a")
    assert judge_turn(ModelTurn(stop=stop, text="已导出"), stage(), Remembered()).reply == reply
    assert judge(browse("click", selector="#query")).reply == "call"


def test_only_the_first_call_counts() -> None:
    judged = judge(browse("getText", "a"), browse("click", "b", selector="#void"))
    assert (judged.request.action, judged.effect) == ("getText", Effect.READ)


def test_an_overlong_reply_is_told_so_with_the_id_of_its_first_call() -> None:
    calls = [browse("getText", str(n)) for n in range(100)]
    judged = judge(*calls)
    assert (judged.reply, judged.verdict.reason) == ("invalid", "too_many_calls")
    assert judged.request.call_id == "0"


READS = [
    ("browser_action", {"action": "getText", "params": {"selector": "#query"}}),
    ("browser_action", {"action": "getAomSnapshot", "params": {}}),
    ("browser_action", {"action": "pageScreenshot"}),
    ("use_skill", {"name": "erp-monthly-report"}),
    (READ_TOOL, {"text": "x"}),
]
# Everything here is allowed when it is written well.
WRITES = [
    ("browser_action", {"action": "click", "params": {"selector": "#query"}}),
    ("browser_action", {"action": "type", "params": {"selector": "#query", "text": "100"}}),
    ("browser_action", {"action": "navigate", "params": {"url": "https://erp.example.com/"}}),
    ("run_skill", {"name": "erp-monthly-report", "params": {"month": "2026-03"}}),
    ("answer_dialog", {"accept": True}),
    ("ask_person", {"question": "which?"}),
    ("finish", {"summary": "done"}),
    (WRITE_TOOL, {"text": "x"}),
]


@pytest.mark.parametrize(("name", "document"), READS)
def test_broken_arguments_are_read_where_nothing_can_change(
    name: str, document: dict[str, Any]
) -> None:
    judged = judge(call(name, raw=broken(document)))
    plain = judge(call(name, document))
    assert judged.effect is plain.effect is Effect.READ
    assert judged.request == plain.request
    assert judged.repaired == ("trailing_comma",)
    assert judged.payload(stage())["record"]["repaired"] == ["trailing_comma"]
    assert "repaired" not in plain.payload(stage())["record"]
    # What ran stands beside what was written.
    assert judged.found == call(name, document, raw=broken(document))


@pytest.mark.parametrize(("name", "document"), WRITES)
@pytest.mark.parametrize("lang", ["en", "zh-CN"])
def test_of_a_call_that_does_something_nothing_is_guessed(
    name: str, document: dict[str, Any], lang: str
) -> None:
    ports = stage()
    ports.language = "en" if lang == "en" else "zh-CN"
    judged = judge_turn(turn(call(name, raw=broken(document))), ports, Remembered())
    assert (judged.reply, judged.verdict.reason) == ("invalid", "call_json")
    assert (judged.repaired, judged.found, judged.request.call_id) == ((), None, "a")
    # The precise error: the tool, and the place.
    note = judged.payload(ports)["record"]["note"]
    assert name in note
    assert str(len(broken(document))) in note or str(len(broken(document)) - 1) in note
    assert judge(call(name, document)).reply not in ("invalid",)


def test_storage_is_written_only_as_it_was_written() -> None:
    rule = {"host": "erp.example.com", "allow": ["storageSet", "storageGet"]}
    ports = make_ports(policy=Policy.model_validate({"version": 1, "hosts": [rule]}))
    params = {"key": "theme"}
    set_ = {"action": "storageSet", "params": {**params, "value": "dark"}}
    get = {"action": "storageGet", "params": params}

    def reply(raw: str) -> str:
        return judge_written(call("browser_action", raw=raw), ports, Remembered()).reply

    assert reply(broken(set_)) == "invalid"
    assert reply(broken(get)) == "call"


def test_what_is_broken_and_refused_is_told_as_broken() -> None:
    wanted = {"action": "getText", "expected_domain": "evil.test"}
    judged = judge(call("browser_action", raw=broken(wanted)))
    assert (judged.reply, judged.verdict.reason) == ("invalid", "call_json")
    assert judge(call("browser_action", wanted)).effect is Effect.DENY


@pytest.mark.parametrize(
    "raw",
    ['{"action": "getText", "params": {"selector": "#que', '{"action": "getText"',
     '{"action": "getText"}{"action": "getHtml"}', '{"action": "getText", "action": "getHtml"}',
     "getText", "[1]", '"getText"', "{}", "null"],
)  # fmt: skip
def test_what_is_unclear_is_not_read_even_where_it_would_only_read(raw: str) -> None:
    judged = judge(call("browser_action", raw=raw))
    assert judged.reply == "invalid"
    assert judged.repaired == ()
    assert len(judged.payload(stage())["record"]["note"]) > 20


def written(name: str, arguments: Any) -> str:
    return f"I call: {json.dumps({'name': name, 'arguments': arguments})}"


@pytest.mark.parametrize(("name", "document"), READS)
def test_a_call_in_the_text_is_made_where_it_only_reads(
    name: str, document: dict[str, Any]
) -> None:
    judged = judge_turn(ModelTurn(text=written(name, document)), stage(), Remembered())
    assert judged.effect is Effect.READ
    assert judged.request.call_id == "text-1"
    assert judged.found == call(name, document, id_="text-1")
    assert judged.repaired[0] == "in_text"


@pytest.mark.parametrize(("name", "document"), WRITES)
def test_a_call_in_the_text_that_does_something_goes_back(
    name: str, document: dict[str, Any]
) -> None:
    judged = judge_turn(ModelTurn(text=written(name, document)), stage(), Remembered())
    assert (judged.reply, judged.verdict.reason) == ("invalid", "call_in_text")
    assert (judged.found, judged.request.call_id) == (None, "")


def test_a_call_in_the_text_that_cannot_be_read_is_no_answer() -> None:
    text = '<tool_call>{"name": "browser_action", "arguments": {"action": "cl'
    judged = judge_turn(ModelTurn(text=text), stage(), Remembered())
    assert (judged.reply, judged.verdict.reason) == ("invalid", "call_in_text")
    assert judge_turn(ModelTurn(text="It says 5."), stage(), Remembered()).reply == "text"


def test_a_quoted_page_makes_no_call() -> None:
    quote = "<<<page 3f9a1c2b\n" + written("browser_action", READS[0][1]) + "\npage 3f9a1c2b>>>"
    judged = judge_turn(ModelTurn(text=f"The page says:\n{quote}"), stage(), Remembered())
    assert (judged.reply, judged.found) == ("text", None)


@pytest.mark.parametrize("name", ["rm", "mcp__files__gone", "browser_actions"])
def test_no_other_tool_is_called(name: str) -> None:
    judged = judge(call(name, {"text": "x"}))
    assert (judged.reply, judged.verdict.reason) == ("invalid", "tool_unknown")
    assert WRITE_TOOL in judged.verdict.text("en")


def test_only_what_reads_is_held_for_reading() -> None:
    assert only_reads(judge(browse("getText")))
    assert not only_reads(judge(browse("click", selector="#query")))
    assert not only_reads(judge(call(WRITE_TOOL, {"text": "x"})))
    # A question and the end have the effect "read" as well, and are not read out of broken output.
    assert not only_reads(judge(call("ask_person", {"question": "q"})))
    assert not only_reads(judge(call("finish", {"summary": "s"})))


def test_the_expected_domain_is_the_one_of_the_page() -> None:
    ports = stage()
    for wanted in (browse("click", selector=NODES[1].selector), browse("getText")):
        judged = judge_turn(turn(wanted), ports, Remembered())
        assert judged.request.expected_domain == "erp.example.com"
    named = {"action": "getText", "expected_domain": "other.example.com"}
    judged = judge_turn(turn(call("browser_action", named)), ports, Remembered())
    assert judged.request.expected_domain == "other.example.com"


def test_a_repaired_read_that_the_policy_asks_about_goes_back() -> None:
    rule = {"host": "erp.example.com", "allow": ["getText"], "confirm": ["getText"]}
    ports = make_ports(policy=Policy.model_validate({"version": 1, "hosts": [rule]}))
    judged = judge_written(call("browser_action", raw=broken(READS[0][1])), ports, Remembered())
    assert judged.reply == "invalid"

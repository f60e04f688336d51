"""A conversation goes out in the order that the API demands, whatever is missing in it (R2)."""

import base64
from typing import Any

import pytest

from actions.llm.claude_messages import api_messages
from actions.llm.claude_replay import Replay
from states.catalogue import words
from states.messages import Message, ToolCall

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()
JPEG = base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(40)).decode()
CLICK = ToolCall(id="toolu_1", name="browser_action", input={"action": "click"})
READ = ToolCall(id="toolu_2", name="browser_action", input={"action": "read"})


def user(text: str) -> Message:
    return Message(role="user", text=text)


def said(text: str, *calls: ToolCall) -> Message:
    return Message(role="assistant", text=text, tool_calls=calls)


def answer(call_id: str, text: str, *, failed: bool = False) -> Message:
    return Message(role="tool", text=text, call_id=call_id, failed=failed)


def sent(*conversation: Message, picture: str = "") -> list[dict[str, Any]]:
    return api_messages(conversation, Replay("", bound=True), picture)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(call: ToolCall, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input, **more}


def result(call_id: str, words: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": [text(words)], **more}


NOT_RUN = words("not_run")
ROUND = (user("Pay"), said("I click.", CLICK), answer("toolu_1", "ok"))
SENT_ROUND = [
    {"role": "user", "content": [text("Pay")]},
    {"role": "assistant", "content": [text("I click."), use(CLICK)]},
    {"role": "user", "content": [result("toolu_1", "ok")]},
]


def test_a_round_goes_out_as_call_and_result() -> None:
    assert sent(*ROUND) == SENT_ROUND


def test_what_a_person_says_after_a_result_stands_behind_it_in_one_message() -> None:
    assert sent(*ROUND, user("Hurry"), user("!"))[-1]["content"] == [
        result("toolu_1", "ok"),
        text("Hurry"),
        text("!"),
    ]


def test_several_results_stand_in_one_message_in_the_order_of_their_calls() -> None:
    out = sent(
        user("Pay"), said("", CLICK, READ), answer("toolu_2", "b"),
        answer("toolu_1", "a", failed=True),
    )  # fmt: skip
    assert out[-1]["content"] == [result("toolu_1", "a", is_error=True), result("toolu_2", "b")]


@pytest.mark.parametrize(
    ("instruction", "said_of_it"), [("Pay", NOT_RUN), ("付款", words("not_run", "zh-CN"))]
)
def test_a_call_without_a_result_is_answered_as_not_run(instruction: str, said_of_it: str) -> None:
    out = sent(user(instruction), said("", CLICK, READ), answer("toolu_1", "ok"))
    assert out[-1]["content"] == [
        result("toolu_1", "ok"),
        result("toolu_2", said_of_it, is_error=True),
    ]


def test_a_last_call_without_any_result_is_answered_too() -> None:
    assert sent(user("Pay"), said("", CLICK))[-1]["content"] == [
        result("toolu_1", NOT_RUN, is_error=True)
    ]


def test_a_result_of_no_call_becomes_text_behind_the_results() -> None:
    assert sent(*ROUND, answer("toolu_9", "lost"))[-1]["content"] == [
        result("toolu_1", "ok"),
        text("lost"),
    ]
    assert sent(user("Pay"), answer("toolu_9", "lost"))[0]["content"] == [text("Pay"), text("lost")]


def test_an_empty_result_says_nothing_rather_than_blank() -> None:
    out = sent(user("Pay"), said("", CLICK), answer("toolu_1", " \n"))
    assert out[-1]["content"] == [{"type": "tool_result", "tool_use_id": "toolu_1"}]


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_an_empty_reply_is_left_out_and_its_neighbours_become_one(blank: str) -> None:
    assert sent(user("Pay"), said(blank), user("Go on")) == [
        {"role": "user", "content": [text("Pay"), text("Go on")]}
    ]


def test_two_replies_in_a_row_become_one_message() -> None:
    assert sent(user("Pay"), said("One"), said("Two", CLICK), answer("toolu_1", "ok"))[1] == {
        "role": "assistant",
        "content": [text("One"), text("Two"), use(CLICK)],
    }


def test_a_reply_that_is_to_go_on_stays_last_and_ends_in_no_blanks() -> None:
    assert sent(user("Pay"), said("Wait \n"))[-1] == {
        "role": "assistant",
        "content": [text("Wait")],
    }


def test_a_conversation_that_begins_with_a_reply_gets_something_before_it() -> None:
    assert [message["role"] for message in sent(said("Hi"))] == ["user", "assistant"]


def test_arguments_that_were_no_json_go_back_as_none() -> None:
    broken = ToolCall(id="toolu_1", name="browser_action", input=None, raw='{"n": 30')
    listed = broken.model_copy(update={"input": [1, 2], "raw": ""})
    for call in (broken, listed):
        out = sent(user("Pay"), said("", call), answer("toolu_1", "no JSON", failed=True))
        assert out[1]["content"] == [use(CLICK, input={})]


@pytest.mark.parametrize("told", ["", "call 1!", "x" * 65, "点"])
def test_an_id_that_the_api_refuses_is_replaced_in_call_and_result(told: str) -> None:
    call = CLICK.model_copy(update={"id": told})
    out = sent(user("Pay"), said("", call), answer(told, "ok"))
    assert out[1]["content"] == [use(CLICK, id="call-1")]
    assert out[2]["content"] == [result("call-1", "ok")]


def test_an_id_that_stands_twice_is_told_apart_and_each_result_finds_its_call() -> None:
    again = CLICK.model_copy(update={"input": {"action": "read"}})
    both = sent(*ROUND, said("", CLICK, again), answer("toolu_1", "a"), answer("toolu_1", "b"))
    ids = [block["id"] for block in both[3]["content"]]
    assert len({"toolu_1", *ids}) == 3
    assert both[4]["content"] == [result(ids[0], "a"), result(ids[1], "b")]


def test_a_tool_name_that_the_api_refuses_is_made_one_that_it_takes() -> None:
    for told, name in (
        ("browser.action(点)", "browser_action___"),
        ("", "_"),
        ("n" * 90, "n" * 64),
    ):
        call = CLICK.model_copy(update={"name": told})
        assert sent(user("Pay"), said("", call))[1]["content"][0]["name"] == name


def test_half_a_surrogate_pair_is_replaced_for_it_cannot_be_sent() -> None:
    assert sent(user("a\ud83db"))[0]["content"] == [text("a?b")]
    assert sent(user("a😀b"))[0]["content"] == [text("a😀b")]


def image(data: str, kind: str) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


@pytest.mark.parametrize(("data", "kind"), [(PNG, "image/png"), (JPEG, "image/jpeg")])
def test_a_picture_goes_with_the_last_result(data: str, kind: str) -> None:
    out = sent(*ROUND, user("Look"), picture=data)
    assert out[-1]["content"][0]["content"] == [text("ok"), image(data, kind)]
    assert out[:-1] == SENT_ROUND[:-1]


def test_a_picture_stands_beside_a_failed_result_which_may_hold_text_only() -> None:
    failed = (user("Pay"), said("", CLICK), answer("toolu_1", "no", failed=True))
    assert sent(*failed, picture=PNG)[-1]["content"] == [
        result("toolu_1", "no", is_error=True),
        image(PNG, "image/png"),
    ]


def test_a_picture_without_a_result_goes_with_what_the_user_says() -> None:
    assert sent(user("Look"), picture=PNG)[0]["content"] == [text("Look"), image(PNG, "image/png")]


def test_a_picture_has_no_place_behind_a_reply_or_in_no_conversation() -> None:
    assert sent(user("Pay"), said("Wait"), picture=PNG) == sent(user("Pay"), said("Wait"))
    assert sent(picture=PNG) == []

"""What a prompt becomes in the body of a request, seen by the server that gets it."""

import json
import re
from typing import Any

import pytest

from actions.llm.endpoint import BASE_URLS
from actions.llm.openai_family import make_openai
from actions.llm.openai_messages import can_be_strict, messages_of, tools_of
from actions.llm.openai_profiles import PROFILES, ProfileName, profile_of
from prompts.prompt import Prompt, ToolDefinition
from states.catalogue import words
from states.messages import Message, ToolCall
from states.secrets import REDACTED
from states.settings import ModelLimits
from tests.actions.llm.openai.lab import CHARS_MAX, PROMPT, Spec, family_at
from tests.support.byte_server import byte_server, openai_chunk, openai_frames, stream

GENERIC, OPENAI, DEEPSEEK = PROFILES["generic"], PROFILES["openai"], PROFILES["deepseek"]
OK = stream(openai_frames(openai_chunk({"content": "ok"}), openai_chunk(finish="stop")))
CLOSED: dict[str, Any] = {
    "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
    "additionalProperties": False,
}  # fmt: skip

ASK = Message(role="user", text="Pay")
GET = ToolCall(id="a", name="get", input={"页": 1})
PAY = ToolCall(id="b", name="pay", input={"amount": 3000})


def called(*calls: ToolCall, text: str = "", **more: Any) -> Message:
    return Message(role="assistant", text=text, tool_calls=calls, **more)


def result(call_id: str, text: str = "ok", *, failed: bool = False) -> Message:
    return Message(role="tool", call_id=call_id, text=text, failed=failed)


def made(*messages: Message, profile: Any = GENERIC, picture: str = "") -> list[dict[str, Any]]:
    return messages_of(Prompt("", (), messages, picture), profile)


def shape(messages: list[dict[str, Any]]) -> list[str]:
    """Return each message as one line: role, ids of its calls or its own, text."""
    lines = []
    for message in messages:
        ids = [call["id"] for call in message.get("tool_calls", ())]
        ids += [message["tool_call_id"]] if "tool_call_id" in message else []
        lines.append(" ".join([message["role"], *ids, str(message["content"])]).strip())
    return lines


NOT_RUN = words("not_run", "en")
CONVERSATIONS: dict[str, tuple[tuple[Message, ...], list[str]]] = {
    "a round": ((ASK, called(GET), result("a")), ["user Pay", "assistant a", "tool a ok"]),
    "two calls": (
        (ASK, called(GET, PAY, text="Both."), result("a"), result("b")),
        ["user Pay", "assistant a b Both.", "tool a ok", "tool b ok"]),
    "results in another order": (
        (ASK, called(GET, PAY), result("b", "2"), result("a", "1")),
        ["user Pay", "assistant a b", "tool a 1", "tool b 2"]),
    "a call without a result": (
        (ASK, called(GET, PAY), result("a")),
        ["user Pay", "assistant a b", "tool a ok", f"tool b {NOT_RUN}"]),
    "a call without a result, then more": (
        (ASK, called(GET), Message(role="user", text="Go on"), called(PAY), result("b")),
        ["user Pay", "assistant a", f"tool a {NOT_RUN}", "user Go on", "assistant b",
         "tool b ok"]),
    "a result of no call": (
        (ASK, called(GET), result("a"), result("x", "stray")),
        ["user Pay", "assistant a", "tool a ok", "user stray"]),
    "a result before any call": ((ASK, result("x", "stray")), ["user Pay\n\nstray"]),
    "an empty reply": ((ASK, called(), called(text=" "), called(GET), result("a")),
                       ["user Pay", "assistant a", "tool a ok"]),
    "two lines of the user": ((ASK, Message(role="user", text="Now")), ["user Pay\n\nNow"]),
    "an empty line of the user": ((ASK, Message(role="user")), ["user Pay"]),
    "a final answer": ((ASK, called(text="Done.")), ["user Pay", "assistant Done."]),
    "nothing": ((), []),
}  # fmt: skip


@pytest.mark.parametrize("case", CONVERSATIONS)
def test_each_call_is_followed_by_its_result(case: str) -> None:
    messages, wanted = CONVERSATIONS[case]
    assert shape(made(*messages)) == wanted


def test_a_chinese_task_is_told_in_chinese_what_was_not_run() -> None:
    told = made(Message(role="user", text="付款"), called(GET))
    assert told[-1]["content"] == words("not_run", "zh-CN")


def test_arguments_go_back_as_they_were() -> None:
    call = made(ASK, called(GET))[1]["tool_calls"][0]
    assert call["function"] == {"name": "get", "arguments": '{"页":1}'}


@pytest.mark.parametrize(
    ("told", "sent"),
    [("get", "get"), ("browser.click", "browser_click"), ("点击 x", "___x"), ("", "_"),
     ("n" * 80, "n" * 64), ("a-b_C9", "a-b_C9")],
)  # fmt: skip
def test_a_name_that_the_api_would_refuse_goes_back_as_one_it_takes(told: str, sent: str) -> None:
    call = made(ASK, called(GET.model_copy(update={"name": told})))[1]["tool_calls"][0]
    assert call["function"]["name"] == sent


ODD_IDS = ["x" * 41, "toolu/01", "带", "a b", "x" * 42, "\ud800", ""]


def test_ids_that_the_api_would_refuse_are_others_alike_in_call_and_result() -> None:
    calls = [GET.model_copy(update={"id": told}) for told in ODD_IDS]
    answers = [Message.model_construct(role="tool", call_id=told, text="ok") for told in ODD_IDS]
    told = made(ASK, called(*calls), *answers)
    ids = [call["id"] for call in told[1]["tool_calls"]]
    assert [message["tool_call_id"] for message in told[2:]] == ids
    assert [message["content"] for message in told[2:]] == ["ok"] * len(ODD_IDS)
    assert len(set(ids)) == len(ODD_IDS)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,40}", call_id) for call_id in ids)


@pytest.mark.parametrize("told", ["call_abc-9", "functions.get:0", "x" * 40])
def test_ids_that_the_api_takes_stay_as_they_are(told: str) -> None:
    sent = made(ASK, called(GET.model_copy(update={"id": told})), result(told))
    assert (sent[1]["tool_calls"][0]["id"], sent[2]["tool_call_id"]) == (told, told)


@pytest.mark.parametrize(
    ("name", "sent"), [("openai", '{"x":30'), ("deepseek", '{"x":30'), ("vllm", "{}"),
                       ("ollama", "{}"), ("generic", "{}")],
)  # fmt: skip
def test_broken_arguments_go_back_where_the_server_does_not_parse_them(
    name: ProfileName, sent: str
) -> None:
    broken = ToolCall(id="a", name="get", input=None, raw='{"x":30')
    call = made(ASK, called(broken), profile=PROFILES[name])[1]["tool_calls"][0]
    assert call["function"]["arguments"] == sent


BLOCK = ({"field": "reasoning_content", "text": "hm\n…"},)


@pytest.mark.parametrize("name", PROFILES)
def test_reasoning_goes_back_only_where_the_server_wants_it(name: ProfileName) -> None:
    reply = called(GET, family="openai", blocks=BLOCK)
    sent = made(ASK, reply, profile=PROFILES[name])[1].get("reasoning_content")
    assert sent == ("hm\n…" if name == "deepseek" else None)


@pytest.mark.parametrize(
    ("family", "blocks"),
    [("claude", BLOCK), ("", BLOCK), ("openai", ({"type": "thinking", "thinking": "x"},)),
     ("openai", ({"field": "reasoning_content", "text": f"key {REDACTED}"},))],
    ids=["of Claude", "of nobody", "of another form", "struck out"],
)  # fmt: skip
def test_reasoning_that_is_not_its_own_any_more_stays_here(
    family: str, blocks: tuple[dict[str, Any], ...]
) -> None:
    sent = made(ASK, called(GET, family=family, blocks=blocks), profile=DEEPSEEK)[1]
    assert set(sent) == {"role", "content", "tool_calls"}


async def test_reasoning_makes_the_round_trip_byte_by_byte() -> None:
    thought = "先看\u2028 “页面”\n\t…  "
    events = [openai_chunk({"reasoning_content": thought[:4]}),
              openai_chunk({"reasoning_content": thought[4:], "content": "ok"}),
              openai_chunk(finish="stop")]  # fmt: skip
    limits = ModelLimits(profile="deepseek")
    async with family_at(stream(openai_frames(*events)), limits=limits) as (family, server):
        turn = await family.attempt(PROMPT, lambda chunk: None)
        reply = Message(
            role="assistant", text=turn.text, tool_calls=(GET,), blocks=turn.blocks,
            family=turn.family,
        )  # fmt: skip
        prompt = PROMPT._replace(messages=(*PROMPT.messages, reply, result("a")))
        await family.attempt(prompt, lambda chunk: None)
    assert server.requests[1].json["messages"][2]["reasoning_content"] == thought


@pytest.mark.parametrize(
    ("picture", "kind"), [("iVBORw0KGgo=", "image/png"), ("/9j/4AAQ", "image/jpeg")]
)
def test_a_picture_follows_the_last_result(picture: str, kind: str) -> None:
    told = made(ASK, called(GET), result("a"), picture=picture)
    assert told[-2]["role"] == "tool"
    url = f"data:{kind};base64,{picture}"
    shown = {"type": "image_url", "image_url": {"url": url}}
    assert told[-1] == {"role": "user", "content": [shown]}
    beside = made(ASK, picture=picture)
    assert beside == [{"role": "user", "content": [{"type": "text", "text": "Pay"}, shown]}]


# What a round adds comes after everything that was sent before, so that caches find it again.
def test_a_longer_conversation_begins_with_the_same_bytes() -> None:
    rounds = [ASK]
    before = json.dumps(made(*rounds))[:-1]
    for number in range(4):
        call = GET.model_copy(update={"id": f"c{number}"})
        rounds += [called(call), result(f"c{number}")]
        longer = json.dumps(made(*rounds))
        assert longer.startswith(before)
        before = longer[:-1]


async def body(limits: ModelLimits, prompt: Prompt = PROMPT, kind: str = "openai") -> Any:
    async with family_at(OK, limits=limits, kind=kind) as (family, server):
        await family.attempt(prompt, lambda chunk: None)
    return server.requests[0].json


PLAIN = {"model", "messages", "stream", "tools", "stream_options"}
KEYS: dict[ProfileName, set[str]] = {
    "openai": {*PLAIN, "max_completion_tokens", "parallel_tool_calls"},
    "ollama": {*PLAIN, "max_tokens"},
    "vllm": {*PLAIN, "max_tokens", "parallel_tool_calls"},
    "deepseek": {*PLAIN, "max_tokens"},
    "generic": {*PLAIN, "max_tokens"},
}


@pytest.mark.parametrize("name", PROFILES)
async def test_a_profile_says_which_keys_are_sent(name: ProfileName) -> None:
    prompt = PROMPT._replace(output_tokens_max=321, tools=(ToolDefinition("t", "d", CLOSED),))
    sent = await body(ModelLimits(profile=name), prompt)
    assert set(sent) == KEYS[name]
    assert sent[PROFILES[name].max_tokens_name] == 321
    assert sent["stream_options"] == {"include_usage": True}
    assert sent.get("parallel_tool_calls") in (None, False)
    assert sent["tools"][0]["function"].get("strict") is (True if name == "openai" else None)


@pytest.mark.parametrize("name", PROFILES)
async def test_a_picture_goes_only_to_models_with_eyes_or_on_the_operators_word(
    name: ProfileName,
) -> None:
    prompt = PROMPT._replace(picture="iVBORw0KGgo=")
    auto = await body(ModelLimits(profile=name), prompt)
    assert ("iVBORw0KGgo=" in json.dumps(auto)) is (name == "openai")
    on = await body(ModelLimits(profile=name, pictures="on"), prompt)
    assert "iVBORw0KGgo=" in json.dumps(on)


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize(
    ("thinking", "more"), [("off", 0), ("adaptive", 2_048), ("enabled", 2_048)]
)
async def test_reasoning_that_counts_as_output_is_granted_on_top(
    name: ProfileName, thinking: Any, more: int
) -> None:
    limits = ModelLimits(profile=name, thinking=thinking, thinking_tokens=2_048)
    sent = await body(limits, PROMPT._replace(output_tokens_max=321))
    granted = more if name == "openai" else 0
    assert sent[PROFILES[name].max_tokens_name] == 321 + granted


async def test_without_tools_nothing_is_said_of_them() -> None:
    sent = await body(ModelLimits(profile="openai"), PROMPT._replace(tools=()))
    assert not {"tools", "parallel_tool_calls"} & set(sent)


@pytest.mark.parametrize(
    ("provider", "host", "name"),
    [("openai", "api.openai.com", "openai"), ("openai", "api.deepseek.com", "deepseek"),
     ("openai", "127.0.0.1", "generic"), ("openai", "api.openai.com.evil.example", "generic"),
     ("ollama", "127.0.0.1", "ollama"), ("ollama", "api.openai.com", "ollama")],
)  # fmt: skip
def test_the_profile_fits_the_server(provider: str, host: str, name: ProfileName) -> None:
    assert profile_of(provider, host, ModelLimits()) is PROFILES[name]
    assert profile_of(provider, host, ModelLimits(profile="vllm")) is PROFILES["vllm"]


@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_each_provider_has_its_own_address(kind: str) -> None:
    family = make_openai(Spec("", kind), ModelLimits(), CHARS_MAX)
    await family.close()
    assert family.base_url == BASE_URLS[kind]
    assert family.profile.name == kind


async def test_the_address_is_taken_as_it_was_given() -> None:
    async with byte_server(OK) as server:
        family = make_openai(Spec(f"{server.url}/a/b/"), ModelLimits(), CHARS_MAX)
        await family.attempt(PROMPT, lambda chunk: None)
        await family.close()
    assert server.requests[0].path == "/a/b/chat/completions"


STRICT: dict[str, tuple[dict[str, Any], bool]] = {
    "closed": (CLOSED, True),
    "open": ({**CLOSED, "additionalProperties": True}, False),
    "not said": ({"type": "object", "properties": {}}, False),
    "optional member": ({**CLOSED, "required": []}, False),
    "list": ({**CLOSED, "properties": {"name": {"type": "array", "items": CLOSED}}}, True),
    "list of open ones": (
        {**CLOSED, "properties": {"name": {"type": "array", "items": {"type": "object"}}}}, False),
    "a bound": ({**CLOSED, "properties": {"name": {"type": "string", "maxLength": 5}}}, False),
    "a reference": ({"$ref": "#/x"}, False),
    "anything": ({**CLOSED, "properties": {"name": True}}, False),
}  # fmt: skip


@pytest.mark.parametrize("case", STRICT)
def test_the_strict_flag_is_sent_only_with_a_schema_that_can_be_kept(case: str) -> None:
    schema, strict = STRICT[case]
    assert can_be_strict(schema) is strict
    function = tools_of((ToolDefinition("t", "d", schema),), OPENAI)[0]["function"]
    assert function["parameters"] == schema
    assert ("strict" in function) is strict
    assert "strict" not in tools_of((ToolDefinition("t", "d", schema),), GENERIC)[0]["function"]

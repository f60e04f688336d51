"""The model of the init line is the one that is asked, with its key, its frame and its bounds."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from actions.errors import ProviderError
from actions.llm.offline import OfflineProvider
from actions.llm.provider import ModelRequest, Provider
from actions.llm.remote import RemoteProvider
from actions.llm.scripted import ScriptedProvider
from prompts.compose import PromptFrame
from prompts.tools import own_tools
from sgclaw.models import frame_of, provider_of
from skills.registry import load_library
from states.mcp import McpServer, McpTool
from states.messages import Message
from states.wire import Init
from tests.support.byte_server import (
    ByteServer,
    byte_server,
    openai_chunk,
    openai_frames,
    openai_usage,
    stream,
)

TRACE = "sgclaw-20261129-0123456789abcdef"
KEY = "sk-canary-0123456789abcdef"
SCHEMA = {"type": "object", "properties": {"zone": {"type": "string"}}}
CLOCK = McpServer(
    name="time",
    command=("clock",),
    tools=(McpTool(name="now", description="Tell it.", input_schema=SCHEMA, pin="0" * 64),),
)


def init(data: Path, provider: Mapping[str, Any], **more: Any) -> Init:
    return Init.model_validate(
        {
            "protocol": 1, "trace_id": TRACE, "session_id": "session-1", "key": "0" * 64,
            "policy": {"version": 1, "hosts": [{"host": "erp.example.com", "allow": ["*"]}]},
            "data_dir": str(data), "provider": dict(provider), **more,
        }
    )  # fmt: skip


def ask(squeeze: int = 0) -> ModelRequest:
    conversation = (Message(role="user", text="Which sum?"),)
    return ModelRequest(trace_id=TRACE, instruction="Which sum?", conversation=conversation,
                        call_number=1, squeeze=squeeze)  # fmt: skip


OK = stream(openai_frames(openai_chunk({"content": "It is 5."}), openai_chunk(finish="stop"),
                          openai_usage(90, 4)))  # fmt: skip


@asynccontextmanager
async def served(tmp_path: Path, **given: Any) -> AsyncIterator[tuple[ByteServer, Provider]]:
    """Serve one answer to a provider of the kind "openai" at its own address."""
    async with byte_server(OK) as server:
        spec = {"kind": "openai", "model": "m-1", "base_url": f"{server.url}/v1",
                **given.pop("spec", {})}  # fmt: skip
        provider = provider_of(init(tmp_path, spec, **given), load_library())
        try:
            yield server, provider
        finally:
            await provider.close()


@pytest.mark.parametrize(
    ("spec", "kind", "runs_lists"),
    [({"kind": "offline"}, OfflineProvider, True),
     ({"kind": "openai", "model": "m", "api_key": KEY}, RemoteProvider, False),
     ({"kind": "claude", "model": "m", "api_key": KEY}, RemoteProvider, False),
     ({"kind": "ollama", "model": "m"}, RemoteProvider, False)],
)  # fmt: skip
async def test_the_kind_says_who_answers_and_a_real_model_runs_no_lists(
    tmp_path: Path, spec: dict[str, Any], kind: type, *, runs_lists: bool
) -> None:
    provider = provider_of(init(tmp_path, spec), load_library())
    assert isinstance(provider, kind)
    assert (provider.name, provider.runs_lists) == (spec["kind"], runs_lists)
    await provider.close()


async def test_a_script_is_read_and_one_that_is_not_there_says_so(tmp_path: Path) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text('{"text": "hello"}\n', encoding="utf-8")
    made = provider_of(init(tmp_path, {"kind": "scripted", "script": str(script)}), load_library())
    assert isinstance(made, ScriptedProvider)
    assert (await made.complete(ask())).text == "hello"
    for wrong in (str(tmp_path / "gone"), "", str(tmp_path)):
        with pytest.raises(ProviderError):
            provider_of(init(tmp_path, {"kind": "scripted", "script": wrong}), load_library())


async def test_the_request_holds_the_frame_the_model_and_the_key_of_the_init_line(
    tmp_path: Path,
) -> None:
    given = {"spec": {"api_key": KEY}, "mcp": [CLOCK.model_dump(mode="json")]}
    async with served(tmp_path, **given) as (server, provider):
        turn = await provider.complete(ask())
        [request] = server.requests
    body = request.json
    names = [tool["function"]["name"] for tool in body["tools"]]
    assert names == [*(tool.name for tool in own_tools("en")), "mcp__time__now"]
    assert body["tools"][-1]["function"]["parameters"] == SCHEMA
    assert body["model"] == "m-1"
    system, user = body["messages"]
    assert (system["role"], user) == ("system", {"role": "user", "content": "Which sum?"})
    for part in (TRACE, "erp.example.com", "erp-monthly-report"):
        assert part in system["content"]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in request.body.decode() + repr(provider) + str(vars(provider))
    assert (turn.text, turn.report.provider, turn.report.model) == ("It is 5.", "openai", "m-1")
    assert (turn.usage.input_tokens, turn.report.estimated_tokens > 100) == (90, True)


async def test_a_key_of_this_machine_goes_to_no_address_that_came_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    async with served(tmp_path) as (server, provider):
        await provider.complete(ask())
        [request] = server.requests
    assert KEY not in str(request.headers) + request.body.decode()


async def test_the_window_of_the_settings_is_kept(tmp_path: Path) -> None:
    small = {"model": {"context_tokens": 8_000, "output_tokens_max": 7_900}}
    async with served(tmp_path, settings=small) as (server, provider):
        with pytest.raises(ProviderError):
            await provider.complete(ask())
        assert server.requests == []
    async with served(tmp_path) as (server, provider):
        await provider.complete(ask())
        assert len(server.requests) == 1


async def test_what_is_learned_of_a_model_is_kept_in_the_data_folder(tmp_path: Path) -> None:
    async with served(tmp_path) as (_, provider):
        await provider.complete(ask())
    assert (tmp_path / "model_factors.json").is_file()


def test_two_frames_of_one_init_line_are_the_same_bytes(tmp_path: Path) -> None:
    given = init(tmp_path, {"kind": "openai", "model": "m"}, language="zh-CN",
                 mcp=[CLOCK.model_dump(mode="json")])  # fmt: skip
    one, two = (frame_of(given, load_library()) for _ in range(2))
    assert isinstance(one, PromptFrame)
    assert (one.system(), one.tools) == (two.system(), two.tools)
    assert one.language == "zh-CN"
    assert [tool.name for tool in one.tools][-1] == "mcp__time__now"
    bare = frame_of(init(tmp_path, {"kind": "openai", "model": "m"}), load_library())
    assert "mcp__time__now" not in [tool.name for tool in bare.tools]

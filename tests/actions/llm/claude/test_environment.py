"""Nothing but what was given decides where a prompt goes and with which key (R3)."""

import json
from pathlib import Path

import pytest
from anthropic import AsyncAnthropic

from actions.llm.chunks import nobody
from actions.llm.claude_family import ClaudeFamily, make_claude
from actions.llm.endpoint import BASE_URLS
from actions.llm.errors import OperatorMustActError, UserMustActError
from states.settings import ModelLimits
from tests.actions.llm.claude.lab import CHARS_MAX, KEY, PROMPT, Endpoint, reply, text
from tests.support.byte_server import ByteServer, byte_server, claude_frames, stream

CANARY = "canary-5f1c"
HI = stream(claude_frames(*reply(text(0, "Hi"))))
PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


def made(base_url: str, key: str = KEY, limits: ModelLimits | None = None) -> ClaudeFamily:
    return make_claude(Endpoint(base_url, api_key=key), limits or ModelLimits(), CHARS_MAX)


def poison(monkeypatch: pytest.MonkeyPatch, folder: Path, elsewhere: ByteServer) -> None:
    """Set everything that the SDK would read, each to a canary."""
    profile = {"type": "static", "api_key": CANARY, "base_url": elsewhere.url}
    (folder / "configs").mkdir()
    (folder / "configs" / f"{CANARY}.json").write_text(json.dumps(profile), encoding="utf-8")
    (folder / "active_config").write_text(CANARY, encoding="utf-8")
    headers = f"x-{CANARY}: 1\nanthropic-version: 1999-01-01\nanthropic-beta: {CANARY}"
    for name, value in {
        "ANTHROPIC_API_KEY": CANARY,
        "ANTHROPIC_AUTH_TOKEN": CANARY,
        "ANTHROPIC_BASE_URL": elsewhere.url,
        "ANTHROPIC_CUSTOM_HEADERS": headers,
        "ANTHROPIC_PROFILE": CANARY,
        "ANTHROPIC_CONFIG_DIR": str(folder),
        "ANTHROPIC_IDENTITY_TOKEN": CANARY,
        "ANTHROPIC_FEDERATION_RULE_ID": CANARY,
        "ANTHROPIC_ORGANIZATION_ID": CANARY,
    }.items():
        monkeypatch.setenv(name, value)


async def test_the_bare_sdk_reads_the_canaries(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with byte_server(HI) as elsewhere:
        poison(monkeypatch, tmp_path, elsewhere)
        async with AsyncAnthropic() as sdk:
            await sdk.messages.create(
                model="m", max_tokens=9, stream=True, messages=[{"role": "user", "content": "x"}]
            )
        headers = elsewhere.requests[0].headers
    assert (headers["anthropic-beta"], headers["authorization"]) == (CANARY, f"Bearer {CANARY}")


@pytest.mark.parametrize("key", [KEY, ""])
async def test_the_family_reads_none_of_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    async with byte_server(HI) as server, byte_server(HI) as elsewhere:
        poison(monkeypatch, tmp_path, elsewhere)
        family = made(server.url, key)
        await family.attempt(PROMPT, nobody)
        await family.close()
        sent = server.requests[0]
    assert elsewhere.requests == []
    assert CANARY not in repr(sent.header_lines) + sent.body.decode()
    assert sent.headers["anthropic-version"] > "1999-01-01"
    assert sent.headers.get("authorization") == (f"Bearer {key}" if key else None)


async def test_without_an_address_it_is_the_providers_own_whatever_a_variable_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    family = made("")
    assert str(family._sdk.base_url).rstrip("/") == BASE_URLS["claude"]
    await family.close()


@pytest.mark.parametrize(("setting", "asked"), [("none", (1, 0)), ("environment", (0, 1))])
async def test_a_proxy_is_used_by_setting_only(
    monkeypatch: pytest.MonkeyPatch, setting: str, asked: tuple[int, int]
) -> None:
    async with byte_server(HI) as server, byte_server(HI) as proxy:
        for name in PROXIES:
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        family = made(server.url, limits=ModelLimits.model_validate({"proxy": setting}))
        await family.attempt(PROMPT, nobody)
        await family.close()
        assert (len(server.requests), len(proxy.requests)) == asked


@pytest.mark.parametrize("key", ["sk-ant\r\nx-evil: 1", "ключ", "sk\x00", "sk-ant-1\n"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(UserMustActError) as caught:
        made("http://127.0.0.1:1", key)
    assert key not in str(caught.value)


@pytest.mark.parametrize("address", ["http://a:b", "http://\x00"])
def test_an_address_that_is_none_is_the_operators_to_mend(address: str) -> None:
    with pytest.raises(OperatorMustActError):
        made(address)


@pytest.mark.parametrize("address", ["ftp://127.0.0.1:1", "http://", "/v1"])
async def test_an_address_that_nothing_can_be_sent_to_is_theirs_too(address: str) -> None:
    family = made(address)
    with pytest.raises(OperatorMustActError):
        await family.attempt(PROMPT, nobody)
    await family.close()


async def test_neither_family_nor_its_client_shows_the_key() -> None:
    family = made("http://127.0.0.1:1")
    assert KEY not in repr(family) + repr(vars(family)) + repr(family._sdk)
    await family.close()

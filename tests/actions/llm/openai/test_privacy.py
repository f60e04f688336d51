"""The key and the prompt go to the one address that was set, and nothing else goes with them."""

import logging
import os

import pytest

from actions.llm.endpoint import BASE_URLS
from actions.llm.errors import OperatorMustActError
from actions.llm.openai_family import make_openai
from states.settings import ModelLimits
from tests.actions.llm.openai.lab import CHARS_MAX, KEY, LIMITS, PROMPT, Spec, family_at
from tests.support.byte_server import (
    ByteServer,
    answer,
    byte_server,
    openai_chunk,
    openai_frames,
    refusal,
    stream,
)

OK = stream(openai_frames(openai_chunk({"content": "ok"}), openai_chunk(finish="stop")))
CANARY = "canary-of-the-environment"
VARIABLES = {
    "OPENAI_API_KEY": CANARY,
    "OPENAI_ADMIN_KEY": CANARY,
    "OPENAI_ORG_ID": CANARY,
    "OPENAI_PROJECT_ID": CANARY,
    "OPENAI_WEBHOOK_SECRET": CANARY,
    "OPENAI_BASE_URL": "http://127.0.0.1:9/canary-of-the-environment",
    "OPENAI_CUSTOM_HEADERS": f"X-Canary: {CANARY}\nAuthorization: Bearer {CANARY}",
}


def everything(server: ByteServer) -> str:
    return "\n".join(f"{request.line} {request.header_lines} {request.body!r}"
                     for request in server.requests)  # fmt: skip


async def test_headers_are_a_list_of_ours() -> None:
    async with family_at(OK) as (family, server):
        await family.attempt(PROMPT, lambda chunk: None)
    request = server.requests[0]
    assert request.line == "POST /v1/chat/completions HTTP/1.1"
    assert set(request.headers) == {
        "host", "connection", "accept", "accept-encoding", "content-type", "content-length",
        "user-agent", "authorization",
    }  # fmt: skip
    assert (request.headers["user-agent"], request.headers["accept-encoding"]) == (
        "sgclaw", "identity",
    )  # fmt: skip


async def test_the_key_stands_in_its_header_and_nowhere_else() -> None:
    async with family_at(OK) as (family, server):
        await family.attempt(PROMPT, lambda chunk: None)
        assert KEY not in f"{family!r} {family.__dict__!r}"
    request = server.requests[0]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert everything(server).count(KEY) == 1


async def test_without_a_key_no_header_is_sent() -> None:
    async with byte_server(OK) as server:
        family = make_openai(Spec(f"{server.url}/v1", "ollama", api_key=""), LIMITS, CHARS_MAX)
        await family.attempt(PROMPT, lambda chunk: None)
        await family.close()
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize("key", [KEY, ""])
async def test_the_environment_is_not_read(key: str) -> None:
    before = dict(os.environ)
    os.environ.update(VARIABLES)
    try:
        async with byte_server(OK) as server:
            family = make_openai(Spec(f"{server.url}/v1", api_key=key), LIMITS, CHARS_MAX)
            await family.attempt(PROMPT, lambda chunk: None)
            await family.close()
            default = make_openai(Spec("", api_key=key), LIMITS, CHARS_MAX)
            assert default.base_url == BASE_URLS["openai"]
            await default.close()
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert CANARY not in everything(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    async with byte_server(OK) as elsewhere:
        away = refusal(status, {}, location=f"{elsewhere.url}/v1/chat/completions")
        async with family_at(away) as (family, server):
            with pytest.raises(OperatorMustActError) as caught:
                await family.attempt(PROMPT, lambda chunk: None)
        assert (caught.value.code, len(server.requests)) == ("model_redirected", 1)
        assert elsewhere.requests == []


async def test_a_proxy_of_the_environment_is_used_only_when_it_is_set_so() -> None:
    proxied = answer(200, b"<html>a proxy</html>", "text/html")
    before = dict(os.environ)
    async with byte_server(proxied) as proxy, byte_server(OK) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            os.environ[name] = proxy.url
        for name in ("NO_PROXY", "no_proxy"):
            os.environ.pop(name, None)
        try:
            family = make_openai(Spec(f"{server.url}/v1"), LIMITS, CHARS_MAX)
            assert (await family.attempt(PROMPT, lambda chunk: None)).text == "ok"
            await family.close()
            assert proxy.requests == []
            limits = ModelLimits(proxy="environment")
            through = make_openai(Spec(f"{server.url}/v1"), limits, CHARS_MAX)
            with pytest.raises(OperatorMustActError):
                await through.attempt(PROMPT, lambda chunk: None)
            await through.close()
            assert [request.line.split()[1] for request in proxy.requests] == [
                f"{server.url}/v1/chat/completions"
            ]
        finally:
            os.environ.clear()
            os.environ.update(before)


async def test_a_cookie_of_a_server_is_not_sent_back() -> None:
    first = answer(500, {}, headers={"set-cookie": "id=canary; Path=/"})
    async with family_at(first, OK) as (family, server):
        with pytest.raises(Exception, match="500"):
            await family.attempt(PROMPT, lambda chunk: None)
        await family.attempt(PROMPT, lambda chunk: None)
    assert "cookie" not in server.requests[1].headers


async def test_nothing_of_a_request_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    # As OPENAI_LOG=debug leaves it.
    logging.getLogger("openai").setLevel(logging.DEBUG)
    with caplog.at_level(logging.DEBUG):
        async with family_at(OK) as (family, _):
            await family.attempt(PROMPT, lambda chunk: None)
    assert not any("Pay 3000" in record.getMessage() for record in caplog.records)
    assert not [record for record in caplog.records if record.name.startswith(("openai", "httpx"))]


async def tried_at(address: str) -> None:
    family = make_openai(Spec(address), LIMITS, CHARS_MAX)
    try:
        await family.attempt(PROMPT, lambda chunk: None)
    finally:
        await family.close()


@pytest.mark.parametrize(
    "address",
    [
        "http://[::1",
        "http://127.0.0.1:99999/v1",
        "ftp://127.0.0.1/v1",
        "127.0.0.1:80",
        "http:///v1",
    ],
)
async def test_an_address_that_is_none_is_refused_in_words(address: str) -> None:
    with pytest.raises(OperatorMustActError) as caught:
        await tried_at(address)
    assert caught.value.code == "model_address_wrong"

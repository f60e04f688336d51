"""Claude: one try of one request to the Messages API, through its SDK's raw events (R3).

The SDK would take keys, addresses and headers from environment variables and files; here it is
given all of them, and it neither retries nor follows redirects.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

import httpx2
from anthropic import APIError, APIStatusError, AsyncAnthropic, AsyncStream

from actions.llm.chunks import Hear
from actions.llm.claude_accumulate import ClaudeReply
from actions.llm.claude_frames import FrameEvent, frame_of
from actions.llm.claude_replay import FAMILY
from actions.llm.claude_request import request_of
from actions.llm.deadline import Deadline
from actions.llm.endpoint import BASE_URLS, Endpoint
from actions.llm.errors import (
    ModelCallError,
    OperatorMustActError,
    StreamBrokenError,
    UserMustActError,
)
from actions.llm.http_client import is_stream, make_http_client
from actions.llm.own_key import OwnKey
from actions.llm.status_errors import (
    Words,
    frame_error,
    network_error,
    no_server_error,
    status_error,
)
from actions.llm.strict_json import StrictJsonError, strict_object
from prompts.prompt import Prompt
from states.messages import ModelTurn
from states.settings import ModelLimits

# What follows a reply's end is read this long, so that its connection can be used again; a server
# that keeps the stream open longer loses the connection, not the reply.
_REST_SECONDS = 0.25


class _Sdk(AsyncAnthropic):
    """The SDK's client without the headers that it takes from an environment variable."""

    def __init__(self, headers: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self._custom_headers = dict(headers)


class ClaudeFamily:
    """Makes tries at one endpoint; it holds connections until it is closed."""

    name = FAMILY

    def __init__(self, spec: Endpoint, limits: ModelLimits, chars_max: int) -> None:
        """Prepare a client; nothing is sent yet.

        Raises:
            ModelCallError: the key or the address can never be sent.
        """
        self.model = spec.model
        self._limits = limits
        self._chars_max = chars_max
        self._tell = Words(limits.error_chars_max, spec.api_key)
        self._own_key = OwnKey(spec.api_key)
        if not (spec.api_key.isascii() and spec.api_key.isprintable()):
            raise UserMustActError("model_key_unusable")
        base_url = spec.base_url or BASE_URLS["claude"]
        self._sdk = _Sdk(
            {"anthropic-version": limits.anthropic_version} if limits.anthropic_version else {},
            api_key=spec.api_key,
            base_url=base_url,
            max_retries=0,
            open_telemetry=False,
            http_client=make_http_client(limits, _key_headers(spec.api_key, limits)),
        )
        self._host = httpx2.URL(base_url).host

    async def attempt(self, prompt: Prompt, hear: Hear) -> ModelTurn:
        """Make one try and return its whole reply; *hear* is told pieces as they come.

        Raises:
            ModelCallError: there is none; the class says who must act, or that another try may do.
        """
        request = request_of(prompt, self.model, self._limits)
        ear = self._own_key.ear(hear)
        reply = ClaudeReply(self._chars_max, ear, self._tell)
        taken = {call.id for message in prompt.messages for call in message.tool_calls}
        try:
            async with Deadline(self._limits) as deadline:
                await self._read(request.body, reply, deadline)
            turn = self._own_key.out_of(reply.turn(taken))
            ear.end()
            return request.replay.marked(turn, request.messages)
        except (APIError, httpx2.HTTPError, ValueError) as error:
            failed = self._error(error)
        except ModelCallError as error:
            failed = error
        failed.usage = reply.usage
        # Raised out here, so that no request with its key hangs on the error.
        raise failed

    async def close(self) -> None:
        """Close the connections."""
        await self._sdk.close()

    async def _read(self, body: dict[str, Any], reply: ClaudeReply, deadline: Deadline) -> None:
        stream = await self._sdk.messages.create(**body, stream=True)
        async with stream:
            if not is_stream(stream.response):
                raise await self._no_stream(stream.response)
            events = AsyncStream.raw_events(stream.response)
            async for event in events:
                frame = frame_of(event, self._tell)
                if frame is not None and reply.feed(frame):
                    deadline.token_seen()
                if reply.ended:
                    await _read_rest(events)
                    return
            kind = _kind(stream.response)
            if not reply.begun and "event-stream" not in kind.lower():
                raise no_server_error(kind, "", self._tell)

    async def _no_stream(self, response: httpx2.Response) -> ModelCallError:
        """Return the error for a success that is a document; some gateways write errors so."""
        text = (await response.aread()).decode(errors="replace")
        with suppress(StrictJsonError):
            body = strict_object(text)
            if body.get("error"):
                return frame_error(body, self._tell)
        return no_server_error(_kind(response), text, self._tell)

    def _error(self, error: Exception) -> ModelCallError:
        match error:
            case APIStatusError():
                headers = error.response.headers
                return status_error(error.status_code, error.body, headers, self._tell)
            case APIError() | httpx2.HTTPError():
                seconds = self._limits.connect_seconds
                return network_error(error, self._host, seconds, self._tell)
        # A body that is no UTF-8; and nothing that could be sent may fail otherwise.
        return StreamBrokenError("model_unreadable", said=self._tell.of(error))


def make_claude(spec: Endpoint, limits: ModelLimits, chars_max: int) -> ClaudeFamily:
    """Return the family for *spec*; a reply may hold *chars_max* characters in all.

    Raises:
        ModelCallError: the key or the address can never be sent.
    """
    try:
        return ClaudeFamily(spec, limits, chars_max)
    except httpx2.InvalidURL as error:
        said = Words(limits.error_chars_max, spec.api_key).of(error)
        raise OperatorMustActError("model_address_wrong", said=said) from None


def _key_headers(key: str, limits: ModelLimits) -> dict[str, str]:
    if not key:
        return {}
    if limits.key_header == "x-api-key":
        return {"x-api-key": key}
    return {"authorization": f"Bearer {key}"}


def _kind(response: httpx2.Response) -> str:
    return str(response.headers.get("content-type", ""))


async def _read_rest(events: AsyncIterator[FrameEvent]) -> None:
    with suppress(TimeoutError, httpx2.HTTPError, ModelCallError, ValueError):
        async with asyncio.timeout(_REST_SECONDS):
            async for _ in events:
                pass

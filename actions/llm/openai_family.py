"""OpenAI and everything that speaks its chat API: one try of one request, from raw events (R3).

The SDK would read keys, addresses, headers and organisations from environment variables; here it
is given its key and address, and `http_client` lets no other header out.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

import httpx2
from openai import APIConnectionError, APIError, APIStatusError, AsyncOpenAI, AsyncStream, BaseModel

from actions.llm.chunks import Hear
from actions.llm.deadline import Deadline
from actions.llm.endpoint import BASE_URLS, Endpoint
from actions.llm.errors import ModelCallError, StreamBrokenError
from actions.llm.http_client import checked_address, is_stream, make_http_client
from actions.llm.openai_accumulate import FAMILY, Reply
from actions.llm.openai_messages import messages_of, tools_of
from actions.llm.openai_profiles import profile_of
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

# Local servers need no key, but the SDK wants one; it is not sent.
_NO_KEY = "none"
_STREAM = "text/event-stream"
_OVER = object()


class OpenAiFamily:
    """Speaks the chat API to one model at one address."""

    name = FAMILY

    def __init__(self, spec: Endpoint, limits: ModelLimits, chars_max: int) -> None:
        own = BASE_URLS.get(spec.kind, BASE_URLS["openai"])
        self.base_url = checked_address(spec.base_url or own)
        pinned = {"authorization": f"Bearer {spec.api_key}"} if spec.api_key else {}
        self.model = spec.model
        self._limits = limits
        self._chars_max = chars_max
        self._tell = Words(limits.error_chars_max, spec.api_key)
        self._own_key = OwnKey(spec.api_key)
        self._client = AsyncOpenAI(
            api_key=spec.api_key or _NO_KEY,
            base_url=self.base_url,
            max_retries=0,
            http_client=make_http_client(limits, pinned),
        )
        self._host = self._client.base_url.host
        self.profile = profile_of(spec.kind, self._host, limits)

    async def attempt(self, prompt: Prompt, hear: Hear) -> ModelTurn:
        """Make one try and return its whole reply; *hear* is told pieces as they come.

        Raises:
            ModelCallError: there is none; the class says who must act, or that another try may do.
        """
        reply, ear = Reply(self._chars_max), self._own_key.ear(hear)
        try:
            async with Deadline(self._limits) as deadline:
                await self._read(prompt, reply, ear, deadline)
            taken = {call.id for message in prompt.messages for call in message.tool_calls}
            turn = reply.turn(taken, replay_reasoning=self.profile.replay_reasoning)
            ear.end()
            return self._own_key.out_of(turn)
        except (APIError, httpx2.HTTPError) as error:
            failed = self._error(error)
        except ModelCallError as error:
            failed = error
        failed.usage = reply.usage
        # Raised out here, so that no request with its key hangs on the error.
        raise failed

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _read(self, prompt: Prompt, reply: Reply, hear: Hear, deadline: Deadline) -> None:
        stream = await self._client.chat.completions.create(**self._request(prompt))
        async with stream:
            if not is_stream(stream.response):
                raise await self._no_stream(stream.response)
            begun = False
            async with aclosing(self._frames(stream)) as frames:
                async for frame in frames:
                    begun = True
                    for chunk in reply.feed(frame):
                        hear(chunk)
                    if reply.has_token:
                        deadline.token_seen()
            for chunk in reply.end():
                hear(chunk)
            if not begun and _STREAM not in _kind(stream.response):
                raise no_server_error(_kind(stream.response), "", self._tell)

    async def _frames(self, stream: AsyncStream[Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        """Yield each event as plain values: the SDK's types promise what servers do not keep."""
        events = aiter(stream)
        while True:
            try:
                event = await anext(events, _OVER)
                frame = event.to_dict(warnings=False) if isinstance(event, BaseModel) else event
            except (ValueError, TypeError, RecursionError) as error:
                # No JSON, no UTF-8, or nested beyond reason.
                raise StreamBrokenError("model_unreadable", said=self._tell.of(error)) from None
            if frame is _OVER:
                return
            if not isinstance(frame, Mapping):
                raise StreamBrokenError("model_unreadable", said=type(frame).__name__)
            yield frame

    async def _no_stream(self, response: httpx2.Response) -> ModelCallError:
        """Return the error for a success that is a document; some gateways write errors so."""
        text = (await response.aread()).decode("utf-8", "replace")
        try:
            body = strict_object(text)
        except StrictJsonError:
            body = {}
        if body.get("error"):
            return frame_error(body, self._tell)
        return no_server_error(_kind(response), text, self._tell)

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        profile, limits = self.profile, self._limits
        if not profile.eyes and limits.pictures != "on":
            prompt = prompt._replace(picture="")
        reasons = profile.reasoning_in_output and limits.thinking != "off"
        request: dict[str, Any] = {
            "model": self.model,
            "messages": messages_of(prompt, profile),
            profile.max_tokens_name: prompt.output_tokens_max
            + (limits.thinking_tokens if reasons else 0),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if prompt.tools:
            request["tools"] = tools_of(prompt.tools, profile)
            if profile.parallel_flag:
                request["parallel_tool_calls"] = False
        return request

    def _error(self, error: APIError | httpx2.HTTPError) -> ModelCallError:
        if isinstance(error, APIStatusError):
            headers = error.response.headers
            return status_error(error.status_code, error.body, headers, self._tell)
        if isinstance(error, APIConnectionError | httpx2.HTTPError):
            return network_error(error, self._host, self._limits.connect_seconds, self._tell)
        return frame_error(error.body, self._tell)


def make_openai(spec: Endpoint, limits: ModelLimits, chars_max: int) -> OpenAiFamily:
    """Return the family for *spec*; a reply is at most *chars_max* characters.

    Raises:
        OperatorMustActError: its address cannot be used.
    """
    return OpenAiFamily(spec, limits, chars_max)


def _kind(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").lower()

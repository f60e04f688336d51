"""The provider of a real model: budget before, tries around, report after (R3, R4, R7, A4)."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from actions.llm.chunks import Chunk, Hear, Said, TryFailed
from actions.llm.claude_family import make_claude
from actions.llm.errors import (
    ContextTooLongError,
    ModelCallError,
    NetworkFailedError,
    ProviderBusyError,
    UserMustActError,
)
from actions.llm.family import Family
from actions.llm.openai_family import OpenAiFamily
from actions.llm.prices import Price
from actions.llm.provider import ModelRequest, Provider
from actions.llm.remote import RemoteProvider, Served
from memory.calibration import Calibration
from memory.tokens import PICTURE_TOKENS, estimate, estimate_messages, estimate_tools
from prompts.compose import PromptFrame
from prompts.prompt import Prompt
from states.messages import CallReport, Message, ModelTurn, ToolCall, Usage
from states.settings import ModelLimits, Settings
from tests.actions.llm.test_tries import HandClock
from tests.support.byte_server import (
    byte_server,
    claude_block,
    claude_end,
    claude_frames,
    claude_start,
    openai_chunk,
    openai_frames,
    openai_usage,
    refusal,
    stream,
)

TRACE = "sgclaw-20261129-0123456789abcdef"
FRAME = PromptFrame("en", TRACE, ("erp.example.com",))
ASKED = Message(role="user", text="作废发票 INV-001")
PAGE = "@1 button 作废\n" * 700
CALL = ToolCall(id="c1", name="finish", input={"summary": "done"})
USAGE = Usage(input_tokens=4_000, output_tokens=100, cache_read_tokens=3_000)
TURN = ModelTurn(text="done", tool_calls=(CALL,), usage=USAGE)


class ListFamily:
    """A family whose tries are a list; it keeps every prompt and takes a second a try."""

    name = "list"
    model = "list-1"

    def __init__(self, clock: HandClock, *outcomes: ModelTurn | ModelCallError) -> None:
        self.clock = clock
        self.outcomes = list(outcomes)
        self.prompts: list[Prompt] = []
        self.closed = False

    async def attempt(self, prompt: Prompt, hear: Hear) -> ModelTurn:
        self.prompts.append(prompt)
        self.clock.now += 0.25
        hear(Said("."))
        self.clock.now += 0.75
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, ModelCallError):
            raise outcome
        return outcome

    async def close(self) -> None:
        self.closed = True


class Desk(NamedTuple):
    """A provider with everything around it."""

    provider: RemoteProvider
    family: ListFamily
    clock: HandClock
    calibration: Calibration
    lines: list[tuple[str, dict[str, Any]]]


def desk(*outcomes: ModelTurn | ModelCallError, **limits: Any) -> Desk:
    clock = HandClock()
    family = ListFamily(clock, *outcomes)
    lines: list[tuple[str, dict[str, Any]]] = []

    def log(event: str, **fields: Any) -> None:
        lines.append((event, fields))

    calibration = Calibration(None, log)
    provider = provider_of(family, clock, calibration, log, **limits)
    return Desk(provider, family, clock, calibration, lines)


def provider_of(
    family: Family, clock: HandClock, calibration: Calibration, log: Callable[..., None],
    **limits: Any,
) -> RemoteProvider:  # fmt: skip
    settings = Settings(model=ModelLimits(**limits))
    served = Served("claude", Price(3, 15, 0.1), calibration)
    return RemoteProvider(family, FRAME, settings, clock, served, log)


def request(*conversation: Message, **fields: Any) -> ModelRequest:
    given = conversation or (ASKED,)
    return ModelRequest(
        trace_id=TRACE, instruction=ASKED.text, conversation=given, call_number=1, **fields
    )


def pages(count: int) -> tuple[Message, ...]:
    messages = [ASKED]
    for number in range(count):
        call = ToolCall(id=f"c{number}", name="browser_action", input={"action": "getText"})
        messages.append(Message(role="assistant", tool_calls=(call,)))
        messages.append(Message(role="tool", text=PAGE, call_id=call.id))
    return tuple(messages)


def fixed() -> float:
    return estimate(FRAME.system()) + estimate_tools(FRAME.tools)


async def test_a_model_is_given_frame_and_conversation_and_its_reply_comes_back() -> None:
    made = desk(TURN)
    provider: Provider = made.provider
    heard: list[Chunk] = []
    turn = await provider.complete(request(picture="iVBOR"), heard.append)
    assert made.family.prompts == [
        Prompt(FRAME.system(), FRAME.tools, (ASKED,), "iVBOR", ModelLimits().output_tokens_max)
    ]
    assert turn.model_copy(update={"report": CallReport()}) == TURN
    assert heard == [Said(".")]
    assert (provider.name, provider.runs_lists) == ("claude", False)


async def test_the_report_says_who_answered_how_long_it_took_and_what_it_may_have_cost() -> None:
    made = desk(ProviderBusyError("busy"), TURN)
    report = (await made.provider.complete(request())).report
    assert report.provider == "claude"
    assert report.model == "list-1"
    assert report.duration_ms == 1_000 + 1_000 + 1_000
    assert report.first_token_ms == 250
    assert report.cost_microusd == 3 * (1_000 + 300) + 15 * 100
    assert report.estimated_tokens == round(1.1 * (fixed() + estimate_messages([ASKED])))


async def test_a_failed_try_is_told_and_the_next_one_gets_the_same_prompt() -> None:
    made = desk(NetworkFailedError("n"), NetworkFailedError("n"), TURN)
    heard: list[Chunk] = []
    await made.provider.complete(request(), heard.append)
    assert [chunk.number for chunk in heard if isinstance(chunk, TryFailed)] == [1, 2]
    assert made.clock.slept == [1, 2]
    assert len(set(map(id, made.family.prompts))) == 1


async def test_what_somebody_must_mend_is_raised_as_it_is() -> None:
    made = desk(UserMustActError("key"))
    with pytest.raises(UserMustActError):
        await made.provider.complete(request())
    assert len(made.family.prompts) == 1


async def test_a_window_that_is_full_is_a_turn_of_its_own_and_teaches_nothing() -> None:
    full = ContextTooLongError("full")
    full.usage = Usage(input_tokens=9)
    made = desk(full)
    turn = await made.provider.complete(request())
    assert (turn.stop, turn.tool_calls, turn.usage.input_tokens) == ("overflow", (), 9)
    assert turn.report.model == "list-1"
    assert made.calibration.factor("list-1") == pytest.approx(1.1)
    assert [event for event, _ in made.lines] == ["model_window_full"]


async def test_squeezed_the_same_conversation_is_sent_shorter() -> None:
    made = desk(TURN, TURN)
    await made.provider.complete(request(*pages(6)))
    await made.provider.complete(request(*pages(6), squeeze=1))
    before, after = (estimate_messages(prompt.messages) for prompt in made.family.prompts)
    assert after <= before / 2
    assert made.family.prompts[1].system == FRAME.system(1)


@pytest.mark.parametrize("count", [0, 1, 5, 9, 30])
@pytest.mark.parametrize("context", [16_000, 64_000])
@pytest.mark.parametrize("thinking", ["off", "enabled"])
async def test_prompt_and_reply_always_fit_the_window(
    count: int, context: int, thinking: str
) -> None:
    made = desk(TURN, context_tokens=context, thinking=thinking)
    turn = await made.provider.complete(request(*pages(count), picture="iVBOR"))
    (prompt,) = made.family.prompts
    sent = 1.1 * (fixed() + estimate_messages(prompt.messages) + PICTURE_TOKENS)
    reply = 4_096 + (2_048 if thinking == "enabled" else 0)
    assert sent + reply <= context
    assert turn.report.estimated_tokens == pytest.approx(sent, abs=1)


async def test_what_cannot_fit_is_not_sent() -> None:
    made = desk(TURN, context_tokens=8_000)
    long = Message(role="user", text="请" * 8_000)
    with pytest.raises(ContextTooLongError) as caught:
        await made.provider.complete(request(long))
    assert made.family.prompts == []
    assert caught.value.code == "memory_budget"
    assert "SGCLAW_MODEL_CONTEXT_TOKENS" in caught.value.text("en")
    roomy = desk(TURN)
    await roomy.provider.complete(request(long))
    assert roomy.family.prompts[0].messages == (long,)


async def test_reported_tokens_make_the_next_estimate_better() -> None:
    estimated = fixed() + estimate_messages([ASKED])
    reported = Usage(input_tokens=round(1.2 * estimated))
    made = desk(*[ModelTurn(text="x", usage=reported)] * 30)
    reports = [(await made.provider.complete(request())).report for _ in range(30)]
    assert reports[-1].estimated_tokens == pytest.approx(1.1 * reported.input_tokens, rel=0.01)


@pytest.mark.parametrize("changes", [{"picture": "iVBOR"}, {}])
async def test_nothing_is_learned_of_a_prompt_with_a_picture(changes: dict[str, str]) -> None:
    made = desk(ModelTurn(text="x", usage=Usage(input_tokens=9_000)))
    await made.provider.complete(request(**changes))
    learned = made.calibration.factor("list-1") != pytest.approx(1.1)
    assert learned is (changes == {})


async def test_a_step_more_leaves_the_whole_prompt_before_it_as_it_was() -> None:
    made = desk(TURN, TURN)
    await made.provider.complete(request(*pages(5)))
    await made.provider.complete(request(*pages(6)))
    one, other = made.family.prompts
    assert (one.system, one.tools) == (other.system, other.tools)
    assert other.messages[: len(one.messages)] == one.messages


async def test_skipping_changes_nothing_and_closing_closes_the_family() -> None:
    made = desk(TURN)
    made.provider.skip(3)
    await made.provider.complete(request())
    assert not made.family.closed
    await made.provider.close()
    assert made.family.closed


class Endpoint(NamedTuple):
    """Where the local server answers."""

    base_url: str
    kind: str = "openai"
    model: str = "m"
    api_key: str = "sk-test-canary-0123456789"


CLAUDE_OK = stream(
    claude_frames(
        claude_start(input_tokens=700, cache_read_input_tokens=300),
        *claude_block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "hi"}),
        *claude_end("end_turn", 5),
    )
)
OPENAI_OK = stream(
    openai_frames(openai_chunk({"content": "hi"}), openai_chunk({}, "stop"), openai_usage(1_000, 5))
)
CLAUDE_FULL = refusal(
    400,
    {"type": "error",
     "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}},
)  # fmt: skip
OPENAI_FULL = refusal(400, {"error": {"code": "context_length_exceeded", "message": "too long"}})


@asynccontextmanager
async def served(kind: str, *scripts: Any) -> AsyncIterator[tuple[RemoteProvider, HandClock]]:
    """Yield a provider whose real family asks a real local server that plays *scripts*."""
    async with byte_server(*scripts) as server:
        clock, limits = HandClock(), ModelLimits()
        family: Family
        if kind == "claude":
            family = make_claude(Endpoint(server.url), limits, 100_000)
        else:
            family = OpenAiFamily(Endpoint(server.url), limits, 100_000)
        calibration = Calibration(None, lambda event, **fields: None)
        provider = provider_of(family, clock, calibration, lambda event, **fields: None)
        try:
            yield provider, clock
        finally:
            await provider.close()


@pytest.mark.parametrize(("kind", "good"), [("claude", CLAUDE_OK), ("openai", OPENAI_OK)])
async def test_over_real_http_a_busy_server_is_asked_again_when_it_says(
    kind: str, good: Any
) -> None:
    heard: list[Chunk] = []
    busy = refusal(429, {"error": {"type": "rate_limit_error", "message": "slow"}}, retry_after="7")
    async with served(kind, busy, good) as (provider, clock):
        turn = await provider.complete(request(), heard.append)
    assert (turn.text, turn.usage.input_tokens) == ("hi", 1_000)
    assert clock.slept == [7]
    assert [chunk.kind for chunk in heard if isinstance(chunk, TryFailed)] == ["rate"]


@pytest.mark.parametrize(("kind", "full"), [("claude", CLAUDE_FULL), ("openai", OPENAI_FULL)])
async def test_over_real_http_a_prompt_that_is_too_long_is_an_overflow(
    kind: str, full: Any
) -> None:
    async with served(kind, full) as (provider, clock):
        turn = await provider.complete(request())
    assert turn.stop == "overflow"
    assert clock.slept == []

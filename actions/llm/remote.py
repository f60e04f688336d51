"""A model behind an API as a provider: prompt, budget, tries, report (R3, R4, R7, A4)."""

from collections.abc import Callable
from typing import NamedTuple

from actions.llm.chunks import Chunk, Hear, TryFailed, nobody
from actions.llm.errors import ContextTooLongError
from actions.llm.family import Family
from actions.llm.pictures import picture_to_send
from actions.llm.prices import Price, cost_microusd
from actions.llm.provider import ModelRequest
from actions.llm.tries import WaitingClock, with_tries
from memory.calibration import Calibration
from memory.errors import MemoryBudgetError
from memory.short_term import Room, Rounds, fit
from memory.tokens import PICTURE_TOKENS, estimate, estimate_tools
from prompts.compose import PromptFrame
from prompts.prompt import Prompt
from states.messages import CallReport, ModelTurn
from states.settings import ModelLimits, Settings


class Served(NamedTuple):
    """What is known of the model beside its API: who serves it, its price, its tokens."""

    provider: str
    price: Price | None
    calibration: Calibration


class _Sized(NamedTuple):
    """A prompt that fits: *tokens* is what it is taken for, *factor* is in it."""

    prompt: Prompt
    tokens: float
    factor: float


class RemoteProvider:
    """Answers with what a model says."""

    # A model sees the page anew after each command: only the first call of its reply runs (R5).
    runs_lists = False

    def __init__(
        self,
        family: Family,
        frame: PromptFrame,
        settings: Settings,
        clock: WaitingClock,
        served: Served,
        log: Callable[..., None],
    ) -> None:
        self.name = served.provider
        self._family = family
        self._frame = frame
        self._limits: ModelLimits = settings.model
        self._clock = clock
        self._served = served
        self._log = log

    def skip(self, calls: int) -> None:
        """Nothing to pass over: a model is told all that came before."""

    async def complete(self, request: ModelRequest, hear: Hear = nobody) -> ModelTurn:
        """Return the model's whole reply, or `overflow` when its window is smaller than thought.

        Raises:
            ModelCallError: there is none; the class says who must act.
        """
        started = self._clock.monotonic()
        sized = self._sized(request)
        report = CallReport(
            provider=self.name, model=self._family.model, estimated_tokens=round(sized.tokens)
        )
        first_token_ms = 0
        try:
            turn, first_token_ms = await with_tries(
                lambda ear: self._family.attempt(sized.prompt, ear),
                self._priced(hear), self._limits, self._clock, request.language,
            )  # fmt: skip
        except ContextTooLongError as error:
            self._log("model_window_full", code=error.code, tokens=round(sized.tokens),
                      squeeze=request.squeeze)  # fmt: skip
            turn = ModelTurn(stop="overflow", usage=error.usage)
        else:
            self._learn(sized, turn)
        done = {
            "duration_ms": max(0, round(1000 * (self._clock.monotonic() - started))),
            "first_token_ms": first_token_ms,
            "cost_microusd": cost_microusd(turn.usage, self._served.price),
        }
        return turn.model_copy(update={"report": report.model_copy(update=done)})

    def _priced(self, hear: Hear) -> Hear:
        """Return *hear* as told what failed tries may have cost."""

        def told(chunk: Chunk) -> None:
            if isinstance(chunk, TryFailed):
                cost = cost_microusd(chunk.usage, self._served.price)
                chunk = chunk._replace(cost_microusd=cost)
            hear(chunk)

        return told

    async def close(self) -> None:
        """Close the connections."""
        await self._family.close()

    def _sized(self, request: ModelRequest) -> _Sized:
        """Put the prompt together so that it fits the window, output included.

        Raises:
            ContextTooLongError: it does not fit; nothing is sent.
        """
        limits, factor = self._limits, self._served.calibration.factor(self._family.model)
        system, tools = self._frame.system(request.squeeze), self._frame.tools
        picture = picture_to_send(request.picture, limits)
        if request.picture and not picture:
            self._log("model_picture_left_out", chars=len(request.picture))
        seen = PICTURE_TOKENS if picture else 0
        fixed = factor * (estimate(system) + estimate_tools(tools) + seen)
        room = Room(limits.context_tokens - _reserved(limits) - fixed, factor, request.squeeze)
        bounds = Rounds(limits.rounds_max, limits.rounds_min)
        try:
            fitted = fit(request.conversation, room, bounds, request.language)
        except MemoryBudgetError as error:
            raise ContextTooLongError(error.code, **error.facts) from error
        prompt = Prompt(system, tools, fitted.messages, picture, limits.output_tokens_max)
        return _Sized(prompt, fixed + fitted.tokens, factor)

    def _learn(self, sized: _Sized, turn: ModelTurn) -> None:
        # A picture's share is a guess, which would blur what is learned of texts.
        if not sized.prompt.picture:
            estimated = sized.tokens / sized.factor
            self._served.calibration.learn(self._family.model, estimated, turn.usage.input_tokens)


def _reserved(limits: ModelLimits) -> int:
    """Return the tokens that the reply may take."""
    thinking = limits.thinking_tokens if limits.thinking != "off" else 0
    return limits.output_tokens_max + thinking

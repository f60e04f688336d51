"""Turn the result of a step into an observation, and count what the critic reads (R1, L7)."""

from typing import Any

from actions.perception.observation import observation_text
from actions.ports import Ports
from guards.breaker import failures_of_call
from guards.budget import steps_are_left
from guards.critic import repeats_of
from states.policy import READ_ACTIONS
from states.task import SAME_FAILURES_MAX, Context, Request, StepOutcome, StepResult


async def observe(context: Context, ports: Ports) -> dict[str, Any]:
    """Return the payload of `done.invoke.observe`."""
    record = context.record
    result = record.result or StepResult(success=False, error="no_response")
    request = record.request
    step = StepOutcome(
        source=request.source,
        action=request.action or request.tool,
        call_digest=request.call_digest,
        fingerprint=result.fingerprint,
        success=result.success,
        reads=request.action in READ_ACTIONS,
        number=record.steps + 1,
    )
    failures = failures_of_call(record.history, request.call_digest)
    same_failures = 0 if result.success else min(failures + 1, SAME_FAILURES_MAX)
    taken = record.steps + 1
    ports.log(
        "step_completed",
        step=taken,
        action=step.action,
        selector=request.params.get("selector", ""),
        domain=request.expected_domain,
        success=result.success,
        error=result.error,
        duration_ms=result.duration_ms,
    )
    return {
        "outcome": "ok" if result.success else "failed",
        "repeats": repeats_of((*record.history, step)),
        "same_failures": same_failures,
        "steps": "left" if steps_are_left(taken, ports.settings.task.steps_max) else "spent",
        "record": {"observation": _words(request, result, ports, taken)},
    }


def _words(request: Request, result: StepResult, ports: Ports, number: int) -> str:
    # A new mark each time, kept with the observation: every later prompt has the same bytes.
    chars_max = ports.settings.browser.text_chars_max
    return observation_text(request, result, ports.language, chars_max, ports.mark(), number)

"""A skill gets what its call brought back, pictures included, and its refusals as errors."""

from collections.abc import Mapping
from typing import Any

from actions.act import act
from actions.ports import Ports
from actions.run_skill import run_skill
from engine.pipe.envelope import UNSEALED
from skills.registry import Library
from skills.sandbox import SkillSandbox
from states.page import PageState
from states.task import Context, Record, Request, StepResult
from states.wire import Mac, Response
from tests.actions.desk import PAGE
from tests.actions.test_act import ports_answering
from tests.skills.sandbox.runner import LIMITS, NAME, skill_of

PICTURE = "QUJD" * 10_000
SHOOT = """
    const shot = await browserAction('pageScreenshot');
    const text = shot.image_base64;
    return {success: true, data: {chars: text.length, tail: text.slice(-4)}};
"""
CATCH = """
    try { await browserAction('click', '#void'); } catch (error) {
        return {success: false, error: 'told: ' + error.message};
    }
    return {success: true};
"""


async def run(body: str, result: StepResult, ports: Ports) -> dict[str, Any]:
    """Run a skill with *body* whose one call is answered with *result*."""
    skill = skill_of(body)
    ports.library = Library(1, (skill,), (), ())
    ports.sandbox = SkillSandbox(LIMITS)
    asked: list[tuple[str, Mapping[str, Any]]] = []

    def emit(event: str, payload: Mapping[str, Any]) -> None:
        asked.append((event, payload))
        ports.skill_answers.put_nowait(result)

    wanted = Request(tool="run_skill", params={"name": NAME, "params": {}})
    try:
        payload = await run_skill(Context(record=Record(skill_request=wanted)), emit, ports)
    finally:
        await ports.sandbox.close()
    assert [event for event, _ in asked] == ["skill_asked"]
    return payload


async def picture_taken() -> tuple[Ports, StepResult]:
    """Return the result of a screenshot as the chart's events hold it: without the picture."""
    answer = Response(
        seq=1, success=True, data={"image_base64": PICTURE}, page=PAGE,
        security=Mac(hmac=UNSEALED),
    )  # fmt: skip
    ports = ports_answering(answer)
    shoot = Request(tool="browser_action", action="pageScreenshot")
    payload = await act(Context(record=Record(request=shoot)), ports)
    return ports, StepResult.model_validate(payload["record"]["result"])


async def test_a_skill_gets_the_picture_that_the_events_leave_out() -> None:
    ports, result = await picture_taken()
    assert PICTURE not in result.model_dump_json()
    payload = await run(SHOOT, result, ports)
    returned = payload["record"]["result"]
    assert payload["outcome"] == "ok"
    assert returned["data"]["data"] == {"chars": len(PICTURE), "tail": "QUJD"}


async def test_a_skill_gets_a_refusal_as_an_error_with_its_reason() -> None:
    ports, _ = await picture_taken()
    ports.view.page = PageState(url=PAGE.url, origin=PAGE.origin, document_id="d1")
    refused = StepResult(success=False, error="rejected_before", message="The person said no.")
    payload = await run(CATCH, refused, ports)
    assert payload["outcome"] == "failed"
    assert payload["record"]["result"]["message"] == "told: The person said no."

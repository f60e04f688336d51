"""Run a signed skill as a session of the task: its calls become events, its end the result (S5)."""

from collections.abc import Callable, Mapping
from typing import Any

from actions.judge import judge_ask
from actions.ports import Ports
from skills.calls import resolve_value
from skills.sandbox import SkillAsked, SkillSession
from states.skill import Skill, SkillResult
from states.task import Context, StepResult

Emit = Callable[[str, Mapping[str, Any]], None]


async def run_skill(context: Context, emit: Emit, ports: Ports) -> dict[str, Any]:
    """Run the requested skill and return the payload of `done.invoke.skill`.

    Each browserAction is emitted as `skill_asked`; `answer_skill` brings its result back.

    Raises:
        SkillError: the skill was stopped by a limit, crashed, or threw.
    """
    wanted = context.record.skill_request.params
    skill = ports.library.get(str(wanted["name"]))
    while not ports.skill_answers.empty():
        ports.skill_answers.get_nowait()
    ports.log("skill_started", skill=skill.header.skill, version=skill.header.version)
    session = await ports.sandbox.open(skill, dict(wanted["params"]))
    try:
        result = await _session(session, skill, emit, ports, context.record.unknown)
    finally:
        session.kill()
    ports.log("skill_finished", skill=skill.header.skill, success=result.success)
    return _payload(result)


async def _session(
    session: SkillSession, skill: Skill, emit: Emit, ports: Ports, unknown: tuple[str, ...]
) -> SkillResult:
    while True:
        step = await session.next()
        if not isinstance(step, SkillAsked):
            return step.result
        judged = judge_ask(skill, step.args, ports, unknown)
        asked = judged.payload(ports)
        emit("skill_asked", {"effect": asked["effect"], "record": asked["record"]})
        answer = await ports.skill_answers.get()
        if answer.success:
            session.answer(step.id, resolve_value(judged.request.action, ports.whole(answer.data)))
        else:
            session.reject(step.id, answer.message or answer.error)


def _payload(result: SkillResult) -> dict[str, Any]:
    data: dict[str, Any] = {"data": result.data} if result.data is not None else {}
    step = StepResult(
        success=result.success,
        data=data,
        error="" if result.success else "skill_failed",
        message=result.error or "",
    )
    outcome = "ok" if result.success else "failed"
    return {"outcome": outcome, "record": {"result": step.model_dump(mode="json")}}


def answer_skill(context: Context, ports: Ports) -> None:
    """Give the running skill the result of its call."""
    result = context.record.result
    if result is not None and not ports.skill_answers.full():
        ports.skill_answers.put_nowait(result)

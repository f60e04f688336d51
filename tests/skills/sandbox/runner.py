"""Run JavaScript in the real child and say what a user would see."""

import os
from collections.abc import Callable
from typing import Any

from skills.sandbox import SkillAsked, SkillSandbox, SkillSession
from states.settings import SkillLimits
from states.skill import Skill, SkillEntry, SkillHeader, SkillResult

NAME = "test-skill"
# Everything of the sandbox has its time on a loaded machine; only loops are meant to hit a bound.
LIMITS = SkillLimits(turn_seconds=30, run_seconds=60, start_seconds=50)
LOOP_LIMITS = LIMITS.model_copy(update={"turn_seconds": 1.5})

Answer = Callable[[list[Any]], Any]


def skill_of(body: str, params: dict[str, Any] | None = None) -> Skill:
    """Return a skill whose `execute` has *body*."""
    return skill_from(f"async function execute(params, browserAction) {{\n{body}\n}}", params)


def skill_from(source: str, params: dict[str, Any] | None = None) -> Skill:
    """Return a skill with the whole *source*."""
    header = SkillHeader(
        skill=NAME,
        version="1.0.0",
        description="a test",
        domains=("erp.example.com",),
        params=params or {"type": "object"},
    )
    entry = SkillEntry(
        name=NAME,
        file=f"custom/{NAME}.js",
        version="1.0.0",
        size=1,
        hash="sha256:" + "0" * 64,
        key_id="k",
        signature="ed25519:" + "A" * 86 + "==",
    )
    return Skill(header=header, entry=entry, source=source)


class Run:
    """What one run did: its calls, its result, its session."""

    def __init__(self, session: SkillSession) -> None:
        self.session = session
        self.calls: list[list[Any]] = []

    async def finish(self, answer: Answer = lambda _: "T") -> SkillResult:
        """Answer every call with *answer*; an answer that is an Exception rejects."""
        while True:
            step = await self.session.next()
            if not isinstance(step, SkillAsked):
                return step.result
            self.calls.append(step.args)
            value = answer(step.args)
            if isinstance(value, Exception):
                self.session.reject(step.id, str(value))
            else:
                self.session.answer(step.id, value)


async def result_of(body: str, params: Any = None, answer: Answer = lambda _: "T") -> Any:
    """Return `data` of a skill with *body* that succeeds, in a sandbox of its own."""
    sandbox = SkillSandbox(LIMITS)
    try:
        run = Run(await sandbox.open(skill_of(body), params or {}))
        result = await run.finish(answer)
        assert result.success, result
        return result.data
    finally:
        await sandbox.close()


def is_gone(pid: int) -> bool:
    """Return whether no process *pid* is left, not even a dead one waiting to be reaped."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False

"""The skill sandbox: starts a child per run and keeps one warm, so that a start costs nothing."""

import asyncio
from typing import Any

from skills.errors import SkillStartError
from skills.params import check_params
from skills.sandbox.child_end import ChildEnd, greet, spawn_child
from skills.sandbox.session import SkillSession
from states.settings import SkillLimits
from states.skill import Skill


class SkillSandbox:
    """Opens skill sessions; `close` leaves no child behind."""

    def __init__(self, limits: SkillLimits | None = None) -> None:
        self._limits = limits or SkillLimits()
        self._spare: ChildEnd | None = None
        self._children: list[ChildEnd] = []
        self._starting = asyncio.Lock()
        self._closed = False

    async def warm(self) -> None:
        """Have a spare child ready for the next `open`.

        Raises:
            SkillStartError: no child could be started.
        """
        async with self._starting:
            if self._spare is None or self._spare.gone:
                self._spare = await self._start()

    async def open(self, skill: Skill, params: dict[str, Any]) -> SkillSession:
        """Check *params* against @params and return a run of *skill* that has not begun yet.

        Raises:
            SkillParamsError: the parameters do not fit.
            SkillStartError: no child could be started.
        """
        checked = check_params(skill.header, params)
        async with self._starting:
            child, self._spare = self._spare, None
            # A spare may have died while it waited, for example for want of memory.
            if child is None or child.gone:
                child = await self._start()
        return SkillSession(skill, checked, child, self._limits)

    async def close(self) -> None:
        """Kill every child, the spare and those of open sessions, and wait until they are gone."""
        self._closed = True
        self._spare = None
        for child in self._children:
            child.kill()
        async with self._starting:  # a start that was under way sees the flag and ends its own
            for child in self._children:
                await child.closed()
            self._children.clear()

    async def _start(self) -> ChildEnd:
        self._refuse_when_closed()
        child = await spawn_child(self._limits)
        self._children = [one for one in self._children if not one.gone]
        self._children.append(child)  # before the wait: `close` must be able to end it
        try:
            self._refuse_when_closed()
            await greet(child, self._limits)
        except BaseException:
            child.kill()
            raise
        return child

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise SkillStartError("skill_sandbox_closed")

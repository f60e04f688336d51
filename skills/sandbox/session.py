"""One run of one skill: hand out its calls one after the other, keep its clock, judge its end.

The skill's time runs only inside `next`. While the owner holds an unanswered call - the browser
works, a person thinks - no turn is taken and no time counts.
"""

import asyncio
import json
from collections import deque
from typing import Any, NamedTuple

from skills.errors import (
    SkillBudgetError,
    SkillCrashedError,
    SkillError,
    SkillKilledError,
    SkillProtocolError,
    SkillRunError,
    SkillStalledError,
    SkillTimeoutError,
)
from skills.sandbox.child_end import ChildEnd, ChildFaultError, ChildGoneError
from skills.sandbox.turns import (
    Called,
    Message,
    Returned,
    SkillLog,
    Threw,
    TimerCleared,
    TimerSet,
    check_result,
    failure_of,
    read_turn,
)
from states.catalogue import words
from states.settings import SkillLimits
from states.skill import Skill, SkillResult

_REJECTION_CHARS_MAX = 1_000
_SHOWN_CHARS = 120
_KILL_SECONDS = 5.0


class SkillAsked(NamedTuple):
    """The skill called `browserAction(...args)` and waits for the answer to *id*."""

    id: int
    args: list[Any]


class SkillFinished(NamedTuple):
    """The skill returned *result*; its child is dead."""

    result: SkillResult


class SkillSession:
    """One run; ask `next`, answer what it asked, until it has finished or an error is raised."""

    def __init__(
        self, skill: Skill, params: dict[str, Any], child: ChildEnd, limits: SkillLimits
    ) -> None:
        self.logs: list[SkillLog] = []
        self._name = skill.header.skill
        self._child = child
        self._limits = limits
        start = {"t": "start", "name": self._name, "source": skill.source}
        self._to_send: dict[str, Any] | None = {**start, "params": json.dumps(params)}
        self._calls: deque[Called] = deque()
        self._call_count = 0
        self._held_id: int | None = None
        self._timers: dict[int, float] = {}
        self._result: SkillResult | None = None
        self._error: SkillRunError | None = None
        self._spent_seconds = 0.0
        self._entered_at = 0.0

    @property
    def pid(self) -> int:
        """The process id of the child."""
        return self._child.pid

    async def next(self) -> SkillAsked | SkillFinished:
        """Let the skill run until it calls, returns or fails.

        Raises:
            SkillRunError: the run is over and the child is dead; asked again, it says so again.
        """
        if self._error is not None:
            raise self._error
        if self._held_id is not None:
            raise RuntimeError("the call that was handed out has not been answered")
        self._entered_at = asyncio.get_running_loop().time()
        try:
            return await self._advance()
        except SkillRunError as error:
            self._error = error
            self.kill()
            raise
        finally:
            self._spent_seconds += asyncio.get_running_loop().time() - self._entered_at

    def answer(self, call_id: int, value: Any) -> None:
        """Resolve the call *call_id* with *value*, which must be JSON."""
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            self.reject(call_id, words("skill_answer_not_json"))
            return
        if len(text) > self._limits.line_bytes_max:
            bytes_max = self._limits.line_bytes_max
            self.reject(call_id, words("skill_answer_too_large", bytes_max=bytes_max))
            return
        self._settle(call_id, ok=True, text=text)

    def reject(self, call_id: int, message: str) -> None:
        """Reject the call *call_id* with an Error that says *message*."""
        self._settle(call_id, ok=False, text=message[:_REJECTION_CHARS_MAX])

    def kill(self) -> None:
        """End the run now; more than once does nothing."""
        self._child.kill()

    async def closed(self) -> None:
        """Wait until the child is gone."""
        await self._child.closed()

    def _settle(self, call_id: int, *, ok: bool, text: str) -> None:
        if call_id != self._held_id:
            raise RuntimeError(f"call {call_id} is not the one that waits for an answer")
        self._held_id = None
        self._to_send = {"t": "answer", "id": call_id, "ok": ok, "text": text}

    async def _advance(self) -> SkillAsked | SkillFinished:
        sending, self._to_send = self._to_send, None
        # After `return` nothing a skill still awaits can matter: it gets no further turn.
        if sending is not None and self._result is None:
            await self._turn(sending)
        await self._fire_due_timers()
        while not self._calls and self._result is None:
            await self._wait_for_timer()
            await self._fire_due_timers()
        if self._calls:
            call = self._calls.popleft()
            self._held_id = call.id
            return SkillAsked(call.id, call.args)
        self.kill()
        if self._result is None:
            raise AssertionError("unreachable")
        return SkillFinished(self._result)

    async def _turn(self, message: dict[str, Any]) -> None:
        left = self._seconds_left()
        try:
            line = await self._child.ask(
                json.dumps(message).encode("ascii"), min(left, self._limits.turn_seconds)
            )
        except TimeoutError:
            raise self._too_slow(whole_run=left <= self._limits.turn_seconds) from None
        except ChildFaultError as fault:
            why = SkillError(fault.code, bytes_max=self._limits.line_bytes_max)
            raise SkillProtocolError("skill_protocol", skill=self._name, why=why) from fault
        except ChildGoneError:
            raise await self._end_of_child() from None
        for said in read_turn(line, self._name, self._limits):
            self._take(said)

    def _take(self, said: Message) -> None:
        """Book one message; what comes after `return` in the same turn is dropped."""
        if self._result is not None:
            return
        match said:
            case Called():
                self._call_count += 1
                self._within("skill_budget_calls", self._call_count, self._limits.calls_max)
                self._calls.append(said)
            case TimerSet(id=timer_id, ms=ms):
                self._timers[timer_id] = asyncio.get_running_loop().time() + ms / 1000
                self._within("skill_budget_timers", len(self._timers), self._limits.timers_max)
                self._within("skill_budget_timers", ms, self._limits.timer_ms_max)
            case TimerCleared(id=timer_id):
                self._timers.pop(timer_id, None)
            case SkillLog():
                self.logs.append(said._replace(text=said.text[: self._limits.log_chars_max]))
                self._within("skill_budget_logs", len(self.logs), self._limits.log_lines_max)
            case Returned(value=value):
                self._result = check_result(value, self._name, self._limits)
            case Threw():
                raise failure_of(said, self._name)

    def _within(self, code: str, used: float, budget: int) -> None:
        if used > budget:
            facts = {"budget": budget, "ms_max": self._limits.timer_ms_max}
            raise SkillBudgetError(code, skill=self._name, **facts)

    async def _fire_due_timers(self) -> None:
        """Fire the timers that are due by now, oldest first; a timer they set waits its turn."""
        now = asyncio.get_running_loop().time()
        due = sorted((at, timer_id) for timer_id, at in self._timers.items() if at <= now)
        for at, timer_id in due:
            if self._result is None and self._timers.get(timer_id) == at:
                del self._timers[timer_id]
                await self._turn({"t": "fire", "id": timer_id})

    async def _wait_for_timer(self) -> None:
        if not self._timers:
            raise SkillStalledError("skill_stalled", skill=self._name)
        delay = min(self._timers.values()) - asyncio.get_running_loop().time()
        left = self._seconds_left()
        if await self._child.closed(max(0.0, min(delay, left))):
            raise await self._end_of_child()
        if delay >= left:
            raise self._too_slow(whole_run=True)

    def _seconds_left(self) -> float:
        now = asyncio.get_running_loop().time()
        left = self._limits.run_seconds - self._spent_seconds - (now - self._entered_at)
        if left <= 0:
            raise self._too_slow(whole_run=True)
        return left

    def _too_slow(self, *, whole_run: bool) -> SkillTimeoutError:
        if whole_run:
            seconds = self._limits.run_seconds
            return SkillTimeoutError("skill_run_timeout", skill=self._name, seconds=seconds)
        seconds = self._limits.turn_seconds
        return SkillTimeoutError("skill_turn_timeout", skill=self._name, seconds=seconds)

    async def _end_of_child(self) -> SkillRunError:
        """Say why the child is gone; "we killed it" is known from our own flag, not its code."""
        if self._child.killed:
            return SkillKilledError("skill_killed", skill=self._name)
        await self._child.closed(_KILL_SECONDS)
        complaint = self._child.complaint
        if "out of memory" in complaint:
            megabytes = self._limits.memory_bytes_max // 1_048_576
            return SkillCrashedError("skill_memory", skill=self._name, megabytes=megabytes)
        fatal = next((line for line in complaint.splitlines() if "atal" in line), "")
        why = f"exit code {self._child.exit_code}" + (f": {fatal[:_SHOWN_CHARS]}" if fatal else "")
        return SkillCrashedError("skill_crashed", skill=self._name, why=why)

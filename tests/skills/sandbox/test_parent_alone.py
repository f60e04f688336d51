"""The parent judges by itself whatever the child says: a child that lies gains nothing."""

import json
from typing import Any

import pytest

from skills.errors import (
    SkillBudgetError,
    SkillProtocolError,
    SkillResultError,
    SkillRunError,
    SkillStalledError,
    SkillTimeoutError,
)
from skills.sandbox.child_end import ChildEnd
from skills.sandbox.session import SkillAsked, SkillFinished, SkillSession
from states.settings import SkillLimits
from tests.skills.sandbox.runner import skill_of

LIMITS = SkillLimits(
    calls_max=2, timers_max=2, timer_ms_max=1_000, log_lines_max=2, log_chars_max=5,
    result_bytes_max=200, line_bytes_max=300, turn_seconds=7, run_seconds=9,
)  # fmt: skip
RETURNED = {"t": "ret", "value": {"success": True}}


class LyingChild(ChildEnd):
    """Answers each turn with the next of *turns*, whatever it was asked."""

    def __init__(self, *turns: Any) -> None:
        super().__init__(LIMITS.line_bytes_max)
        self.turns = list(turns)
        self.asked: list[tuple[dict[str, Any], float]] = []
        self.seconds = 0.0

    async def ask(self, line: bytes, seconds: float) -> bytes:
        """Say the next thing."""
        self.asked.append((json.loads(line), seconds))
        turn = self.turns.pop(0)
        return turn if isinstance(turn, bytes) else json.dumps({"m": turn}).encode()

    def kill(self) -> None:
        """Note that it was killed."""
        self.killed = True

    async def closed(self, seconds: float | None = None) -> bool:
        """Let no time pass: nothing ends by itself here."""
        del seconds
        return False


def session(*turns: Any, limits: SkillLimits = LIMITS) -> tuple[SkillSession, LyingChild]:
    child = LyingChild(*turns)
    return SkillSession(skill_of(""), {}, child, limits), child


def call(number: int) -> dict[str, Any]:
    return {"t": "call", "id": number, "args": ["getText"]}


def timer(number: int, ms: float = 500) -> dict[str, Any]:
    return {"t": "timer", "id": number, "ms": ms}


def log(text: str) -> dict[str, Any]:
    return {"t": "log", "level": "info", "text": text}


WITHIN = {
    "calls": [call(1), call(2)],
    "timers": [timer(1), timer(2), call(1)],
    "a timer": [timer(1, 1_000), call(1)],
    "logs": [log("a"), log("b"), call(1)],
}
BEYOND = {
    "calls": [call(1), call(2), call(3)],
    "timers": [timer(1), timer(2), timer(3), call(1)],
    "a timer": [timer(1, 1_001), call(1)],
    "logs": [log("a"), log("b"), log("c"), call(1)],
}


@pytest.mark.parametrize("what", WITHIN)
async def test_each_budget_holds_and_what_is_within_it_passes(what: str) -> None:
    good, _ = session(WITHIN[what])
    assert isinstance(await good.next(), SkillAsked)
    bad, child = session(BEYOND[what])
    with pytest.raises(SkillBudgetError):
        await bad.next()
    assert child.killed


async def test_calls_are_counted_over_all_turns() -> None:
    run, _ = session([call(1)], [call(2)], [call(3)])
    for _ in range(2):
        asked = await run.next()
        assert isinstance(asked, SkillAsked)
        run.answer(asked.id, "x")
    with pytest.raises(SkillBudgetError):
        await run.next()


async def test_a_log_line_is_cut() -> None:
    run, _ = session([log("123456789"), RETURNED])
    assert isinstance(await run.next(), SkillFinished)
    assert [line.text for line in run.logs] == ["12345"]


async def test_a_run_that_failed_is_killed_and_stays_failed() -> None:
    run, child = session([{"t": "err", "message": "no", "stack": ""}])
    for _ in range(2):
        with pytest.raises(SkillRunError):
            await run.next()
    assert child.killed
    assert len(child.asked) == 1


async def test_what_is_called_after_the_return_is_not_seen() -> None:
    run, child = session([RETURNED, call(1), {"t": "ret", "value": {"success": False}}])
    finished = await run.next()
    assert isinstance(finished, SkillFinished)
    assert finished.result.success
    assert child.killed


async def test_no_turn_gets_more_time_than_a_turn_or_than_is_left() -> None:
    run, child = session([call(1)])
    await run.next()
    assert child.asked[0][1] == LIMITS.turn_seconds
    short, child = session([call(1)], limits=LIMITS.model_copy(update={"run_seconds": 3}))
    await short.next()
    assert child.asked[0][1] <= 3


async def test_when_no_time_is_left_no_turn_is_taken() -> None:
    run, child = session([call(1)], limits=LIMITS.model_copy(update={"run_seconds": 0}))
    with pytest.raises(SkillTimeoutError):
        await run.next()
    assert child.asked == []


async def test_waiting_for_nothing_ends_the_run() -> None:
    run, _ = session([log("x")])
    with pytest.raises(SkillStalledError):
        await run.next()


async def test_an_answer_too_large_becomes_an_error_of_the_skill() -> None:
    run, child = session([call(1)], [RETURNED])
    asked = await run.next()
    assert isinstance(asked, SkillAsked)
    run.answer(asked.id, "x" * 400)
    await run.next()
    assert child.asked[1][0]["ok"] is False


@pytest.mark.parametrize(
    "value",
    [
        "done", None, {}, {"success": 1}, {"success": True, "more": 1},
        {"success": True, "error": 5}, {"success": True, "data": "x" * 200},
        {"success": True, "data": "长" * 67},
    ],
    ids=["text", "null", "empty", "a number", "a key too many", "an error", "long", "many bytes"],
)  # fmt: skip
async def test_a_result_of_another_form_is_refused(value: Any) -> None:
    run, child = session([{"t": "ret", "value": value}])
    with pytest.raises(SkillResultError):
        await run.next()
    assert child.killed


@pytest.mark.parametrize(
    "line",
    [
        b"\xff", b"[]", b"{}", b'{"m": 1}', b'{"m": [], "more": 1}', b'{"m": [{"t": "fly"}]}',
        b'{"m": [{"t": "call", "id": "1", "args": []}]}', b'{"m": [], "m": []}',
        b'{"m": [{"t": "log", "level": "loud", "text": ""}]}',
    ],
)  # fmt: skip
async def test_a_line_of_another_form_ends_the_run(line: bytes) -> None:
    run, child = session(line)
    with pytest.raises(SkillProtocolError):
        await run.next()
    assert child.killed

"""Skill sandbox: start of a skill, cold and with a warm spare, and one browserAction round trip."""

import asyncio
import statistics
import time
from datetime import date

from skills.registry import load_library
from skills.sandbox import SkillAsked, SkillSandbox
from skills.search import match
from states.settings import SkillLimits
from states.skill import Skill

START_MS_BUDGET = 10.0
ROUND_TRIP_MS_BUDGET = 0.5
_RUNS = 9
_CALLS = 1_000
_LOOP = """
async function execute(params, browserAction) {
  for (let i = 0; i < params.calls; i += 1) await browserAction('click', '#x');
  return {success: true};
}
"""


def measure() -> dict[str, float]:
    """Return the medians in milliseconds; the round trip is the fastest of three runs."""
    skill = load_library().get("erp-monthly-report")
    return asyncio.run(_measure(skill)) | _measure_match(skill)


async def _measure(skill: Skill) -> dict[str, float]:
    limits = SkillLimits(calls_max=_CALLS)
    sandbox = SkillSandbox(limits)
    try:
        cold = [await _start_ms(sandbox, skill, warm=False) for _ in range(_RUNS)]
        warm = [await _start_ms(sandbox, skill, warm=True) for _ in range(_RUNS)]
        trips = [await _round_trip_ms(sandbox, skill) for _ in range(3)]
    finally:
        await sandbox.close()
    return {
        "skill_start_cold_ms": statistics.median(cold),
        "skill_start_warm_ms": statistics.median(warm),
        "browser_action_round_trip_ms": min(trips),
    }


async def _start_ms(sandbox: SkillSandbox, skill: Skill, *, warm: bool) -> float:
    """Return the time from `open` to the skill's first call."""
    if warm:
        await sandbox.warm()
    began = time.perf_counter()
    session = await sandbox.open(skill, {"month": "2026-03"})
    step = await session.next()
    elapsed = time.perf_counter() - began
    assert isinstance(step, SkillAsked)
    session.kill()
    await session.closed()
    return elapsed * 1e3


async def _round_trip_ms(sandbox: SkillSandbox, skill: Skill) -> float:
    """Return the time from an answer to the next call."""
    params = skill.header.model_copy(update={"params": {"type": "object"}})
    loop = skill.model_copy(update={"source": _LOOP, "header": params})
    session = await sandbox.open(loop, {"calls": _CALLS})
    step = await session.next()
    began = time.perf_counter()
    while isinstance(step, SkillAsked):
        session.answer(step.id, {"clicked": True})
        step = await session.next()
    return (time.perf_counter() - began) / _CALLS * 1e3


def _measure_match(skill: Skill) -> dict[str, float]:
    """Return what finding a skill costs, the first time and afterwards."""
    took = []
    for _ in range(_RUNS):
        began = time.perf_counter()
        match("导出本月合规报表", (skill,), date(2026, 3, 1))
        took.append((time.perf_counter() - began) * 1e3)
    return {"match_first_ms": took[0], "match_ms": statistics.median(took[1:])}


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:32} {value:10.3f}")

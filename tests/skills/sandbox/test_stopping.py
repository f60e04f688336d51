"""Property: a skill that does not stop is stopped, with the reason, and leaves no child."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from skills.errors import (
    SkillBudgetError,
    SkillCrashedError,
    SkillKilledError,
    SkillRunError,
    SkillStalledError,
    SkillTimeoutError,
)
from skills.sandbox import SkillAsked, SkillFinished, SkillSandbox
from tests.skills.sandbox.runner import (
    LIMITS,
    LOOP_LIMITS,
    Run,
    is_gone,
    skill_from,
    skill_of,
)

GOOD = "return {success: true, data: await browserAction('getText', '#a')}"


@pytest.fixture
async def looping() -> AsyncIterator[SkillSandbox]:
    made = SkillSandbox(LOOP_LIMITS)
    yield made
    await made.close()


@pytest.fixture
async def sandbox() -> AsyncIterator[SkillSandbox]:
    made = SkillSandbox(LIMITS)
    yield made
    await made.close()


ENDLESS = {
    "a loop": "for (;;) {}",
    "a loop that swallows everything": "for (;;) { try { for (;;) {} } finally { continue } }",
    "a chain of microtasks": "for (;;) await 0",
    "promises that beget promises": "const on = () => Promise.resolve().then(on); await on()",
    "an endless thenable": "const t = {then(done) { done(t) }}; return t",
    "a slow pattern": "/^(a+)+$/.test('a'.repeat(40) + '!')",
    "a result whose getter loops": "return {get success() { for (;;) {} }}",
    "an error whose message loops": "throw {get message() { for (;;) {} }}",
    "an argument that never ends": (
        "await browserAction('click', new Proxy({}, {ownKeys() { for (;;) {} }}))"
    ),
    "calls whose refusal is swallowed": "for (;;) try { browserAction('click') } catch {}",
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS.keys())
async def test_a_turn_without_end_is_stopped(looping: SkillSandbox, body: str) -> None:
    session = await looping.open(skill_of(body), {})
    with pytest.raises((SkillTimeoutError, SkillCrashedError)) as caught:
        await session.next()
    assert caught.value.code in {"skill_turn_timeout", "skill_memory"}
    await session.closed()
    assert is_gone(session.pid)


async def test_a_loop_while_the_file_is_loaded_is_stopped(looping: SkillSandbox) -> None:
    session = await looping.open(skill_from("for (;;) {}"), {})
    with pytest.raises(SkillTimeoutError):
        await session.next()


async def test_a_skill_that_comes_to_rest_is_not_stopped(looping: SkillSandbox) -> None:
    run = Run(await looping.open(skill_of(GOOD), {}))
    assert (await run.finish()).data == "T"


BOMBS = {
    "objects": ("const a = []; for (;;) a.push({x: [1, 2, 3]})", "skill_memory"),
    "a map": ("const m = new Map(); for (let i = 0; ; i++) m.set(i, {i})", "skill_memory"),
    "typed arrays": (
        "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
        "skill_memory",
    ),
    "strings": ("let s = 'x'; for (;;) s = [s + s, s].join('')", "skill_failed"),
    "one huge array": ("new Array(4294967295).fill(1)", "skill_memory"),
    "an impossible split": ("'a'.repeat(1 << 28).split('')", "skill_crashed"),
}


@pytest.mark.parametrize(("body", "code"), BOMBS.values(), ids=BOMBS.keys())
async def test_a_memory_bomb_costs_its_own_run_only(
    sandbox: SkillSandbox, body: str, code: str
) -> None:
    session = await sandbox.open(skill_of(body), {})
    with pytest.raises(SkillRunError) as caught:
        await session.next()
    # V8 answers some sizes with a RangeError that the skill sees: either way the run is over.
    assert caught.value.code in {code, "skill_failed", "skill_memory"}
    await session.closed()
    assert is_gone(session.pid)
    run = Run(await sandbox.open(skill_of(GOOD), {}))
    assert (await run.finish()).data == "T"


async def test_the_memory_bound_is_the_operating_systems() -> None:
    body = "const a = new Uint8Array(params.bytes).fill(1); return {success: true, data: a.length}"
    small = SkillSandbox(LIMITS.model_copy(update={"memory_bytes_max": 100 << 20}))
    large = SkillSandbox(LIMITS)
    try:
        with pytest.raises(SkillRunError):
            await Run(await small.open(skill_of(body), {"bytes": 120 << 20})).finish()
        run = Run(await large.open(skill_of(body), {"bytes": 120 << 20}))
        assert (await run.finish()).data == 120 << 20
    finally:
        await small.close()
        await large.close()


async def test_processor_time_is_bounded_even_when_nobody_watches() -> None:
    sandbox = SkillSandbox(LIMITS.model_copy(update={"cpu_seconds_max": 1}))
    try:
        session = await sandbox.open(skill_of("for (;;) {}"), {})
        with pytest.raises(SkillCrashedError):
            await session.next()
    finally:
        await sandbox.close()


async def test_waiting_for_nothing_is_told_at_once(sandbox: SkillSandbox) -> None:
    session = await sandbox.open(skill_of("await new Promise(() => {})"), {})
    with pytest.raises(SkillStalledError):
        await session.next()


async def test_the_skills_own_time_is_bounded() -> None:
    sandbox = SkillSandbox(LIMITS.model_copy(update={"run_seconds": 1.5}))
    try:
        body = "await new Promise((r) => setTimeout(r, 20000)); return {success: true}"
        session = await sandbox.open(skill_of(body), {})
        with pytest.raises(SkillTimeoutError) as caught:
            await session.next()
        assert caught.value.code == "skill_run_timeout"
        await session.closed()
        assert is_gone(session.pid)
    finally:
        await sandbox.close()


async def test_endless_short_turns_are_bounded_by_the_skills_own_time() -> None:
    sandbox = SkillSandbox(LIMITS.model_copy(update={"run_seconds": 1.5}))
    try:
        session = await sandbox.open(skill_of("setInterval(() => {}, 0); await {then() {}}"), {})
        with pytest.raises(SkillTimeoutError):
            await session.next()
    finally:
        await sandbox.close()


async def test_the_time_a_person_takes_is_not_the_skills() -> None:
    sandbox = SkillSandbox(LIMITS.model_copy(update={"run_seconds": 3}))
    try:
        session = await sandbox.open(skill_of(GOOD), {})
        asked = await session.next()
        assert isinstance(asked, SkillAsked)
        await asyncio.sleep(3.2)
        session.answer(asked.id, "allowed at last")
        finished = await session.next()
        assert isinstance(finished, SkillFinished)
        assert finished.result.data == "allowed at last"
    finally:
        await sandbox.close()


async def test_kill_ends_a_running_turn_and_may_be_repeated(sandbox: SkillSandbox) -> None:
    session = await sandbox.open(skill_of("for (;;) {}"), {})
    running = asyncio.create_task(session.next())
    await asyncio.sleep(0.1)
    session.kill()
    session.kill()
    with pytest.raises(SkillKilledError):
        await running
    with pytest.raises(SkillKilledError):
        await session.next()
    await session.closed()
    assert is_gone(session.pid)


async def test_a_skill_that_swallows_errors_makes_no_call_after_the_kill(
    sandbox: SkillSandbox,
) -> None:
    body = "for (;;) { try { await browserAction('click', '#a') } catch { continue } }"
    session = await sandbox.open(skill_of(body), {})
    assert isinstance(await session.next(), SkillAsked)
    session.kill()
    session.reject(1, "aborted")
    with pytest.raises(SkillKilledError):
        await session.next()


async def test_a_cancelled_wait_leaves_no_child(sandbox: SkillSandbox) -> None:
    session = await sandbox.open(skill_of("for (;;) {}"), {})
    running = asyncio.create_task(session.next())
    await asyncio.sleep(0.1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await session.closed()
    assert is_gone(session.pid)


async def test_a_child_that_is_killed_from_outside_is_a_crash(sandbox: SkillSandbox) -> None:
    session = await sandbox.open(skill_of("await new Promise((r) => setTimeout(r, 25000))"), {})
    waiting = asyncio.create_task(session.next())
    await asyncio.sleep(0.1)
    os.kill(session.pid, signal.SIGKILL)
    with pytest.raises(SkillCrashedError, match="-9"):
        await waiting


async def test_close_ends_the_spare_and_every_open_session() -> None:
    sandbox = SkillSandbox(LIMITS)
    first = await sandbox.open(skill_of("for (;;) {}"), {})
    second = await sandbox.open(skill_of(GOOD), {})
    running = asyncio.create_task(first.next())
    await sandbox.warm()
    await sandbox.close()
    assert is_gone(first.pid)
    assert is_gone(second.pid)
    with pytest.raises(SkillKilledError):
        await running
    with pytest.raises(SkillRunError):
        await sandbox.open(skill_of(GOOD), {})


ORPHANING = """
    import asyncio, sys
    from skills.sandbox import SkillSandbox
    from tests.skills.sandbox.runner import LIMITS, skill_of

    async def main():
        session = await SkillSandbox(LIMITS).open(skill_of({body!r}), {{}})
        print(session.pid, flush=True)
        await session.next()
        await asyncio.sleep(60)

    asyncio.run(main())
"""


@pytest.mark.parametrize("body", ["for (;;) {}", "await browserAction('click', '#a')"])
def test_no_child_outlives_a_parent_that_is_killed(body: str) -> None:
    script = textwrap.dedent(ORPHANING.format(body=body))
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert not is_gone(child)
        parent.kill()
        parent.wait()
    for _ in range(300):
        if is_gone(child):
            return
        time.sleep(0.1)
    pytest.fail("the child is still there 30 s after its parent was killed")


async def test_timers_are_bounded_in_number_and_length(sandbox: SkillSandbox) -> None:
    body = """
        const seen = [];
        const attempt = (make) => {
          try { make(); seen.push('set') } catch (e) { seen.push(e.name) }
        };
        for (const ms of [30000, 30001, 1e9, Infinity, -1, NaN, '5'])
          attempt(() => setTimeout(() => {}, ms));
        attempt(() => setTimeout('code', 1));
        for (let i = 0; i < 60; i++) setTimeout(() => {}, 1);
        attempt(() => setTimeout(() => {}, 1));
        return {success: true, data: seen}"""
    run = Run(await sandbox.open(skill_of(body), {}))
    result = await run.finish()
    long = ["set", "RangeError", "RangeError", "RangeError"]
    assert result.data == [*long, "set", "set", "set", "TypeError", "RangeError"]


async def test_a_smaller_budget_is_the_one_that_holds() -> None:
    small = SkillSandbox(LIMITS.model_copy(update={"log_lines_max": 3}))
    try:
        body = "for (let i = 0; i < 9; i++) console.log(i); await browserAction('click', '#a')"
        with pytest.raises(SkillBudgetError):
            await Run(await small.open(skill_of(body), {})).finish()
    finally:
        await small.close()

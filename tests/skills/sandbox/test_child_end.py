"""The parent's end of a child by itself: one bounded line for each question, and nothing more."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from skills.errors import SkillStartError
from skills.sandbox.child_end import ChildEnd, ChildFaultError, ChildGoneError, greet, spawn_child
from states.settings import SkillLimits

Spawn = Callable[[str], Awaitable[ChildEnd]]
LINE_BYTES_MAX = 20
ECHO = "import sys\nfor line in sys.stdin: print({said}, flush=True)"


def proc_file(child: ChildEnd, name: str) -> str:
    """Return what the kernel says about *child*."""
    return Path(f"/proc/{child.pid}/{name}").read_text(encoding="ascii")


@pytest.fixture
async def spawn() -> AsyncIterator[Spawn]:
    """Start a child that runs a few lines of Python instead of a skill."""
    children: list[ChildEnd] = []

    async def started(source: str) -> ChildEnd:
        loop = asyncio.get_running_loop()
        command = (sys.executable, "-I", "-S", "-c", source)
        _, child = await loop.subprocess_exec(lambda: ChildEnd(LINE_BYTES_MAX), *command)
        children.append(child)
        return child

    yield started
    for child in children:
        child.kill()
        await child.closed()


async def test_one_question_gets_one_line(spawn: Spawn) -> None:
    child = await spawn(ECHO.format(said="line.strip()"))
    assert await child.ask(b"one", 30) == b"one"
    assert await child.ask(b"x" * LINE_BYTES_MAX, 30) == b"x" * LINE_BYTES_MAX


@pytest.mark.parametrize("end", ["", ", end=''"])
async def test_a_line_too_long_ends_the_child_with_and_without_its_end(
    spawn: Spawn, end: str
) -> None:
    child = await spawn(ECHO.format(said=f"'x' * {LINE_BYTES_MAX + 1}{end}"))
    with pytest.raises(ChildFaultError, match="skill_message_too_long"):
        await child.ask(b"one", 30)
    assert child.killed


async def test_two_lines_for_one_question_end_the_child(spawn: Spawn) -> None:
    child = await spawn(ECHO.format(said=r"'a\nb'"))
    with pytest.raises(ChildFaultError, match="skill_message_unasked"):
        await child.ask(b"one", 30)
    assert child.killed


async def test_a_line_that_nobody_asked_for_ends_the_child(spawn: Spawn) -> None:
    child = await spawn("print('hello', flush=True); import time; time.sleep(60)")
    assert await child.closed(30)
    assert child.killed
    with pytest.raises(ChildGoneError):
        await child.ask(b"one", 30)


async def test_a_complaint_is_kept_up_to_its_bound(spawn: Spawn) -> None:
    child = await spawn("import sys; sys.stderr.write('x' * 100_000)")
    assert await child.closed(30)
    assert len(child.complaint) == 8_192


async def test_a_child_that_does_not_greet_in_time_is_not_used(spawn: Spawn) -> None:
    child = await spawn("import time; time.sleep(20)")
    with pytest.raises(SkillStartError) as caught:
        await asyncio.wait_for(greet(child, SkillLimits(start_seconds=0.2)), 10)
    assert caught.value.code == "skill_start_timeout"
    assert child.killed


@pytest.mark.parametrize("said", ['{"t":"unsafe"}', '{"t":"ready","x":1}', "[]"])
async def test_a_child_that_greets_otherwise_is_not_used(spawn: Spawn, said: str) -> None:
    child = await spawn(f"input(); print({said!r}, flush=True)")
    child_asked = asyncio.create_task(greet(child, SkillLimits()))
    await asyncio.sleep(0)
    stdin = child._live_transport().get_pipe_transport(0)
    assert isinstance(stdin, asyncio.WriteTransport)
    stdin.write(b"\n")
    with pytest.raises(SkillStartError):
        await child_asked
    assert child.killed


async def test_a_child_that_ended_before_anyone_noticed_is_killed_without_a_word(
    spawn: Spawn,
) -> None:
    child = await spawn("input()")
    pid = child._live_transport().get_pid()
    os.kill(pid, signal.SIGKILL)
    # It is reaped by a thread; the loop, which does not run here, has not heard of it.
    while os.path.exists(f"/proc/{pid}"):  # noqa: ASYNC240, PTH110
        time.sleep(0.01)  # noqa: ASYNC251
    child.kill()
    assert child.killed
    assert await child.closed(10)


async def test_a_child_gets_nothing_of_our_environment() -> None:
    child = await spawn_child(SkillLimits())
    try:
        await greet(child, SkillLimits(start_seconds=50))
        assert proc_file(child, "environ") == ""
        assert "PATH" in os.environ
    finally:
        child.kill()
        await child.closed()


async def test_a_child_leaves_no_picture_of_its_memory_and_cannot_ask_for_one_again() -> None:
    child = await spawn_child(SkillLimits())
    try:
        await greet(child, SkillLimits(start_seconds=50))
        rows = proc_file(child, "limits").splitlines()
        [core] = [row for row in rows if row.startswith("Max core file size")]
        assert core.split()[4:6] == ["0", "0"]  # the soft bound and the hard one
    finally:
        child.kill()
        await child.closed()

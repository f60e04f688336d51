"""What an agent asks for after the person pressed stop is not done any more."""

import asyncio

from tests.browser.host.host_stage import Stage
from tests.browser.host.scripted_agent import ScriptedAgent
from tests.support.until import until

TURNS = 200


async def ask_and_wait(stage: Stage, agent: ScriptedAgent) -> None:
    """Send a command, and give the host the time in which it would have done it."""
    await agent.end.writer.send(agent.command("click", selector="#export"))
    await until(lambda: any(line.startswith("PIPE_CMD") for line in stage.log.lines))
    for _ in range(TURNS):
        await asyncio.sleep(0)


async def test_a_command_that_comes_after_the_abort_is_not_done() -> None:
    stage = Stage(exit_seconds=20)
    async with stage.playing() as agent:
        aborting = asyncio.create_task(stage.host.abort("stop"))
        assert await agent.until_told_to_stop() == "stop"
        await ask_and_wait(stage, agent)
        assert not stage.executor.entered.is_set()
        await agent.complete("aborted", "aborted")
        await aborting
    assert stage.completed.state == "aborted"
    assert stage.executor.done == []


async def test_a_question_that_comes_after_the_abort_is_not_put_to_the_person() -> None:
    stage = Stage("approved", exit_seconds=20)
    async with stage.playing() as agent:
        aborting = asyncio.create_task(stage.host.abort("stop"))
        await agent.until_told_to_stop()
        asking = asyncio.create_task(agent.ask("click", selector="#void"))
        await until(lambda: any("CONFIRM_REQUEST" in line for line in stage.log.lines))
        for _ in range(TURNS):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        await agent.complete("aborted", "aborted")
        await aborting
    assert stage.person.asked == []


async def test_without_the_abort_the_same_command_is_done() -> None:
    stage = Stage(exit_seconds=20)
    async with stage.playing() as agent:
        await ask_and_wait(stage, agent)
        assert (await agent.next()).success  # type: ignore[union-attr]
        await agent.complete()
    assert [action for action, _ in stage.executor.done] == ["click"]

"""Whichever way a task ends, the host has one end for it, and nothing is left running."""

import asyncio

import pytest

from browser.host.agent_link import AgentLink
from browser.host.memory_executor import MemoryExecutor
from engine.pipe.framing import encode_line
from states.page import PageState
from states.wire import (
    PROTOCOL_VERSION,
    Init,
    StateChanged,
    TaskCompleted,
)
from tests.browser.host.host_stage import ELEMENTS, PAGE, POLICY, Stage


class FaultyPage(MemoryExecutor):
    """A page that cannot even be told, for a reason that nobody thought of."""

    async def page_state(self) -> PageState:
        raise RuntimeError("a defect")


class SlowLink(AgentLink):
    """A link whose agent takes its time to be gone."""

    def __init__(self, link: AgentLink) -> None:
        vars(self).update(vars(link))
        self.is_killing, self.may_end = asyncio.Event(), asyncio.Event()

    async def kill(self) -> None:
        self.is_killing.set()
        await self.may_end.wait()
        await super().kill()

    async def close(self) -> None:
        await self.kill()


async def test_broken_lines_are_noted_and_the_next_one_is_taken() -> None:
    stage = Stage(line_bytes_max=2000)
    async with stage.playing() as agent:
        for line in (b"\n", b"\xff\n", b"{\n", b'{"type":"run"}\n', b"x" * 5000 + b"\n"):
            await agent.write(line)
        assert (await agent.do("click", selector="#export")).success
        await agent.complete()
    noted = [line.split()[1] for line in stage.log.lines if line.startswith("PROTOCOL_ERROR")]
    assert noted == [
        "code=line_empty",
        "code=line_not_utf8",
        "code=line_not_json",
        "code=message_schema",
        "code=line_too_long",
    ]


async def test_an_agent_that_breaks_the_protocol_too_often_is_stopped() -> None:
    stage = Stage(protocol_errors_max=3)
    async with stage.playing() as agent:
        await agent.write(b"nonsense\n" * 4)
    assert (stage.completed.state, stage.completed.reason) == ("failed", "agent_broke_protocol")


async def test_an_agent_that_dies_in_the_middle_of_a_command_ends_the_task() -> None:
    stage = Stage()
    stage.executor.released.clear()
    async with stage.playing() as agent:
        await agent.end.writer.send(StateChanged(state="waiting", event="asked", step=3))
        await agent.end.writer.send(agent.command("click", selector="#export"))
        await agent.end.close(1)
    assert (stage.completed.state, stage.completed.reason) == ("failed", "agent_lost")
    assert (stage.completed.path, stage.completed.steps) == (("idle", "waiting", "failed"), 3)
    [sent] = stage.completed.commands
    assert (sent.action, sent.success, sent.error) == ("click", False, "interrupted")
    assert stage.completed.reason_text
    stage.executor.released.set()
    await asyncio.sleep(0)
    assert stage.executor.done == []  # what was in flight ended with it


async def test_an_agent_that_dies_while_the_person_is_asked_ends_the_question() -> None:
    stage = Stage()
    async with stage.playing() as agent:
        asking = asyncio.create_task(agent.ask("click", selector="#void"))
        await stage.person.waiting.wait()
        asking.cancel()
        await agent.end.close(1)
    assert stage.completed.reason == "agent_lost"


async def test_a_browser_lost_in_a_command_ends_the_run_and_the_agent_is_not_told() -> None:
    stage = Stage()
    async with stage.playing() as agent:
        stage.executor.lost = True
        await agent.end.writer.send(agent.command("click", selector="#export"))
    assert (stage.completed.state, stage.completed.reason) == ("failed", "browser_lost")
    # An agent that were told would end its ledger, and nothing could go on from it.
    assert await agent.end.reader.read_document() is None


async def test_a_browser_lost_while_nothing_is_asked_of_it_ends_the_run_too() -> None:
    stage = Stage()
    async with stage.playing():
        stage.host.browser_lost()
    assert (stage.completed.state, stage.completed.reason) == ("failed", "browser_lost")


async def test_a_fault_of_the_host_is_answered_instead_of_leaving_the_agent_waiting() -> None:
    stage = Stage(RuntimeError("no terminal"), "approved")
    async with stage.playing() as agent:
        answer = await agent.ask("click", selector="#void")
        assert answer.decision == "rejected"
        assert answer.error is not None
        assert answer.error.code == "host_fault"
        assert (await agent.ask("click", selector="#void")).decision == "approved"
        await agent.complete()


async def test_an_answer_too_large_for_the_pipe_becomes_a_refusal() -> None:
    stage = Stage(response_bytes_max=6000)
    async with stage.playing() as agent:
        stage.executor.page = PAGE.model_copy(update={"title": "x" * 8000})
        answer = await agent.do("click", selector="#export")
        assert (answer.success, answer.error.code) == (False, "pipe_message_too_large")
        stage.executor.page = PAGE
        assert (await agent.do("click", selector="#export")).success
        await agent.complete()


async def test_an_abort_cancels_what_runs_and_the_agent_ends_the_task() -> None:
    stage = Stage(exit_seconds=20)
    stage.executor.released.clear()
    async with stage.playing() as agent:
        await agent.end.writer.send(agent.command("click", selector="#export"))
        await stage.executor.entered.wait()
        aborting = asyncio.create_task(stage.host.abort("stop"))
        assert await agent.until_told_to_stop() == "stop"
        await agent.complete("aborted", "aborted")
        await aborting
    assert (stage.completed.state, stage.completed.answer) == ("aborted", "done")
    assert stage.executor.done == []


async def test_an_abort_withdraws_the_question_to_the_person() -> None:
    stage = Stage(exit_seconds=20)
    async with stage.playing() as agent:
        asking = asyncio.create_task(agent.ask("click", selector="#void"))
        await stage.person.waiting.wait()
        asking.cancel()
        aborting = asyncio.create_task(stage.host.abort())
        await agent.until_told_to_stop()
        await agent.complete("aborted")
        await aborting
    assert stage.completed.state == "aborted"


async def test_an_agent_that_does_not_listen_to_an_abort_is_ended_all_the_same() -> None:
    stage = Stage()
    async with stage.playing():
        await stage.host.abort("enough")
    assert (stage.completed.state, stage.completed.reason) == ("aborted", "aborted")
    assert "enough" in stage.completed.reason_text


async def test_an_abort_before_the_task_starts_nothing() -> None:
    stage = Stage()
    await stage.host.abort("early")
    completed = await stage.start()
    assert completed.state == "aborted"
    assert await stage.agent.end.reader.read_document() is None


async def test_an_abort_while_the_agent_starts_ends_the_start() -> None:
    stage = Stage()
    running = stage.start()
    assert isinstance(await stage.agent.next(), Init)
    await stage.host.abort()
    assert (await running).state == "aborted"


async def test_an_agent_that_is_not_ready_in_time_ends_the_task() -> None:
    stage = Stage(ready_seconds=0.05)
    completed = await stage.start()
    assert (completed.state, completed.reason) == ("failed", "agent_not_ready")


async def test_an_agent_of_another_protocol_is_not_given_the_task() -> None:
    stage = Stage()
    running = stage.start()
    await stage.agent.start(protocol=PROTOCOL_VERSION + 1)
    completed = await running
    assert completed.reason == "agent_protocol"
    assert "protocol 2" in completed.reason_text


async def test_a_silent_agent_is_stopped_and_one_that_answers_pings_is_not() -> None:
    stage = Stage(ping_seconds=0.05)
    async with stage.playing():
        pass  # says nothing more
    assert (stage.completed.state, stage.completed.reason) == ("failed", "agent_silent")
    good = Stage(ping_seconds=0.3)
    async with good.playing() as agent:
        listening = asyncio.create_task(agent.next())
        await asyncio.sleep(1)
        assert not listening.done()
        listening.cancel()
        await asyncio.wait([listening])
        await agent.complete()
    assert good.completed.state == "completed"


async def test_an_agent_that_goes_on_past_the_tasks_time_is_stopped() -> None:
    stage = Stage(ping_seconds=0.05)
    async with stage.playing() as agent:
        stage.clock.offset = 10_000
        assert await agent.next() is None
    assert stage.completed.reason == "agent_over_time"


async def test_the_end_of_another_task_is_not_the_end_of_this_one() -> None:
    stage = Stage()
    async with stage.playing() as agent:
        foreign = TaskCompleted(trace_id="sgclaw-20260303-ffffffff", state="completed")
        await agent.write(encode_line(foreign))
        assert (await agent.do("click", selector="#export")).success
        await agent.complete("failed", "loop")
    assert (stage.completed.state, stage.completed.reason) == ("failed", "loop")


async def test_a_cancelled_run_leaves_no_task_behind() -> None:
    stage = Stage()
    running = stage.start()
    await stage.agent.start()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await stage.agent.next() is None
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("host-")]
    await stage.agent.end.close(1)


async def test_a_browser_lost_before_the_next_agent_is_not_forgotten() -> None:
    stage = Stage()
    stage.host.browser_lost()
    completed = await stage.start()
    assert (completed.state, completed.reason) == ("failed", "browser_lost")
    assert await stage.agent.end.reader.read_document() is None  # nothing was begun
    second = Stage()
    second.host = stage.host  # and it is told once
    async with second.playing() as agent:
        await agent.complete()
    assert second.completed.state == "completed"


async def test_a_browser_lost_under_a_question_ends_the_run_and_asks_nobody() -> None:
    stage = Stage("approved")
    async with stage.playing() as agent:
        stage.executor.lost = True
        question = agent.sealing.seal(agent.question("click", selector="#void"))
        await agent.end.writer.send(question)
    assert (stage.completed.state, stage.completed.reason) == ("failed", "browser_lost")
    assert stage.person.asked == []


async def test_an_abort_while_a_dead_agent_is_cleared_away_is_not_lost() -> None:
    stage = Stage()
    link = stage.link = SlowLink(stage.link)
    async with stage.playing() as agent:
        assert (await agent.do("click", selector="#export")).success
        await agent.end.close(1)
        await link.is_killing.wait()
        await stage.host.abort("enough")
        link.may_end.set()
    assert (stage.completed.state, stage.completed.reason) == ("aborted", "aborted")
    assert "enough" in stage.completed.reason_text
    assert [command.action for command in stage.completed.commands] == ["click"]


async def test_an_abort_after_the_task_had_ended_changes_nothing() -> None:
    stage = Stage()
    link = stage.link = SlowLink(stage.link)
    async with stage.playing() as agent:
        end = TaskCompleted(trace_id=agent.init.trace_id, state="completed", answer="done")
        await agent.end.writer.send(end)
        await link.is_killing.wait()
        await stage.host.abort("enough")
        link.may_end.set()
    assert (stage.completed.state, stage.completed.answer) == ("completed", "done")


async def test_a_fault_of_the_host_while_it_greets_is_an_end_like_any_other() -> None:
    stage = Stage()
    stage.executor = FaultyPage(POLICY, PAGE, ELEMENTS)
    stage.host = stage.new_host()
    running = stage.start()
    greeted = asyncio.create_task(stage.agent.start())
    completed = await running
    greeted.cancel()
    await asyncio.wait([greeted])
    assert (completed.state, completed.reason) == ("failed", "host_fault")
    await stage.until_noted("HOST_FAULT")

"""What the host tells of a task is what it saw: commands, approvals, questions."""

from typing import Any

import pytest

from browser.host.task_memory import NoJournal, TaskMemory
from states.policy import Target
from states.settings import BrowserLimits, TaskLimits
from states.wire import (
    CommandReport,
    ConfirmationRequired,
    LogEntry,
    StateChanged,
)
from tests.browser.host.host_stage import Stage
from tests.support.until import until

VOID = Target(role="button", name="作废", serial=7, form_state="10 to the supplier")


@pytest.mark.parametrize(
    "now", [{"serial": 8}, {"form_state": "1000000 to Mallory"}, {"serial": 7}], ids=str
)
async def test_an_approval_is_for_this_element_and_this_content_of_its_form(
    now: dict[str, Any],
) -> None:
    stage = Stage("approved")
    stage.executor.elements["#void"] = VOID
    async with stage.playing() as agent:
        assert (await agent.ask("click", selector="#void")).decision == "approved"
        stage.executor.elements["#void"] = VOID.model_copy(update=now)
        answer = await agent.do("click", selector="#void")
        assert "Mallory" not in str(answer)
        if stage.executor.elements["#void"] == VOID:  # the control: nothing changed
            assert answer.success
        else:
            assert isinstance(answer, ConfirmationRequired)
            assert stage.executor.done == []
        await agent.complete()


@pytest.mark.parametrize(
    ("between", "passes"), [("click", False), ("getText", True), ("refused", True)]
)
async def test_a_command_that_acts_takes_the_other_approvals_back_and_reading_does_not(
    between: str, *, passes: bool
) -> None:
    stage = Stage("approved")
    async with stage.playing() as agent:
        await agent.ask("click", selector="#void")
        if between == "click":
            assert (await agent.do("click", selector="#export")).success
        elif between == "getText":
            assert (await agent.do("getText", selector="#export")).success
        else:
            assert isinstance(await agent.do("click", selector="#delete"), ConfirmationRequired)
        answer = await agent.do("click", selector="#void")
        assert isinstance(answer, ConfirmationRequired) is not passes
        await agent.complete()


async def test_a_rejection_is_of_the_element_however_the_command_is_spelled() -> None:
    stage = Stage("rejected", "approved")
    stage.executor.elements |= {
        "#void": VOID,
        "main button": VOID,
        "#other": VOID.model_copy(update={"serial": 8}),
    }
    async with stage.playing() as agent:
        assert (await agent.ask("click", selector="#void")).decision == "rejected"
        for params in ({"selector": "#void", "timeout_ms": 5}, {"selector": "main button"}):
            assert (await agent.ask("click", **params)).decision == "rejected"
            refused = await agent.do("click", **params)
            assert (refused.success, refused.error.code) == (False, "rejected_before")
        assert (await agent.ask("click", selector="#other")).decision == "approved"
        await agent.complete()
    assert [card.target.serial for card in stage.person.asked] == [7, 8]


async def test_a_task_asks_the_person_no_more_often_than_the_settings_let_it() -> None:
    stage = Stage("approved", "approved", "approved", task=TaskLimits(questions_max=2))
    async with stage.playing() as agent:
        for _ in range(2):
            assert (await agent.ask("click", selector="#void")).decision == "approved"
        third = await agent.ask("click", selector="#delete")
        assert third.decision == "rejected"
        assert third.error is not None
        assert third.error.code == "questions_spent"
        assert "2 times" in third.error.message
        await agent.complete()
    assert len(stage.person.asked) == 2


async def test_reports_wait_while_a_question_is_open_and_come_after_the_answer() -> None:
    stage = Stage(held_events_max=3)
    async with stage.playing() as agent:
        await agent.end.writer.send(StateChanged(state="confirm", event="before"))
        await agent.end.writer.send(agent.sealing.seal(agent.question("click", selector="#void")))
        await stage.person.waiting.wait()
        for state in ("a", "b", "c"):
            await agent.end.writer.send(StateChanged(state=state, event="flood"))
        await agent.end.writer.send(LogEntry(event="planned", message="Approve this?"))
        await agent.write(b"nonsense\n")  # noted when all before it was read
        await stage.until_noted("PROTOCOL_ERROR")
        assert [event.event for event in stage.events] == ["before"]
        stage.person.later.put_nowait("approved")
        assert (await agent.next()).decision == "approved"  # type: ignore[union-attr]
        assert [event.event for event in stage.events] == ["before", "flood", "flood", "planned"]
        await agent.complete()
    assert stage.completed.path == ("idle", "confirm", "a", "b", "c", "completed")


async def test_the_end_tells_the_hosts_own_record_whatever_the_agent_claims() -> None:
    stage = Stage("approved")
    async with stage.playing() as agent:
        await agent.end.writer.send(StateChanged(state="planning", event="submit_task"))
        await agent.ask("click", selector="#void")
        await agent.do("click", selector="#void")
        await agent.do("eval", selector="#export")
        read = CommandReport(seq=1, action="getText", success=True)
        await agent.complete(commands=(read,), path=("idle", "completed"), steps=0)
    told = [
        (c.seq, c.action, c.params, c.success, c.approved_by, c.error)
        for c in stage.completed.commands
    ]
    assert told == [
        (2, "click", {"selector": "#void"}, True, "person", ""),
        (3, "eval", {}, False, None, "action_never"),
    ]
    assert stage.completed.path == ("idle", "planning", "completed")
    assert stage.completed.steps == 2
    assert (stage.completed.state, stage.completed.answer) == ("completed", "done")
    assert "REPORT_MENDED fields=commands,path,steps" in stage.log.lines


async def test_an_honest_report_is_taken_as_it_is() -> None:
    stage = Stage()
    async with stage.playing() as agent:
        await agent.do("click", selector="#export")
        sent = CommandReport(seq=1, action="click", params={"selector": "#export"}, success=True)
        await agent.complete(commands=(sent,), path=("idle", "completed"), steps=4)
    assert stage.completed.steps == 4  # refusals of its own are steps that the host never sees
    assert not any("REPORT_MENDED" in line for line in stage.log.lines)


async def test_a_command_begun_before_the_agent_says_it_is_done_stands_in_the_record() -> None:
    stage = Stage()
    stage.executor.answered.clear()
    async with stage.playing() as agent:
        await agent.end.writer.send(agent.command("click", selector="#export"))
        await until(lambda: stage.executor.done != [])
        await agent.complete()
    [sent] = stage.completed.commands
    assert (sent.action, sent.success, sent.error) == ("click", False, "unknown_outcome")


async def test_a_command_cut_short_before_it_acted_is_not_called_unknown() -> None:
    stage = Stage()
    stage.executor.released.clear()
    async with stage.playing() as agent:
        await agent.end.writer.send(agent.command("click", selector="#export"))
        await stage.executor.entered.wait()
        await agent.complete()
    [sent] = stage.completed.commands
    assert (sent.success, sent.error) == (False, "interrupted")
    assert stage.executor.done == []


async def test_when_the_record_is_full_nothing_more_is_done() -> None:
    stage = Stage(task=TaskLimits(steps_max=1))
    async with stage.playing() as agent:
        codes = []
        for _ in range(21):
            answer = await agent.do("click", selector="#export")
            codes.append(answer.error.code if answer.error else "")
        assert codes == [""] * 20 + ["commands_spent"]
        await agent.complete()
    assert len(stage.executor.done) == len(stage.completed.commands) == 20


async def test_a_command_that_acted_and_came_to_no_end_is_unknown_and_asks_a_person_again() -> None:
    stage = Stage("approved", task=TaskLimits(command_seconds=0.2))
    limits = BrowserLimits(cdp_seconds=0.1)
    stage.settings = stage.settings.model_copy(update={"browser": limits})
    stage.host = stage.new_host()
    stage.executor.answered.clear()
    async with stage.playing() as agent:
        late = await agent.do("click", selector="#export")
        assert (late.success, late.error.code) == (False, "unknown_outcome")
        assert "command_over_time" in late.error.message
        stage.executor.answered.set()
        again = await agent.do("click", selector="#export")
        assert isinstance(again, ConfirmationRequired)
        assert "was sent before" in again.reason
        assert (await agent.ask("click", selector="#export")).decision == "approved"
        assert (await agent.do("click", selector="#export")).success
        await agent.complete()
    assert "was sent before" in stage.person.asked[0].reason
    errors = [command.error for command in stage.completed.commands]
    assert errors == ["unknown_outcome", ""]


async def test_a_read_that_comes_to_no_end_is_told_as_it_was() -> None:
    stage = Stage(task=TaskLimits(command_seconds=0.2))
    limits = BrowserLimits(cdp_seconds=0.1)
    stage.settings = stage.settings.model_copy(update={"browser": limits})
    stage.host = stage.new_host()
    stage.executor.answered.clear()
    async with stage.playing() as agent:
        late = await agent.do("getText", selector="#export")
        assert late.error.code == "command_over_time"
        await agent.complete()


async def test_a_refused_command_does_not_make_the_one_before_it_known() -> None:
    stage = Stage()
    stage.executor.answered.clear()
    async with stage.playing() as agent:
        await agent.end.writer.send(agent.command("click", selector="#export"))
        await until(lambda: stage.executor.done != [])
        await agent.end.writer.send(agent.command("click", "evil.test", selector="#export"))
        await stage.until_noted("MAC_CHECK: DENY")
        await agent.end.close(1)
    told = {command.seq: command.error for command in stage.completed.commands}
    assert told == {1: "unknown_outcome", 2: "host_not_in_policy"}


async def test_a_log_that_breaks_hides_no_command_that_acted() -> None:
    stage = Stage()
    kept = TaskMemory(TaskLimits(), stage.clock, NoJournal())
    stage.memory = kept
    stage.log.breaks_at = "CMD_EXEC: OK"
    running = stage.start()
    await stage.agent.start()
    await stage.agent.end.writer.send(stage.agent.command("click", selector="#export"))
    with pytest.raises(OSError, match="No space"):
        await running
    await stage.agent.end.close(1)
    assert [command.error for command in kept.record.commands] == ["unknown_outcome"]

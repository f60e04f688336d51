"""The host's loop with a scripted agent: nothing risky without its approval, and one end."""

from typing import Any

import pytest

from browser.host.outcome import Dialog
from states.policy import Target
from states.wire import (
    ConfirmationRequired,
    LogEntry,
    Response,
    StateChanged,
)
from tests.browser.host.host_stage import PAGE, Stage


async def test_a_task_goes_from_init_to_its_end() -> None:
    stage = Stage()
    async with stage.playing() as agent:
        assert agent.task.instruction == "export it"
        assert agent.task.page == PAGE
        await agent.end.writer.send(StateChanged(state="planning", event="submit", step=1))
        await agent.end.writer.send(LogEntry(event="note", message="hello"))
        answer = await agent.do("click", selector="#export")
        assert (answer.seq, answer.success, answer.page) == (1, True, PAGE)
        await agent.complete()
    assert stage.completed.state == "completed"
    assert stage.completed.answer == "done"
    assert [event.type for event in stage.events] == ["state_changed", "log_entry"]
    assert [action for action, _ in stage.executor.done] == ["click"]
    assert [line.split(" (")[0] for line in stage.log.lines[2:5]] == [
        "PIPE_CMD seq=1 action=click domain=erp.example.com",
        "MAC_CHECK: ALLOW seq=1",
        "CMD_EXEC: OK",
    ]


async def test_a_failed_command_is_answered_and_the_task_goes_on() -> None:
    stage = Stage()
    async with stage.playing() as agent:
        failed = await agent.do("click", selector="#nowhere")
        assert not failed.success
        assert failed.error.code == "element_not_found"
        assert (await agent.do("click", selector="#export")).success
        await agent.complete()


async def test_a_risky_click_waits_for_the_approval_of_exactly_it_and_spends_it() -> None:
    stage = Stage("approved", "approved")
    async with stage.playing() as agent:
        asked = await agent.do("click", selector="#void")
        assert isinstance(asked, ConfirmationRequired)
        assert asked.target.name == "作废"
        assert stage.executor.done == []
        confirmed = await agent.ask("click", asked.digest, selector="#void")
        assert (confirmed.decision, confirmed.approved_by) == ("approved", "person")
        assert confirmed.digest == asked.digest
        other = await agent.do("click", selector="#delete")
        assert isinstance(other, ConfirmationRequired)  # that was an approval of another digest
        assert (await agent.do("click", selector="#void")).success
        replayed = await agent.do("click", selector="#void")
        assert isinstance(replayed, ConfirmationRequired)  # single use
        await agent.complete()
    assert [params["selector"] for _, params in stage.executor.done] == ["#void"]
    card = stage.person.asked[0]
    assert (card.action, card.target.name, card.host) == ("click", "作废", PAGE.origin)
    assert "作废" in card.reason


async def test_the_agent_may_ask_before_it_sends_and_short_parameters_are_the_same_command() -> (
    None
):
    stage = Stage("approved")
    async with stage.playing() as agent:
        assert (await agent.ask("click", selector="#void")).decision == "approved"
        assert (await agent.do("click", selector="#void", timeout_ms=20_000)).success
        await agent.complete()


async def test_asking_never_acts_even_where_no_approval_is_needed() -> None:
    stage = Stage("approved")
    async with stage.playing() as agent:
        assert (await agent.ask("click", selector="#export")).decision == "approved"
        await agent.complete()
    assert stage.executor.done == []


async def test_a_rejected_command_is_never_asked_again_and_never_passes() -> None:
    stage = Stage("rejected", "approved")
    async with stage.playing() as agent:
        assert (await agent.ask("click", selector="#void")).decision == "rejected"
        assert (await agent.ask("click", selector="#void")).decision == "rejected"
        refused = await agent.do("click", selector="#void")
        assert (refused.success, refused.error.code) == (False, "rejected_before")
        assert (await agent.ask("click", selector="#delete")).decision == "approved"
        await agent.complete()
    assert [card.target.name for card in stage.person.asked] == ["作废", "Delete"]
    assert stage.executor.done == []


async def test_no_answer_is_expired_and_may_be_asked_again() -> None:
    stage = Stage("expired", "approved")
    async with stage.playing() as agent:
        assert (await agent.ask("click", selector="#void")).decision == "expired"
        assert isinstance(await agent.do("click", selector="#void"), ConfirmationRequired)
        assert (await agent.ask("click", selector="#void")).decision == "approved"
        await agent.complete()


async def test_an_approval_runs_out() -> None:
    stage = Stage("approved", "approved")
    async with stage.playing() as agent:
        await agent.ask("click", selector="#void")
        stage.clock.offset = stage.settings.task.approval_seconds
        assert isinstance(await agent.do("click", selector="#void"), ConfirmationRequired)
        await agent.ask("click", selector="#void")
        assert (await agent.do("click", selector="#void")).success
        await agent.complete()


@pytest.mark.parametrize("change", ["document", "target", "origin"])
async def test_an_approval_does_not_pass_once_the_page_is_another(change: str) -> None:
    stage = Stage("approved")
    async with stage.playing() as agent:
        await agent.ask("click", selector="#void")
        if change == "document":
            stage.executor.page = PAGE.model_copy(update={"document_id": "d2"})
        elif change == "target":
            stage.executor.elements["#void"] = Target(role="button", name="Delete everything")
        else:
            stage.executor.page = PAGE.model_copy(update={"origin": "https://evil.test"})
        answer = await agent.do("click", selector="#void")
        assert not isinstance(answer, Response) or not answer.success
        await agent.complete()
    assert stage.executor.done == []


async def test_a_question_whose_target_changed_or_is_gone_is_not_put_to_the_person() -> None:
    stage = Stage("approved")
    async with stage.playing() as agent:
        asked = await agent.do("click", selector="#void")
        stage.executor.elements["#void"] = Target(role="button", name="Delete everything")
        changed = await agent.ask("click", asked.digest, selector="#void")
        assert changed.error is not None
        assert changed.error.code == "approval_target_changed"
        gone = await agent.ask("click", selector="#nowhere")
        assert gone.error is not None
        assert gone.error.code == "element_not_found"
        await agent.complete()
    assert stage.person.asked == []


async def test_going_on_is_asked_without_a_command() -> None:
    stage = Stage("approved", "rejected")
    stage.init = stage.init.model_copy(update={"step_mode": True})
    async with stage.playing() as agent:
        assert (await agent.ask_to_go_on("click")).decision == "approved"
        assert (await agent.ask_to_go_on("Approve this?")).decision == "rejected"
        await agent.complete()
    assert [card.purpose for card in stage.person.asked] == ["step", "step"]
    assert [card.action for card in stage.person.asked] == ["click", ""]


async def test_going_on_is_not_asked_in_a_task_that_does_not_run_step_by_step() -> None:
    stage = Stage("approved")
    async with stage.playing() as agent:
        refused = await agent.ask_to_go_on()
        assert refused.error is not None
        assert (refused.decision, refused.error.code) == ("rejected", "step_not_asked")
        await agent.complete()
    assert stage.person.asked == []


async def test_a_dialog_is_answered_only_when_open_and_only_with_an_approval() -> None:
    stage = Stage("approved")
    async with stage.playing() as agent:
        assert (await agent.answer_dialog(accept=True)).error.code == "no_open_dialog"
        stage.executor.dialog = Dialog("confirm", "Delete all?")
        asked = await agent.answer_dialog(accept=True)
        assert isinstance(asked, ConfirmationRequired)
        assert asked.target.name == "Delete all?"
        await agent.ask("dialog_response", asked.digest, accept=True, text="")
        other = await agent.answer_dialog(accept=False)
        assert isinstance(other, ConfirmationRequired)  # the other answer was not approved
        assert (await agent.answer_dialog(accept=True)).success
        await agent.complete()
    assert [action for action, _ in stage.executor.done] == ["dialog_response"]


async def test_a_refused_command_is_answered_and_does_nothing() -> None:
    stage = Stage()
    async with stage.playing() as agent:
        for action, domain, code in (
            ("eval", "erp.example.com", "action_never"),
            ("click", "evil.test", "host_not_in_policy"),
        ):
            answer = await agent.do(action, domain, selector="#export")
            assert (answer.success, answer.error.code) == (False, code)
        assert (await agent.do("click", selector="#export")).success
        await agent.complete()
    assert len(stage.executor.done) == 1
    assert sum("MAC_CHECK: DENY" in line for line in stage.log.lines) == 2


async def test_a_tampered_and_a_replayed_command_are_answered_and_do_nothing() -> None:
    stage = Stage()
    async with stage.playing() as agent:
        good = agent.command("click", selector="#export")
        await agent.end.writer.send(good.model_copy(update={"params": {"selector": "#void"}}))
        tampered: Any = await agent.next()
        assert tampered.error.code == "bad_hmac"
        await agent.end.writer.send(good)
        assert (await agent.next()).success  # type: ignore[union-attr]
        await agent.end.writer.send(good)
        replayed: Any = await agent.next()
        assert replayed.error.code == "seq_replayed"
        await agent.complete()
    assert len(stage.executor.done) == 1

"""What the host did survives the host: intents, outcomes, and every no (L8)."""

from collections.abc import Mapping
from typing import Any

import pytest

from browser.host.approvals import Subject
from browser.host.outcome import ResolvedCall
from browser.host.task_memory import TaskMemory
from states.errors import SgclawError
from states.policy import Effect, Target
from states.settings import TaskLimits
from states.wire import CommandReport, ConfirmationRequired, TaskCompleted
from tests.browser.host.host_stage import Stage


class Journal:
    def __init__(self, *, full: bool = False) -> None:
        self.rows: list[dict[str, Any]] = []
        self.durable: list[str] = []
        self.full = full

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        if self.full:
            raise SgclawError("ledger_unwritable", path="x", why="No space left on device")
        self.rows.append(dict(row))
        if durable:
            self.durable.append(str(row["kind"]))


def memory(journal: Journal) -> TaskMemory:
    return TaskMemory(TaskLimits(), lambda: 0.0, journal)


CALL = ResolvedCall("click", {"selector": "#void"}, "https://erp.example.com", "d1",
                    Target(role="button", name="作废"), Effect.CONFIRM)  # fmt: skip


def report(seq: int, *, success: bool = True) -> CommandReport:
    return CommandReport(seq=seq, action="click", params={"selector": "#void"}, success=success)


def test_an_intent_without_an_outcome_is_unknown_to_the_next_host() -> None:
    journal = Journal()
    first = memory(journal)
    first.settled(report(1), "https://erp.example.com/a")
    first.intend(CALL, "anna")
    assert journal.durable == ["intent"]  # what cannot have acted is not waited for
    second = memory(Journal())
    second.restore(journal.rows)
    done, unknown = second.record.commands
    assert (done.seq, done.success) == (1, True)
    assert (unknown.action, unknown.success, unknown.error) == ("click", False, "unknown_outcome")
    assert unknown.approved_by == "anna"
    assert second.url == "https://erp.example.com/a"


def test_an_intent_with_its_outcome_is_known_and_stands_once() -> None:
    journal = Journal()
    first = memory(journal)
    first.intend(CALL, "anna")
    intended = [first.intends]
    first.settled(report(1))
    assert journal.durable == ["intent", "outcome"]
    assert [*intended, first.intends] == [True, False]
    second = memory(Journal())
    second.restore(journal.rows)
    assert [(r.success, r.error) for r in second.record.commands] == [(True, "")]


def test_the_unknown_command_is_not_added_again_by_a_third_host() -> None:
    journal = Journal()
    memory(journal).intend(CALL, None)
    memory(journal).restore(list(journal.rows))
    third = memory(journal)
    third.restore(list(journal.rows))
    assert len(third.record.commands) == 1


def test_a_no_holds_over_the_life_of_the_host() -> None:
    journal = Journal()
    subject = Subject("digest", "mark")
    memory(journal).reject(subject)
    second = memory(Journal())
    assert not second.approvals.was_rejected(subject)
    second.restore(journal.rows)
    assert second.approvals.was_rejected(subject)
    assert second.approvals.was_rejected(Subject("another", "mark"))


def test_commands_of_a_second_agent_count_on() -> None:
    kept = memory(Journal())
    kept.record.add(report(7))
    kept.record.new_session()
    assert kept.record.shown({"a": "x" * 5000})["a"].endswith("…")
    assert kept.record.seq_before == 7


@pytest.mark.parametrize("selector", ["#export", "#void"])
async def test_when_the_journal_is_full_nothing_is_done(selector: str) -> None:
    stage = Stage("approved")
    stage.memory = memory(Journal(full=True))
    async with stage.playing() as agent:
        if selector == "#void":
            await agent.ask("click", selector=selector)
        await agent.end.writer.send(agent.command("click", selector=selector))
    assert stage.executor.done == []
    assert (stage.completed.state, stage.completed.reason) == ("failed", "ledger_unwritable")
    assert "No space left" in stage.completed.reason_text


async def test_with_room_in_the_journal_the_same_click_is_done() -> None:
    stage = Stage()
    stage.memory = memory(Journal())
    async with stage.playing() as agent:
        assert (await agent.do("click", selector="#export")).success
        await agent.complete()
    assert [action for action, _ in stage.executor.done] == ["click"]


def test_a_no_is_on_disk_at_once() -> None:
    journal = Journal()
    memory(journal).reject(Subject("digest", "mark"))
    assert journal.durable == ["rejected"]


def test_no_secret_reaches_the_journal() -> None:
    journal = Journal()
    kept = memory(journal)
    kept.intend(CALL._replace(params={"selector": "#a", "text": "4711"}), None)
    kept.intend(CALL._replace(params={"selector": "ghp_" + "a" * 24}), None)
    kept.settled(report(1), "https://anna:hunter2@erp.example.com/a")
    written = repr(journal.rows)
    assert "#a" in written
    assert "<4 chars>" in written
    assert "4711" not in written
    assert "ghp_" not in written
    assert "hunter2" not in written


async def test_an_approval_is_not_inherited_by_the_next_agent() -> None:
    kept = memory(Journal())
    first, second = Stage("approved"), Stage()
    first.memory = second.memory = kept
    async with first.playing() as agent:
        assert (await agent.ask("click", selector="#void")).decision == "approved"
        await agent.complete()
    async with second.playing() as agent:
        assert isinstance(await agent.do("click", selector="#void"), ConfirmationRequired)
        await agent.complete()
    assert second.executor.done == []


def test_an_address_that_was_being_opened_is_interrupted_and_not_unknown() -> None:
    journal = Journal()
    memory(journal).intend(CALL._replace(action="navigate", params={"url": "https://a/"}), None)
    second = memory(Journal())
    second.restore(journal.rows)
    [report] = second.record.commands
    assert (report.seq, report.action, report.error) == (1, "navigate", "interrupted")
    assert not second.sent_before(CALL._replace(action="navigate"))


def test_the_next_host_knows_a_command_again_whose_outcome_nobody_learned() -> None:
    journal = Journal()
    memory(journal).intend(CALL, None, "digest")
    assert journal.rows[0]["digest"] == "digest"
    for _ in range(2):  # the host after the next knows it too
        kept = memory(journal)
        kept.restore(list(journal.rows))
        spelled = {"selector": "main button", "timeout_ms": 5}
        assert kept.sent_before(CALL._replace(document_id="d2", params=spelled))
        assert not kept.sent_before(CALL._replace(origin="https://b.example.com"))
        assert not kept.sent_before(CALL._replace(action="getText"))
        other = Target(role="button", name="Export")
        assert not kept.sent_before(CALL._replace(target=other))


def test_a_command_whose_outcome_is_known_is_not_held_back() -> None:
    journal = Journal()
    first = memory(journal)
    first.intend(CALL, "anna")
    first.settled(report(1))
    second = memory(Journal())
    second.restore(journal.rows)
    assert not first.sent_before(CALL)
    assert not second.sent_before(CALL)


def test_a_refused_command_leaves_the_one_in_flight_in_flight() -> None:
    journal = Journal()
    first = memory(journal)
    first.intend(CALL, None)
    refused = report(2, success=False).model_copy(update={"error": "domain_mismatch"})
    first.noted(refused)
    assert first.intends
    second = memory(Journal())
    second.restore(journal.rows)
    told = [(r.seq, r.error) for r in second.record.commands]
    assert told == [(2, "domain_mismatch"), (1, "unknown_outcome")]


@pytest.mark.parametrize(
    ("state", "reason"), [("failed", "loop"), ("aborted", "aborted"), ("completed", "")]
)
def test_the_journal_tells_an_end_after_which_nothing_goes_on(state: Any, reason: str) -> None:
    journal = Journal()
    trace = "sgclaw-20260303-a1b2c3d4"
    memory(journal).ended(TaskCompleted(trace_id=trace, state=state, reason=reason))
    assert journal.rows == [{"kind": "ended", "state": state, "reason": reason}]
    assert journal.durable == ["ended"]
    memory(Journal()).restore(journal.rows)


def test_what_was_typed_stands_as_its_length_over_any_number_of_hosts() -> None:
    journal = Journal()
    typed = {"selector": "#pin", "text": "4711"}
    memory(journal).intend(CALL._replace(action="type", params=typed), None)
    memory(journal).restore(list(journal.rows))
    last = memory(Journal())
    last.restore(journal.rows)
    assert [r.params["text"] for r in last.record.commands] == ["<4 chars>"]

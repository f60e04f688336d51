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
from states.wire import CommandReport
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

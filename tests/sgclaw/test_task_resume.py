"""Wherever the agent is killed, a new one goes on, and no write is sent twice (L8)."""

from pathlib import Path
from typing import Any

import pytest

from memory.errors import LedgerError
from sgclaw.past_run import past_run
from states.wire import Command, ConfirmRequest, LogEntry, TaskCompleted
from tests.sgclaw.recorded import REPLIES, host, recorded, rows
from tests.sgclaw.task_stage import TRACE, TaskStage, call, done
from tests.support.ledger_lab import TraceLedger


def starts_click(row: dict[str, Any]) -> bool:
    """Tell whether the row's effects send the approved click."""
    return str(row["event"]["type"]) == "done.invoke.ask"


def clicks(stage: TaskStage) -> int:
    sent = [m for m in stage.sent if isinstance(m, Command) and m.action == "click"]
    return len(sent)


async def resumed_from(
    tmp_path: Path, count: int, browser: str
) -> tuple[TaskStage, TaskCompleted, list[dict[str, Any]]]:
    kept = rows(await recorded(tmp_path / "first"))[:count]
    stage_data = tmp_path / "second"
    TraceLedger(stage_data, TRACE).write(kept)
    stage = TaskStage(stage_data, REPLIES, host(), browser)
    return stage, await stage.run(), kept


@pytest.mark.parametrize("browser", ["same", "new"])
async def test_a_task_cut_at_any_row_goes_on_and_never_sends_the_click_twice(
    tmp_path: Path, browser: str
) -> None:
    whole = len(rows(await recorded(tmp_path / "whole")))
    for count in range(whole + 1):
        stage, end, kept = await resumed_from(tmp_path / str(count), count, browser)
        assert end.state in ("completed", "failed"), (count, end)
        approved_before = any(starts_click(row) for row in kept)
        # In a second life the host asks anew, so an unapproved attempt may precede the click.
        if approved_before:
            assert clicks(stage) == 0, count
        unknown = [sent for sent in end.commands if sent.error == "unknown_outcome"]
        in_flight = bool(kept) and starts_click(kept[-1])
        assert bool(unknown) == in_flight or not approved_before, (count, end.commands)
        assert all(not sent.success for sent in unknown)
        past = past_run(stage.ledger.rows())
        assert past.replayed.difference is None
        assert past.is_over


async def test_the_model_and_the_person_are_told_what_is_not_known(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path / "x"))
    cut = next(n for n, row in enumerate(kept, start=1) if starts_click(row))
    stage, end, _ = await resumed_from(tmp_path, cut, "same")
    told = [m.data["text"] for m in stage.sent if isinstance(m, LogEntry) and m.event == "resumed"]
    assert len(told) == 1
    assert "click #void was done is not known" in told[0]
    # The script reads the page next, and only that backs its answer.
    assert (end.state, end.answer) == ("completed", "The invoice is void.")
    [resumption] = [row for row in rows(stage.ledger) if row["event"]["type"] == "resumed"]
    assert resumption["event"]["payload"]["lost"] == "command"


async def test_an_answer_straight_after_an_unknown_command_is_not_believed(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path / "x"))
    cut = next(n for n, row in enumerate(kept, start=1) if starts_click(row))
    TraceLedger(tmp_path / "y", TRACE).write(kept[:cut])
    replies = (*REPLIES[:2], {"text": "The invoice is void."}, {"text": "It is void."})
    end = await TaskStage(tmp_path / "y", replies, host(), "same").run()
    assert (end.state, end.reason, end.answer) == ("failed", "no_evidence", "")


async def test_the_same_click_again_needs_a_person_again(tmp_path: Path) -> None:
    """A plain click that a kill made unknown would run unasked, were it not remembered."""
    replies = (call("click", {"selector": "#query"}), call("click", {"selector": "#query"}, "2"),
               {"text": "Looked it up."})  # fmt: skip
    first = TaskStage(tmp_path / "a", replies, lambda request: done(request.seq))
    await first.run()
    sent = [type(m) for m in first.sent if isinstance(m, Command | ConfirmRequest)]
    assert sent == [Command, Command]
    kept = rows(first.ledger)[:2]
    assert kept[1]["event"]["type"] == "done.invoke.plan"
    TraceLedger(tmp_path / "b", TRACE).write(kept)
    second = TaskStage(tmp_path / "b", replies, host(), "same")
    await second.run()
    sent = [type(m) for m in second.sent if isinstance(m, Command | ConfirmRequest)]
    assert sent == [ConfirmRequest, Command]


async def test_a_task_that_had_ended_is_reported_again_and_nothing_is_done(tmp_path: Path) -> None:
    ledger = await recorded(tmp_path)
    before = ledger.rows()
    stage = TaskStage(tmp_path, REPLIES, host(), "same")
    end = await stage.run()
    assert (end.state, end.answer) == ("completed", "The invoice is void.")
    assert clicks(stage) == 0
    assert ledger.rows() == before


async def test_the_task_timer_goes_on_with_what_is_left(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path / "a"))[:4]
    kept[0]["at"] = "2026-11-29T10:00:00.000+00:00"
    for row in kept[1:]:
        row["at"] = "2026-11-29T11:00:00.000+00:00"
    TraceLedger(tmp_path / "b", TRACE).write(kept)
    slow = (*REPLIES[:1], {"delay_s": 30, "text": "late"})
    end = await TaskStage(tmp_path / "b", slow, host(), "same").run()
    assert (end.state, end.reason) == ("failed", "time_spent")


async def test_two_agents_never_write_one_ledger(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path, REPLIES, host())
    with pytest.raises(LedgerError, match="another process"):
        TaskStage(tmp_path, REPLIES, host(), "same")
    await stage.run()

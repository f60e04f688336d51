"""What `--resume TRACE` looks at before anything is started: each refusal by itself."""

from pathlib import Path
from typing import Any

import pytest

from engine.chart.core import Core
from engine.chart.errors import ChartError
from engine.chart.shell import JournalEntry
from memory.ledger import JsonLinesLedger
from sgclaw.charts import bindings_of, task_chart, task_table
from sgclaw.clock import utc_now
from sgclaw.errors import RefusedError, UsageError
from sgclaw.install import install_id
from sgclaw.journal import LedgerJournal
from sgclaw.paths import host_journal_path
from sgclaw.resume import interrupted_run
from states.errors import SgclawError
from states.settings import Settings
from states.task import Context
from states.wire import CommandReport
from tests.sgclaw.recorded import recorded, rows, write_rows
from tests.sgclaw.task_stage import TRACE
from tests.support.ledger_lab import TraceLedger

PLAN: dict[str, Any] = {
    "kind": "plan", "instruction": "do it", "settings": Settings().model_dump(mode="json"),
    "provider": {"kind": "offline"}, "language": "en", "url": "", "demo": True, "headed": False,
    "step_mode": False, "out_dir": "out", "policy_file": "",
}  # fmt: skip


async def interrupted(data: Path, count: int | None = None) -> Path:
    """Record a run, keep *count* of its rows, and let a host's journal stand beside it."""
    kept = rows(await recorded(data / "whole"))[:count]
    TraceLedger(data, TRACE).write(kept)
    journal(data)
    return data


def journal(data: Path, *more: dict[str, Any]) -> Path:
    """Let the host's journal hold the plan and *more*."""
    kept = [{"v": 1, "seq": seq, **row} for seq, row in enumerate((PLAN, *more), start=1)]
    return write_rows(host_journal_path(data, TRACE), kept)


def intent(action: str = "click") -> dict[str, Any]:
    command = {"seq": 0, "action": action, "params": {}, "success": False}
    return {"kind": "intent", "command": {**command, "error": "unknown_outcome"}}


def path_of(data: Path) -> tuple[str, ...]:
    """Return the states of the run, which may go on; leave it to the next one."""
    found = interrupted_run(data, TRACE, 0)
    found.journal.close()
    return found.path


def refusal(data: Path, trace: str = TRACE) -> str:
    with pytest.raises(SgclawError) as caught:
        interrupted_run(data, trace, 0)
    assert isinstance(caught.value, RefusedError | UsageError)
    assert not isinstance(caught.value, ChartError)
    return caught.value.code


def goes_on(data: Path) -> None:
    found = interrupted_run(data, TRACE, 0)
    assert found.path
    found.journal.close()


async def test_a_run_that_was_cut_short_goes_on_with_what_it_was_started_with(
    tmp_path: Path,
) -> None:
    found = interrupted_run(await interrupted(tmp_path, 3), TRACE, 0)
    found.journal.close()
    assert found.saved["instruction"] == "do it"
    assert found.path
    found.journal.close()


async def test_a_name_that_is_no_trace_is_not_looked_for(tmp_path: Path) -> None:
    await interrupted(tmp_path, 3)
    assert refusal(tmp_path, f"../host/{TRACE}") == "resume_malformed"
    assert refusal(tmp_path, TRACE[:-1] + "e") == "trace_unknown"


async def test_a_run_whose_host_lives_is_left_alone(tmp_path: Path) -> None:
    await interrupted(tmp_path, 3)
    host = JsonLinesLedger(host_journal_path(tmp_path, TRACE))
    assert refusal(tmp_path) == "ledger_locked"
    host.close()
    goes_on(tmp_path)


async def test_a_run_whose_agent_lives_is_left_alone(tmp_path: Path) -> None:
    await interrupted(tmp_path, 3)
    agent = TraceLedger(tmp_path, TRACE).open()
    assert refusal(tmp_path) == "ledger_locked"
    agent.close()
    goes_on(tmp_path)


async def test_a_run_of_a_time_that_was_pruned_does_not_go_on(tmp_path: Path) -> None:
    await interrupted(tmp_path, 3)
    pruned = "INSERT INTO segment VALUES ('{}', 'model', 1, 1, '', 2, '', '', '9999-12-31', 2, 9"
    pruned += ", '{}', '', '')"
    ledger = TraceLedger(tmp_path, TRACE)
    ledger.tamper(pruned.format(install_id(tmp_path), "archived"))
    goes_on(tmp_path)
    ledger.tamper("UPDATE segment SET state = 'dropped'")
    assert refusal(tmp_path) == "ledger_pruned"


async def test_a_run_that_ended_does_not_go_on(tmp_path: Path) -> None:
    assert refusal(await interrupted(tmp_path)) == "resume_ended"


async def test_a_run_that_a_replay_does_not_reproduce_does_not_go_on(tmp_path: Path) -> None:
    await interrupted(tmp_path, 3)
    ledger = TraceLedger(tmp_path, TRACE)
    kept = ledger.rows()
    kept[1]["context_sha256"] = "0" * 64
    ledger.write(kept)
    assert refusal(tmp_path) == "replay_differs"


async def test_a_run_that_the_host_ended_does_not_go_on(tmp_path: Path) -> None:
    await interrupted(tmp_path, 3)
    journal(tmp_path, {"kind": "ended", "state": "aborted", "reason": "aborted"})
    assert refusal(tmp_path) == "resume_ended"


async def test_a_ledger_that_misses_a_command_of_the_hosts_journal_does_not_go_on(
    tmp_path: Path,
) -> None:
    click = CommandReport(seq=1, action="click", params={"selector": "#void"}, success=False)
    intent = {"kind": "intent", "command": click.model_dump(mode="json")}
    kept = rows(await recorded(tmp_path / "whole"))
    sent = next(n for n, row in enumerate(kept, 1) if row["event"]["type"] == "done.invoke.ask")
    TraceLedger(tmp_path, TRACE).write(kept[:1])
    journal(tmp_path, intent)
    assert refusal(tmp_path) == "ledger_behind"
    TraceLedger(tmp_path, TRACE).write(kept[:sent])
    goes_on(tmp_path)


async def count_until(data: Path, event: str) -> int:
    """Return how many rows of the recorded run there are up to *event*."""
    [seq] = [row["seq"] for row in rows(await recorded(data)) if row["event"]["type"] == event]
    return int(seq)


async def test_rows_that_were_cut_off_behind_an_intent_are_missed(tmp_path: Path) -> None:
    """The click of row 5 comes back as a question, and goes out with the yes of row 7.

    Cut behind row 5 it counts as lost in any case, so nothing could be sent twice.
    """
    assert await count_until(tmp_path / "x", "done.invoke.ask") == 7
    for count in range(1, 9):
        data = await interrupted(tmp_path / str(count), count)
        journal(data, intent())
        if count in (1, 2, 3, 4, 6):
            assert refusal(data) == "ledger_behind", count
        else:
            assert path_of(data), count
        journal(data, intent(), intent())
        assert refusal(data) == "ledger_behind", count


async def test_a_read_or_an_address_is_no_command_that_may_have_acted(tmp_path: Path) -> None:
    await interrupted(tmp_path, 2)
    journal(tmp_path, intent("navigate"), intent("navigate"))
    assert path_of(tmp_path)
    journal(tmp_path, intent("navigate"), intent("dialog_response"))
    assert refusal(tmp_path) == "ledger_behind"


@pytest.mark.parametrize("left", ["no rows", "no file"])
async def test_an_empty_ledger_beside_any_intent_is_refused(tmp_path: Path, left: str) -> None:
    await interrupted(tmp_path, 3)
    ledger = TraceLedger(tmp_path, TRACE)
    if left == "no rows":
        ledger.write([])
    else:
        ledger.remove()
    assert path_of(tmp_path) == ()
    journal(tmp_path, intent("navigate"))
    assert refusal(tmp_path) == "ledger_behind"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("DELETE FROM event WHERE seq = 2", "ledger_gap"),
        ("UPDATE event SET text = replace(text, 'model', 'skill') WHERE seq = 2", "ledger_changed"),
        ("UPDATE event SET text = 'no row', hash = '0' WHERE seq = 2", "ledger_changed"),
    ],
)
async def test_a_ledger_that_was_changed_is_not_gone_on_with(
    tmp_path: Path, statement: str, code: str
) -> None:
    ledger = TraceLedger(await interrupted(tmp_path, 3), TRACE)
    ledger.tamper("SELECT 1")
    goes_on(tmp_path)
    ledger.tamper(statement)
    assert refusal(tmp_path) == code


async def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path) -> None:
    ledger = TraceLedger(await interrupted(tmp_path, 3), TRACE)
    ledger.remove()
    ledger.file.write_bytes(b"no database\n" * 100)
    assert refusal(tmp_path) == "ledger_unreadable_file"
    assert ledger.file.read_bytes() == b"no database\n" * 100


@pytest.mark.parametrize("ledger", ["open", "ended", "damaged", "gone"])
async def test_an_end_in_the_hosts_journal_counts_whatever_the_ledger_says(
    tmp_path: Path, ledger: str
) -> None:
    await interrupted(tmp_path, None if ledger == "ended" else 3)
    kept = TraceLedger(tmp_path, TRACE)
    if ledger == "damaged":
        kept.remove()
        kept.file.write_text("no database\n" * 100, encoding="utf-8")
    elif ledger == "gone":
        kept.remove()
    journal(tmp_path, {"kind": "ended", "state": "aborted", "reason": "aborted"})
    with pytest.raises(UsageError, match="aborted") as caught:
        interrupted_run(tmp_path, TRACE, 0)
    assert (caught.value.code, caught.value.exit_code) == ("resume_ended", 2)


async def test_what_only_looks_writes_nothing(tmp_path: Path) -> None:
    ledger = TraceLedger(await interrupted(tmp_path, 3), TRACE)
    path = host_journal_path(tmp_path, TRACE)
    with path.open("ab") as file:
        file.write(b'{"v":1,"seq":4,"kind":"ev')
    journal_before, ledger_before = path.read_bytes(), ledger.rows()
    assert path_of(tmp_path)
    assert (path.read_bytes(), ledger.rows()) == (journal_before, ledger_before)
    journal_of_another = path.read_bytes().replace(b'"plan"', b'"note"')
    path.write_bytes(journal_of_another)
    assert refusal(tmp_path) == "trace_unknown"
    assert path.read_bytes() == journal_of_another


async def test_the_journal_stays_locked_until_the_run_is_taken_up(tmp_path: Path) -> None:
    await interrupted(tmp_path, 3)
    found = interrupted_run(tmp_path, TRACE, 0)
    assert refusal(tmp_path) == "ledger_locked"
    found.journal.append({"kind": "note"}, durable=True)
    found.journal.close()
    assert path_of(tmp_path)


async def test_a_refusal_leaves_nothing_locked(tmp_path: Path) -> None:
    await interrupted(tmp_path, 3)
    ledger = TraceLedger(tmp_path, TRACE)

    def refused_with(*more: dict[str, Any]) -> str:
        journal(tmp_path, *more)
        code = refusal(tmp_path)
        JsonLinesLedger(host_journal_path(tmp_path, TRACE), create=False).close()
        ledger.open().close()
        return code

    assert refused_with({"kind": "outcome", "command": {}}) == "journal_damaged"
    assert refused_with({"kind": "intent"}) == "journal_damaged"
    assert refused_with({"kind": "ended"}) == "resume_ended"
    assert refused_with(intent(), intent()) == "ledger_behind"
    ledger.write([{**row, "trace_id": TRACE[:-1] + "0"} for row in ledger.rows()])
    assert refused_with() == "replay_other_trace"


async def test_an_edited_timer_does_not_go_on(tmp_path: Path) -> None:
    await interrupted(tmp_path, 3)
    ledger = TraceLedger(tmp_path, TRACE)
    kept = ledger.rows()
    [timer, *_] = [effect for effect in kept[0]["effects"] if effect[0] == "timer"]
    timer[2] = 1e9
    ledger.write(kept)
    assert refusal(tmp_path) == "replay_differs"


async def test_a_command_that_ended_with_its_skill_is_known_of(tmp_path: Path) -> None:
    """The skill dies while its click is under way: no answer ever stands in the ledger."""
    kept = rows(await skill_died(tmp_path / "x"))
    assert [row["event"]["type"] for row in kept][-1] == "error.invoke.skill"
    assert not any(row["event"]["type"] == "done.invoke.act" for row in kept)
    TraceLedger(tmp_path, TRACE).write(kept)
    journal(tmp_path, intent())
    assert path_of(tmp_path)
    journal(tmp_path, intent(), intent())
    assert refusal(tmp_path) == "ledger_behind"


async def skill_died(data: Path) -> TraceLedger:
    """Feed a task's chart what it hears when a skill dies in the middle of a click."""
    core = Core(task_chart(), task_table(), bindings_of("task"))
    ledger = TraceLedger(data, TRACE).open()
    diary = LedgerJournal(ledger, TRACE, utc_now)
    snapshot, chart = core.initial(Context()), core.chart
    asked = {"record": {"request": {"source": "skill", "action": "click"}}}
    for kind, payload in (
        ("submit_task", {"step_mode": False}),
        ("done.invoke.plan", {"reply": "skill", "effect": "act", "claims": False}),
        ("skill_asked", {"effect": "act", **asked}),
        ("error.invoke.skill", {"error": "skill_crashed", "text": "gone"}),
    ):
        event = core.stamped(snapshot, kind, payload)
        step = core.feed(snapshot, event)
        assert step.result == "handled", kind
        snapshot = step.snapshot
        diary.append(
            JournalEntry(event, step.result, snapshot.state, step.path, step.verdicts,
                         step.effects, chart.id, chart.sha256, snapshot.context)
        )  # fmt: skip
    ledger.close()
    return TraceLedger(data, TRACE)

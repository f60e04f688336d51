"""The story of a run: both sides joined by seq, and no side that is missing is hidden."""

import asyncio
import copy
from pathlib import Path

import pytest

from sgclaw.audit_story import Command, Story
from sgclaw.audit_story_agent import FORKS
from sgclaw.audit_story_rows import LogText, Sources, rows_of_text
from sgclaw.audit_story_shown import approval_of, outcome_of
from sgclaw.audit_story_text import lines_of
from sgclaw.wiring import GUARDS
from tests.sgclaw.story_stage import Told, told_run
from tests.sgclaw.task_stage import TRACE

GOLDEN = Path(__file__).parent.parent / "golden" / "0.1.0"


def commands(story: Story) -> list[Command]:
    return [entry for entry in story.entries if isinstance(entry, Command)]


def text(story: Story) -> str:
    return "\n".join(lines_of(story, "en"))


def golden(name: str) -> Sources:
    rows = rows_of_text(name, (GOLDEN / f"{name}.jsonl").read_bytes())
    return Sources(TRACE, rows, None, None, copy=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return asyncio.run(told_run(tmp_path_factory.mktemp("run") / "data"))


@pytest.fixture
def told(whole: Told) -> Told:
    return copy.deepcopy(whole)


# --- a whole run


def test_a_run_whose_sides_are_both_there_has_nothing_missing(told: Told) -> None:
    story = told.story()
    assert (story.findings, story.is_whole) == ((), True)


def test_one_command_is_one_block_with_its_question_and_its_second_sending(
    told: Told,
) -> None:
    refused, void, look = commands(told.story())
    assert [e.sent.seq for e in void.exchanges if e.sent] == [1, 2, 3]
    assert [e.met.seq for e in void.exchanges if e.met] == [1, 2, 3]
    assert [e.met.seq for e in look.exchanges if e.met] == [4]
    assert refused.exchanges == []
    assert [outcome_of(c).agent for c in (refused, void, look)] == ["refused", "ok", "ok"]


def test_who_approved_what_is_told_with_the_row_and_the_time(told: Told) -> None:
    void = commands(told.story())[1]
    asked = told.row("done.invoke.ask")
    approval = approval_of(void)
    assert approval is not None
    assert (approval.decision, approval.by) == ("approved", "person")
    assert (approval.at, approval.row, approval.seq) == (asked["at"], asked["seq"], 2)
    used = void.exchanges[2].met
    assert used is not None
    assert used.approval_used_by == "person"


def test_a_refusal_names_its_guard_and_its_reason(told: Told) -> None:
    refused = commands(told.story())[0].wanted
    assert refused is not None
    [no] = [each for each in refused.checked if not each.allowed]
    assert (no.guard, no.verdict["reason"]) == ("policy_allows", "host_not_in_policy")


async def test_a_no_is_a_no_on_both_sides(tmp_path: Path) -> None:
    void = commands((await told_run(tmp_path / "data", "rejected")).story())[1]
    assert outcome_of(void) == ("rejected", "rejected")
    said = approval_of(void)
    assert said is not None
    assert (said.decision, said.by) == ("rejected", "")


def test_the_order_is_that_of_the_rows_and_the_lines(told: Told) -> None:
    told_text = text(told.story())
    parts = ["TASK_START", "the person asks", "[1]  navigate", "[2]  click", "seq 1", "seq 2",
             "seq 3", "[3]  getText", "the model answers", "the task ended",
             "TASK_END"]  # fmt: skip
    found = [told_text.index(part) for part in parts]
    assert found == sorted(found)


def test_a_guard_that_is_taken_for_a_fork_exists() -> None:
    assert set(GUARDS) > FORKS


# --- a side that is missing


@pytest.mark.parametrize(
    ("side", "code"),
    [("ledger", "audit_ledger_missing"), ("log", "audit_host_log_missing"),
     ("journal", "audit_journal_missing")],
)  # fmt: skip
def test_a_whole_side_that_is_missing_is_told_once(told: Told, side: str, code: str) -> None:
    story = told.story(**{side: None})
    assert [finding.code for finding in story.findings if finding.weighs].count(code) == 1
    assert not story.is_whole


def test_without_the_ledger_the_hosts_side_is_told(told: Told) -> None:
    story = told.story(ledger=None)
    assert [c.exchanges[0].met.action for c in commands(story) if c.exchanges[0].met] == [
        "click", "click", "click", "getText",
    ]  # fmt: skip
    assert "CONFIRM: APPROVED by=person" in text(story)


def test_without_the_log_the_journal_stands_for_the_host(told: Told) -> None:
    story = told.story(log=None)
    look = commands(story)[2]
    assert outcome_of(look) == ("ok", "ok")
    assert told.codes(log=None) == ["audit_host_log_missing"]


@pytest.mark.parametrize("seq", [1, 2, 3, 4])
def test_a_command_without_a_line_in_the_hosts_log_is_named(told: Told, seq: int) -> None:
    told.log[:] = [line for line in told.log if f"seq={seq} " not in f"{line} "]
    found = [f for f in told.story().findings if f.code == "audit_no_host_line"]
    assert [(f.command, f.facts["seq"]) for f in found] == [(2 if seq < 4 else 3, seq)]


def test_what_the_host_executed_and_no_row_tells_is_named(told: Told) -> None:
    first = told.row("done.invoke.think", 1)["seq"]
    told.rows[:] = [row for row in told.rows if not first <= row["seq"] < first + 3]
    codes = told.codes()
    assert codes.count("audit_rows_missing") == 1
    [alone] = [f for f in told.story().findings if f.code == "audit_no_agent_row"]
    assert (alone.facts["seq"], alone.facts["action"]) == (4, "getText")
    assert "wanted by nobody" in text(told.story())


@pytest.mark.parametrize(
    ("part", "code"),
    [("PIPE_CMD seq=4", "audit_no_request_line"), ("MAC_CHECK: ALLOW seq=4", "audit_no_mac_line"),
     ("(0ms) seq=4", "audit_no_host_outcome"), ("CONFIRM: APPROVED", "audit_no_host_outcome")],
)  # fmt: skip
def test_each_line_of_a_command_that_is_missing_is_named(told: Told, part: str, code: str) -> None:
    told.log[:] = [line.replace("(1ms) seq=4", "(0ms) seq=4") for line in told.log]
    del told.log[told.line(part)]
    assert code in told.codes()
    assert not told.story().is_whole


def test_a_row_that_is_missing_in_the_middle_is_a_gap(told: Told) -> None:
    del told.rows[7]
    [gap] = [f for f in told.story().findings if f.code == "audit_rows_missing"]
    assert (gap.facts["first"], gap.facts["last"]) == (8, 8)
    assert "rows are missing here" in text(told.story())


def test_rows_cut_off_the_end_leave_the_run_open(told: Told) -> None:
    look_sent = told.row("done.invoke.think", 1)["seq"]
    del told.rows[look_sent:]
    assert {"audit_ends_open", "audit_no_agent_outcome"} <= set(told.codes())


def test_a_row_that_was_moved_is_told(told: Told) -> None:
    told.rows[5], told.rows[6] = told.rows[6], told.rows[5]
    assert "audit_rows_disordered" in told.codes()


def test_without_the_ledger_a_number_left_out_of_the_log_is_named(told: Told) -> None:
    told.log[:] = [line for line in told.log if "seq=2" not in line]
    story = told.story(ledger=None)
    assert [f.facts["seq"] for f in story.findings if f.code == "audit_seq_missing"] == [2]


def test_an_intent_or_an_outcome_missing_in_the_journal_is_named(told: Told) -> None:
    kept = list(told.journal)
    told.journal[:] = [row for row in kept if row["kind"] != "intent"]
    assert told.codes() == ["audit_no_intent"]
    told.journal[:] = [row for row in kept if row["kind"] != "outcome"]
    assert told.codes() == ["audit_no_journal_row"] * 2


def test_a_command_that_only_the_journal_knows_is_named(told: Told) -> None:
    outcome = next(row for row in told.journal if row["kind"] == "outcome")
    told.journal.append({**outcome, "command": {**outcome["command"], "seq": 77}})
    assert told.codes() == ["audit_journal_only"]


# --- sides that disagree


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("PIPE_CMD seq=3 action=click", "PIPE_CMD seq=3 action=type", "audit_action_differs"),
        ("PIPE_CMD seq=3 action", "PIPE_DIALOG_RESPONSE seq=3 action", "audit_action_differs"),
        ("selector=#sum domain=erp.example.com", "selector=#sum domain=e.com",
         "audit_domain_differs"),
        ("CONFIRM: APPROVED by=person", "CONFIRM: REJECTED by=", "audit_decision_differs"),
        ("CONFIRM: APPROVED by=person", "CONFIRM: APPROVED by=other", "audit_decision_differs"),
        ("CONFIRM: APPROVED by=person", "CONFIRM: EXPIRED by=", "audit_decision_differs"),
        ("APPROVAL_USED by=person", "APPROVAL_USED by=other", "audit_approver_differs"),
        ("TASK_END state=completed", "TASK_END state=failed", "audit_end_differs"),
    ],
)  # fmt: skip
def test_what_the_host_says_otherwise_is_told(told: Told, old: str, new: str, code: str) -> None:
    changed = [line.replace(old, new) for line in told.log]
    assert changed != told.log
    told.log[:] = changed
    assert code in told.codes()
    assert not told.story().is_whole


def test_success_here_and_failure_there_is_told(told: Told) -> None:
    at = next(i for i, line in enumerate(told.log) if "CMD_EXEC: OK" in line)
    told.log[at] = told.log[at].replace("CMD_EXEC: OK", "CMD_EXEC: FAILED element_not_found")
    found = {f.code: f.facts for f in told.story().findings}
    assert found["audit_outcome_differs"]["agent"] == "ok"
    assert found["audit_outcome_differs"]["host"] == "failed"
    assert "audit_journal_differs" in found


def test_success_here_and_a_refusal_there_is_told(told: Told) -> None:
    at = told.line("PIPE_CMD seq=3")
    head = told.log[at].partition("PIPE_CMD")[0]
    told.log[:] = [line for line in told.log if "seq=3" not in line]
    told.log.insert(at, f"{head}MAC_CHECK: DENY bad_hmac seq=3 type=command action=click why=no")
    assert "audit_outcome_differs" in told.codes()


def test_an_other_parameter_in_the_journal_is_told(told: Told) -> None:
    for row in told.journal:
        if row["kind"] == "outcome" and row["command"]["action"] == "click":
            row["command"]["params"]["selector"] = "#delete"
    assert told.codes() == ["audit_param_differs"]


def test_an_agent_that_claims_success_for_what_failed_is_told(told: Told) -> None:
    row = told.row("done.invoke.act", 1)
    row["event"]["payload"]["outcome"] = "failed"
    assert told.codes() == ["audit_outcome_differs"]


# --- clocks, strangers, lives


def test_a_clock_that_went_back_is_told_and_changes_no_order(told: Told) -> None:
    for row in told.rows[6:]:
        row["at"] = row["at"].replace("20", "19", 1)
    late = told.line("PIPE_CMD seq=4")
    told.log[late:] = [line.replace("[20", "[19", 1) for line in told.log[late:]]
    story = told.story()
    assert [f.code for f in story.findings] == ["audit_clock_back_ledger", "audit_clock_back_log"]
    assert [f.facts["row"] for f in story.findings[:1]] == [7]
    assert story.is_whole
    assert [c.wanted.action for c in commands(story) if c.wanted] == [
        "navigate", "click", "getText",
    ]  # fmt: skip


def test_lines_and_rows_of_another_run_are_told_and_not_believed(told: Told) -> None:
    strange = TRACE.replace("0123", "9999")
    told.log.insert(3, told.log[2].replace(TRACE, strange))
    told.log.insert(4, "CMD_EXEC: OK (1ms) seq=4")
    told.rows.append({**told.rows[-1], "seq": 13, "trace_id": strange})
    assert told.codes() == [
        "audit_rows_of_others", "audit_lines_unreadable", "audit_lines_of_others",
    ]  # fmt: skip


def test_a_message_that_the_host_refused_does_not_stand_for_the_command(told: Told) -> None:
    at = told.line("PIPE_CMD seq=3")
    head = told.log[at].partition("PIPE_CMD")[0]
    denied = "MAC_CHECK: DENY bad_hmac seq=3 type=command action=click why=The proof is wrong."
    told.log.insert(at, head + denied)
    story = told.story()
    assert [f.code for f in story.findings] == ["audit_denied_alone"]
    assert outcome_of(next(c for c in commands(story) if len(c.exchanges) == 3)).host == "ok"


def test_a_log_of_version_0_1_0_without_numbers_joins_too(told: Told) -> None:
    told.log[:] = [
        line if "PIPE_" in line or "TASK_" in line else line.rpartition(" seq=")[0]
        for line in told.log
    ]
    assert told.codes() == []


async def test_a_second_agent_counts_anew_and_joins_its_own_lines(tmp_path: Path) -> None:
    rows = list(golden("resumed").ledger.rows)  # type: ignore[union-attr]
    head = f"[2026-11-30 02:00:07.340] [sgclaw] [trace:{TRACE}] "
    said = [
        "TASK_START session=a pid=1 seq_before=0",
        *_done(1, "getText"),
        *_done(2, "click", "CMD_EXEC: WAIT confirmation_required (1ms)"),
        "PIPE_CONFIRM_REQUEST seq=3 purpose=call action=click domain=erp.example.com",
        "MAC_CHECK: ALLOW seq=3",
        "CONFIRM: APPROVED by=terminal digest=d seq=3",
        *_done(4, "click"),
        "TASK_END state=failed reason=agent_lost",
        "AGENT_RESTARTED number=1",
        "TASK_START session=b pid=2 seq_before=4",
        *_done(1, "getText"),
        "TASK_END state=completed reason=",
    ]
    log = LogText("log", tuple(head + line for line in said))
    told = Told(rows, list(log.lines), [])
    story = told.story()
    assert [f.code for f in story.findings if f.code != "audit_no_journal_row"] == [
        "audit_unknown_to_agent"
    ]
    shown = text(story)
    parts = ["reason=agent_lost", "AGENT_RESTARTED", "session=*** pid=2", "a new agent goes on"]
    assert [shown.index(part) for part in parts] == sorted(shown.index(part) for part in parts)


def _done(seq: int, action: str, ended: str = "CMD_EXEC: OK (1ms)") -> list[str]:
    return [
        f"PIPE_CMD seq={seq} action={action} selector=#x domain=erp.example.com",
        f"MAC_CHECK: ALLOW seq={seq}",
        f"{ended} seq={seq}",
    ]

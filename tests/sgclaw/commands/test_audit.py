"""`sgclaw audit show` tells one run whole, and its exit code says whether anything is missing."""

import asyncio
import shutil
from pathlib import Path

import pytest

from sgclaw.paths import database_path, host_journal_path, host_log_dir
from tests.sgclaw.commands.conftest import Cli
from tests.sgclaw.recorded import write_rows
from tests.sgclaw.story_stage import LOOK, told_run
from tests.sgclaw.task_stage import TRACE, call
from tests.support.ledger_lab import TraceLedger


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("run") / "data"
    asyncio.run(told_run(data))
    return data


@pytest.fixture
def data(whole: Path, tmp_path: Path) -> Path:
    """Return the data folder of a run that ended, to be damaged."""
    return Path(shutil.copytree(whole, tmp_path / "data"))


def test_a_run_is_told_in_order_with_its_refusal_and_its_approval(cli: Cli, data: Path) -> None:
    assert data.is_dir()
    said = cli("audit", "show", TRACE)
    assert (said.code, said.err) == (0, "")
    story = [
        "Both sides are there and say the same.",
        "the person asks: do it",
        "[1]  navigate url=https://evil.test/",
        "refused by policy_allows (row 2): The host evil.test is not in the policy",
        "[2]  click selector=#void",
        "CMD_EXEC: WAIT confirmation_required",
        "CONFIRM: APPROVED by=person",
        "APPROVAL_USED by=person",
        "approved by person at",
        "[3]  getText selector=#sum",
        "the task ended: completed",
    ]
    found = [said.out.index(part) for part in story]
    assert found == sorted(found)


def test_the_document_tells_the_same_facts(cli: Cli, data: Path) -> None:
    said = cli("audit", "show", TRACE, "--json")
    told = said.document
    assert (said.code, told["format"], told["whole"]) == (0, "sgclaw-story-1", True)
    assert (told["trace_id"], told["state"], told["findings"]) == (TRACE, "completed", [])
    assert told["sides"]["ledger"]["place"] == str(database_path(data))
    refused, void, look = [e for e in told["entries"] if e["kind"] == "command"]
    [no] = [guard for guard in refused["guards"] if not guard["allowed"]]
    assert (no["guard"], no["reason"]) == ("policy_allows", "host_not_in_policy")
    assert [request["seq"] for request in void["requests"]] == [1, 2, 3]
    assert (void["approval"]["decision"], void["approval"]["by"]) == ("approved", "person")
    assert void["outcome"] == look["outcome"] == {"agent": "ok", "host": "ok"}
    assert void["requests"][2]["host"]["journal"]["intended"] is True


@pytest.mark.parametrize(
    ("side", "code"),
    [("log", "audit_host_log_missing"), ("journal", "audit_journal_missing"),
     ("ledger", "audit_ledger_missing")],
)  # fmt: skip
def test_a_side_that_is_missing_ends_with_1_and_is_named(
    cli: Cli, data: Path, side: str, code: str
) -> None:
    files = {
        "log": host_log_dir(data) / f"{TRACE}.log",
        "journal": host_journal_path(data, TRACE),
    }
    if side == "ledger":
        TraceLedger(data, TRACE).remove()
    else:
        files[side].unlink()
    said = cli("audit", "show", TRACE, "--json")
    assert said.code == 1
    assert [f["code"] for f in said.document["findings"]] == [code]
    assert not said.document["whole"]


def test_a_row_dropped_from_the_store_and_one_that_was_changed_are_named(
    cli: Cli, data: Path
) -> None:
    ledger = TraceLedger(data, TRACE)
    ledger.tamper(
        "DELETE FROM event WHERE seq = 8",
        "UPDATE event SET text = replace(text, 'person', 'nobody') WHERE seq = 6",
    )
    said = cli("audit", "show", TRACE)
    assert said.code == 1
    assert "Missing in the agent's ledger: rows 8 to 8 " in said.out
    assert "Rows of the agent's ledger that are not what was written (1): 6." in said.out
    assert "The sides tell different answers of the person to command 2" in said.out


def test_a_copy_of_the_ledger_is_told_with_what_the_host_of_this_machine_keeps(
    cli: Cli, data: Path, tmp_path: Path
) -> None:
    copy = write_rows(tmp_path / "copy.jsonl", TraceLedger(data, TRACE).rows())
    said = cli("audit", "show", str(copy))
    assert said.code == 0
    assert "CONFIRM: APPROVED by=person" in said.out


def test_a_copy_by_itself_is_told_and_says_that_the_browser_side_is_not_there(
    cli: Cli, data: Path, tmp_path: Path
) -> None:
    rows = TraceLedger(data, TRACE).rows()
    copy = write_rows(tmp_path / "copy.jsonl", rows)
    shutil.rmtree(data)
    said = cli("audit", "show", str(copy))
    assert said.code == 0
    assert f"The host's log of {TRACE} is missing" in said.out
    cut = cli("audit", "show", str(write_rows(tmp_path / "cut.jsonl", rows[:5])))
    assert cut.code == 1
    assert "ended    not yet; it stands in " in cut.out


@pytest.mark.parametrize("name", ["evidence", "evidence.zip"])
def test_a_bundle_is_told_from_what_lies_in_it_alone(
    cli: Cli, data: Path, tmp_path: Path, name: str
) -> None:
    bundle = tmp_path / name
    TraceLedger(data, TRACE).sign()
    exported = cli("audit", "export", str(bundle), "--trace", TRACE)
    assert exported.code == 0, exported.err
    shutil.rmtree(data)
    said = cli("audit", "show", str(bundle))
    assert said.code == 0
    assert "CONFIRM: APPROVED by=person" in said.out
    other = cli("audit", "show", str(bundle), "--run", TRACE.replace("0", "1"), "--json")
    assert (other.code, other.document["error"]["code"]) == (2, "audit_bundle_runs")


def test_the_file_of_version_0_1_0_is_told_where_it_lies(cli: Cli, data: Path) -> None:
    ledger = TraceLedger(data, TRACE)
    write_rows(database_path(data).parent / f"{TRACE}.jsonl", ledger.rows())
    ledger.remove()
    assert cli("audit", "show", TRACE).code == 0


def test_the_story_is_told_in_the_persons_language(cli: Cli, data: Path) -> None:
    assert data.is_dir()
    cli.env["SGCLAW_LANG"] = "zh-CN"
    said = cli("audit", "show", TRACE)
    assert "两侧记录齐全且一致。" in said.out
    [refusal] = [line for line in said.out.splitlines() if "policy_allows 拒绝" in line]
    assert "策略" in refusal
    assert "由 person 于" in said.out


async def test_escapes_of_a_page_reach_neither_the_terminal_nor_the_document(
    cli: Cli, tmp_path: Path
) -> None:
    hostile = "#sum\x1b[2J\x9b31m\u202e"
    replies = [call("getText", {"selector": hostile}), LOOK, {"text": hostile}]
    await told_run(tmp_path / "data", replies=replies)
    for more in ((), ("--json",)):
        said = cli("audit", "show", TRACE, *more)
        assert "\\x1b[2J" in said.out.replace("\\\\", "\\")
        assert all(line.isprintable() for line in said.out.splitlines())


def test_a_damaged_copy_names_its_line(cli: Cli, data: Path, tmp_path: Path) -> None:
    copy = write_rows(tmp_path / "copy.jsonl", TraceLedger(data, TRACE).rows())
    lines = copy.read_bytes().splitlines()
    copy.write_bytes(b"\n".join([lines[0], b"{", *lines[2:]]) + b"\n")
    said = cli("audit", "show", str(copy), "--json")
    assert (said.code, said.document["error"]["code"]) == (4, "ledger_unreadable")
    assert "Line 2" in said.err


def test_a_log_that_is_a_link_is_not_followed(cli: Cli, data: Path, tmp_path: Path) -> None:
    log = host_log_dir(data) / f"{TRACE}.log"
    log.rename(tmp_path / "elsewhere.log")
    log.symlink_to(tmp_path / "elsewhere.log")
    said = cli("audit", "show", TRACE, "--json")
    assert (said.code, said.document["error"]["code"]) == (4, "ledger_not_read")


def test_an_unknown_run_and_a_name_that_is_none_are_usage_errors(cli: Cli) -> None:
    for trace, code in (
        (TRACE, "trace_unknown"), ("TRACE", "trace_malformed"), ("../gone/x", "audit_show_no_file"),
        ("gone.jsonl", "audit_show_no_file"), (__file__, "audit_show_no_ledger"),
    ):  # fmt: skip
        said = cli("audit", "show", trace, "--json")
        assert (said.code, said.document["error"]["code"]) == (2, code)


@pytest.mark.parametrize("content", ["", '{"stream":"model","text":"{}","prev":""}\n'])
def test_a_file_without_a_row_of_a_ledger_is_not_told_as_one(
    cli: Cli, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text(content, encoding="utf-8")
    said = cli("audit", "show", str(file))
    assert (said.code, said.out) == (2, "")
    assert "is no ledger and no bundle" in said.err


def test_looking_for_a_run_makes_nothing(cli: Cli, tmp_path: Path) -> None:
    cli("audit", "show", TRACE)
    assert not (tmp_path / "data").exists()

"""`sgclaw audit query` answers in every form, and says plainly what it cannot understand."""

import csv
import io
import json
import shlex
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from memory.chain import Owner
from memory.database import open_store
from memory.event_ledger import DatabaseLedger
from sgclaw.install import install_id
from sgclaw.paths import database_path
from tests.sgclaw.commands.conftest import Cli

GOLDEN = Path(__file__).parents[2] / "golden" / "0.1.0"
ASKED, REFUSED = "sgclaw-20261130-00000000000000a1", "sgclaw-20261130-00000000000000a2"
# What Excel would take for a formula, as somebody could have named a skill.
FORMULA = "=HYPERLINK(0)"
QUERY = ("audit", "query")


def write(data: Path, trace: str, user: str, rows: list[dict[str, Any]]) -> None:
    store = open_store(database_path(data))
    ledger = DatabaseLedger(store, Owner("a" * 32, "acme", user), trace)
    kept = [{k: v for k, v in row.items() if k not in ("v", "seq")} for row in rows]
    ledger.append_all([row | {"trace_id": trace} for row in kept], durable=False)
    ledger.close()


def golden(name: str) -> list[dict[str, Any]]:
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def data(cli: Cli, tmp_path: Path) -> Path:
    """Give the data folder with two tasks: one approved, one refused, the latter ran later."""
    folder = Path(cli.env["SGCLAW_DATA_DIR"])
    write(folder, ASKED, "王芳", golden("approved"))
    write(folder, REFUSED, "li.wei", golden("refused"))
    return folder


def columns(line: str) -> list[str]:
    """Return each character of *line* as often as a terminal has columns for it."""
    return [c for c in line for _ in range(2 if unicodedata.east_asian_width(c) in "WF" else 1)]


def test_a_table_has_its_columns_below_each_other_in_chinese_too(cli: Cli, data: Path) -> None:
    cli.env["SGCLAW_LANG"] = "zh-CN"
    said = cli(*QUERY, "--outcome", "ok")
    head, *rows, blank, count = said.out.splitlines()
    assert (said.code, said.err, blank, len(rows)) == (0, "", "", 3)
    assert head.split() == [
        "时间（UTC）",
        "任务",
        "序号",
        "用户",
        "事件",
        "动作",
        "域名",
        "结果",
        "状态",
    ]
    assert rows[0].split()[2:5] == [ASKED, "11", "王芳"]
    assert count == "第 1 至 3 个事件，共 3 个，最新的在前；时间为 UTC。"
    for heading in ("任务", "事件", "动作", "域名", "状态"):
        at = columns(head).index(heading[0])
        for row in rows:
            assert columns(row)[at - 1] == " " != columns(row)[at]


def test_filters_are_taken_together(cli: Cli, data: Path) -> None:
    def found(*options: str) -> list[tuple[str, int]]:
        events = cli(*QUERY, *options, "--json").document["events"]
        return [(event["user_name"], event["seq"]) for event in events]

    assert found("--verdict", "confirm") == [("li.wei", 3), ("王芳", 6)]
    assert found("--verdict", "Confirm", "--user", "王芳") == [("王芳", 6)]
    assert found("--action", "click", "--trace", REFUSED) == [
        ("li.wei", 4), ("li.wei", 3), ("li.wei", 2),
    ]  # fmt: skip
    assert found("--action", "GETTEXT", "--domain", "https://ERP.example.com/a?b") == [
        ("王芳", 11), ("王芳", 10), ("王芳", 3), ("王芳", 2),
    ]  # fmt: skip
    assert found("--verdict", "rejected", "--user", "王芳") == []


def test_times_are_utc_and_an_end_takes_in_its_whole_day(cli: Cli, data: Path) -> None:
    def number(*options: str) -> int:
        return int(cli(*QUERY, *options, "--json").document["matches"])

    assert number() == 19
    assert number("--since", "2026-11-30", "--until", "2026-11-30") == 19
    assert number("--until", "2026-11-29") == 0
    assert number("--since", "2026-11-30T10:00:07.360+08:00") == 6
    assert number("--until", "2026-11-30 02:00:07.335") == 1
    assert number("--since", "5200w") == 19
    assert number("--since", "2026-12-01", "--until", "9999-12-31") == 0


def test_the_next_pages_show_each_event_once(cli: Cli, data: Path) -> None:
    seen, command = [], "sgclaw audit query --user 王芳 --limit 5 --json"
    pages = 0
    while command:
        document = cli(*shlex.split(command)[1:]).document
        seen += [event["seq"] for event in document["events"]]
        command, pages = document["next"], pages + 1
        # What is written in the meantime moves nothing.
        write(data, f"sgclaw-20261130-{pages:016x}", "王芳", [golden("approved")[-1] | LATER])
    assert (pages, seen) == (3, list(range(13, 0, -1)))


LATER = {"at": "2026-11-30T03:00:00.000+00:00"}


def test_a_table_says_how_to_see_more(cli: Cli, data: Path) -> None:
    said = cli(*QUERY, "--limit", "2", "--verdict", "allowed")
    *_, shown, more = said.out.splitlines()
    assert shown == "Events 1 to 2 of 4, newest first; times are UTC."
    assert more == (
        "The next ones: sgclaw audit query --verdict allowed --until 2026-11-30T02:00:07.364Z "
        "--limit 2 --offset 2"
    )


def test_more_matches_than_are_counted_are_said_to_be_more(cli: Cli, data: Path) -> None:
    cli.env["SGCLAW_AUDIT_QUERY_COUNT_EVENTS_MAX"] = "10"
    said = cli(*QUERY, "--limit", "5")
    assert "Events 1 to 5 of more than 9," in said.out
    assert "--offset 5" in said.out


def test_no_match_is_said_with_what_was_looked_for(cli: Cli, data: Path) -> None:
    said = cli(*QUERY, "--user", "' OR 1=1 --", "--since", "2026-11-30")
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        f"No event of {database_path(data)} matches: "
        "since = 2026-11-30T00:00:00.000Z, user = ' OR 1=1 --.\n"
    )
    past = cli(*QUERY, "--offset", "500")
    assert past.out == "Matches: 19, and --offset 500 goes past the last: any event.\n"


def test_a_csv_file_opens_in_a_spreadsheet_and_runs_nothing(cli: Cli, data: Path) -> None:
    for number, begin in enumerate("=+-@\t＝"):
        payload = {"effect": "act", "record": {"request": {"tool": begin + "1+1"}}}
        row = golden("approved")[0] | {"event": {"type": "skill_asked", "payload": payload}}
        write(data, f"sgclaw-20261130-{number:016x}", FORMULA, [row])
    file = data / "found.csv"
    said = cli(*QUERY, "--user", FORMULA, "--csv", str(file))
    assert (said.code, said.out.splitlines()[0]) == (0, f"{file} was written; events in it: 6.")
    raw = file.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbfinstall_id,")
    assert file.stat().st_mode & 0o777 == 0o600
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    assert {row["user_name"] for row in rows} == {"'" + FORMULA}
    actions = {row["action"] for row in rows}
    assert actions == {"'=1+1", "'+1+1", "'-1+1", "'@1+1", "'＝1+1", "\ufffd1+1"}


def test_csv_can_be_printed_for_the_next_program(cli: Cli, data: Path) -> None:
    said = cli(*QUERY, "--outcome", "refused", "--csv", "-")
    [row] = csv.DictReader(io.StringIO(said.out))
    assert (row["trace_id"], row["seq"], row["verdict"]) == (REFUSED, "4", "rejected")
    assert said.err == "Events 1 to 1 of 1, newest first; times are UTC.\n"


def test_a_report_is_written_for_its_owner_alone(cli: Cli, data: Path) -> None:
    file = data / "report.html"
    said = cli(*QUERY, "--verdict", "denied", "--html", str(file))
    assert (said.code, said.err) == (0, "")
    assert file.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_report_can_be_printed(cli: Cli, data: Path) -> None:
    assert data.is_dir()
    said = cli(*QUERY, "--verdict", "rejected", "--html", "-")
    assert (said.code, said.out.startswith("<!DOCTYPE html>")) == (0, True)
    assert "newest first" in said.err
    assert not Path("-").exists()


@pytest.mark.parametrize("form", ["--csv", "--html"])
def test_nothing_that_is_there_is_overwritten(cli: Cli, data: Path, form: str) -> None:
    kept, link, folder = data / "kept", data / "link", data / "no" / "folder"
    kept.write_text("kept", encoding="utf-8")
    link.symlink_to(data / "elsewhere")
    for target in (kept, link):
        said = cli(*QUERY, form, str(target))
        assert (said.code, "exists already" in said.err) == (2, True)
    assert "cannot be written: No such file" in cli(*QUERY, form, str(folder)).err
    assert kept.read_text(encoding="utf-8") == "kept"
    assert not (data / "elsewhere").exists()
    assert cli(*QUERY, form, str(data / "new")).code == 0


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("--verdict", "no", "denied, confirm, approved, rejected, expired, allowed"),
        ("--outcome", "bad", "ok, failed, unknown, refused, completed, aborted"),
        ("--action", "rm -rf", "click, type, navigate"),
        ("--since", "yesterday", "2026-11-30T08:15"),
        ("--since", "2026-02-30", "2026-11-30"),
        ("--since", "0001-01-01T00:00+09:00", "7d"),
        ("--since", "999999d", "7d"),
        ("--since", "-1d", ""),
        ("--until", "2026-11-30T25:00", "24h"),
        ("--until", "２４h", "24h"),
        ("--limit", "-5", "from 1 to 100000"),
        ("--limit", "0", "from 1 to 100000"),
        ("--limit", "1e3", "from 1 to 100000"),
        ("--limit", "９", "from 1 to 100000"),
        ("--offset", "-1", "from 0 to"),
        ("--offset", "9" * 400, "from 0 to"),
        ("--trace", "../../etc/passwd", "sgclaw-20261129-0123456789abcdef"),
        ("--domain", "a b", "erp.example.com"),
        ("--domain", "erp.example.com/x", "erp.example.com"),
        ("--domain", "file:///etc", "erp.example.com"),
        ("--user", "", "1 to 200 printable characters"),
        ("--user", "li\x00wei", "1 to 200 printable characters"),
        ("--user", "\udcff", "1 to 200 printable characters"),
        ("--skill", "a\x1b[2J", "1 to 200 printable characters"),
        ("--skill", "x" * 201, "1 to 200 printable characters"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_nonsense_is_refused_in_plain_words_before_a_ledger_is_opened(
    cli: Cli, language: str, option: str, value: str, named: str
) -> None:
    cli.env["SGCLAW_LANG"] = language
    said = cli(*QUERY, option, value)
    assert (said.code, said.out) == (2, "")
    assert option in said.err
    assert "\x1b" not in said.err
    if language == "en":
        assert named in said.err
    assert not Path(cli.env["SGCLAW_DATA_DIR"]).exists()


def test_an_end_before_its_beginning_is_refused(cli: Cli, data: Path) -> None:
    said = cli(*QUERY, "--since", "2026-11-30", "--until", "2026-11-29")
    assert said.code == 2
    assert "--since 2026-11-30 is after --until 2026-11-29" in said.err
    assert cli(*QUERY, "--since", "2026-11-29", "--until", "2026-11-30").code == 0


def test_without_a_ledger_it_says_so_and_makes_none(cli: Cli) -> None:
    said = cli(*QUERY)
    assert (said.code, said.out) == (2, "")
    assert "There is no ledger at" in said.err
    assert not database_path(Path(cli.env["SGCLAW_DATA_DIR"])).exists()


def test_a_ledger_that_is_gone_is_no_slip_of_the_keyboard(cli: Cli, data: Path) -> None:
    install_id(data)
    for file in data.glob("ledger/ledger.db*"):
        file.unlink()
    assert cli(*QUERY).code == 4


@pytest.mark.parametrize("option", ["--csv", "--html"])
def test_a_file_without_a_name_is_told_as_such(cli: Cli, option: str) -> None:
    said = cli(*QUERY, option, " ")
    assert (said.code, said.err) == (2, f"sgclaw: {option} names no file.\n")


def test_a_file_that_holds_a_part_says_how_to_get_the_rest(
    cli: Cli, data: Path, tmp_path: Path
) -> None:
    assert data.is_dir()
    said = cli(*QUERY, "--limit", "5", "--csv", str(tmp_path / "part.csv"))
    assert "part.csv holds these alone; for more, ask again with --limit N" in said.out
    assert "--offset" not in said.out
    assert "--limit" not in cli(*QUERY, "--csv", str(tmp_path / "whole.csv")).out

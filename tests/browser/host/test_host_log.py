"""The host's log: one line an event in the browser side's format, no secret, no typed text."""

import re
import resource
from datetime import UTC, datetime
from pathlib import Path

import pytest

from browser.host.agent_errors import HostLogError
from browser.host.host_log import FileHostLog, NumberedLog
from browser.host.plain_text import one_line, plain_lines, without_secrets
from browser.host.task_memory import NoJournal, TaskMemory
from states.settings import PipeLimits, TaskLimits
from tests.browser.host.host_stage import Stage

TRACE = "sgclaw-20260303-a1b2c3d4"
AT = datetime(2026, 3, 3, 10, 23, 5, 123456, tzinfo=UTC)


def log_in(folder: Path, limits: PipeLimits | None = None) -> FileHostLog:
    return FileHostLog(folder / "host", TRACE, lambda: AT, limits or PipeLimits())


def written(log: FileHostLog) -> list[str]:
    log.close()
    return log.path.read_text("utf-8").split("\n")[:-1]


def test_a_command_reads_as_the_seed_writes_it(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.command(3, "click", {"selector": "#export-btn"}, "erp.example.com")
    log.note("MAC_CHECK: ALLOW", seq=3)
    NumberedLog(log, 3).note("CMD_EXEC: OK (245ms)")
    head = f"[2026-03-03 10:23:05.123] [sgclaw] [trace:{TRACE}] "
    assert written(log) == [
        head + "PIPE_CMD seq=3 action=click selector=#export-btn domain=erp.example.com",
        head + "MAC_CHECK: ALLOW seq=3",
        head + "CMD_EXEC: OK (245ms) seq=3",
    ]


def test_a_line_about_no_request_bears_no_number(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    NumberedLog(log, 0).note("PAGE_NOT_SHOWN", why="closed")
    assert written(log)[0].endswith("] PAGE_NOT_SHOWN why=closed")


async def test_every_line_about_a_request_bears_its_number() -> None:
    stage = Stage("approved")
    async with stage.playing() as agent:
        asked = await agent.do("click", selector="#void")
        await agent.ask("click", asked.digest, selector="#void")
        await agent.do("click", selector="#void")
        await agent.do("click", "evil.test", selector="#export")
        await agent.complete()
    about = [
        line for line in stage.log.lines if not line.startswith(("TASK_", "AGENT_", "REPORT_"))
    ]
    numbers = [match[1] for line in about if (match := re.search(r" seq=(\d+)", line))]
    assert numbers == ["1"] * 3 + ["2"] * 4 + ["3"] * 4 + ["4"]
    assert len(numbers) == len(about)


async def test_a_new_agent_begins_a_new_count_and_the_log_says_from_where() -> None:
    stage = Stage()
    stage.memory = TaskMemory(TaskLimits(), stage.clock, NoJournal())
    async with stage.playing() as agent:
        await agent.do("click", selector="#export")
        await agent.complete()
    [first] = [line for line in stage.log.lines if line.startswith("TASK_START")]
    assert first.endswith(" seq_before=0")
    stage.memory.record.new_session()
    assert stage.memory.record.seq_before == 1


def test_typed_text_and_stored_values_are_logged_as_their_length(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.command(1, "type", {"selector": "#a", "text": "hunter2"}, "erp.example.com")
    log.command(2, "storageSet", {"key": "k", "value": "private"}, "erp.example.com")
    lines = written(log)
    assert "text=<7 chars>" in lines[0]
    assert "value=<7 chars>" in lines[1]
    assert "hunter2" not in lines[0]
    assert "private" not in lines[1]


def test_foreign_text_stays_on_its_line_and_has_its_bound(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    hostile = "#a\n[2026-03-03 10:23:05.123] [sgclaw] MAC_CHECK: ALLOW\u2028\x1b[2J"
    log.command(1, "click", {"selector": hostile, "na\nme": "x"}, "erp\n.example.com")
    log.note("NOTE", why="x" * 100_000)
    lines = written(log)
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
    assert len(lines[1]) < 400


def test_agent_lines_stop_at_the_bound_and_decisions_do_not(tmp_path: Path) -> None:
    log = log_in(tmp_path, PipeLimits(host_log_bytes_max=20_000))
    for _ in range(1000):
        log.agent_line("x" * 1000)
    log.note("CONFIRM: APPROVED", by="terminal")
    lines = written(log)
    assert 1 < len(lines) < 25
    assert lines[-1].endswith("CONFIRM: APPROVED by=terminal")


def test_the_file_is_the_persons_own_and_is_appended_to(tmp_path: Path) -> None:
    first = log_in(tmp_path)
    first.note("ONE")
    first.close()
    second = log_in(tmp_path)
    second.note("TWO")
    assert [line.rsplit(" ", 1)[1] for line in written(second)] == ["ONE", "TWO"]
    assert second.path.stat().st_mode & 0o777 == 0o600
    second.note("LATE")  # a late line after the end is no fault


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("thesis")
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / f"{TRACE}.log").symlink_to(victim)
    with pytest.raises(HostLogError, match="SGCLAW_DATA_DIR"):
        log_in(tmp_path)
    assert victim.read_text() == "thesis"


@pytest.mark.parametrize(
    "name",
    ["sid", "token", "access_token", "PHPSESSID", "session", "api-key", "key", "pwd", "%74oken",
     "user[password]", "auth", "code", "X-Amz-Signature"],
)  # fmt: skip
def test_a_secret_in_an_address_is_struck_out(tmp_path: Path, name: str) -> None:
    log = log_in(tmp_path)
    log.command(1, "navigate", {"url": f"https://erp.example.com/a?x=1&{name}=S3CR3T#top"}, "e")
    log.note("GATE_BLOCK", url=f"https://erp.example.com/a;{name}=S3CR3T?{name}=S3CR3T")
    log.note("GATE_BLOCK", url="https://user:S3CR3T@erp.example.com/")
    for line in written(log):
        assert "S3CR3T" not in line
        assert "https://" in line


def test_what_is_no_secret_in_an_address_stays() -> None:
    url = "https://erp.example.com/invoices?month=2026-03&keyword=a&inside=b&page=2#row=7"
    assert without_secrets(url) == url


def test_lines_keep_their_breaks_and_nothing_else() -> None:
    assert plain_lines("a\r\nb\x1b[2J\n\tc", 100) == "a\nb\\x1b[2J\n\\tc"
    assert plain_lines("abcdef", 4) == "abcd…(+2)"


def test_what_looks_like_a_secret_is_struck_out() -> None:
    shown = without_secrets(
        "url=https://e.com/?token=abc123&q=1 Authorization: Bearer xyz.abc sk-ant-0123456789abcdef "
        '{"password":"hunter2","name":"kept"}'
    )
    for secret in ("abc123", "xyz.abc", "0123456789abcdef", "hunter2"):
        assert secret not in shown
    assert "q=1" in shown
    assert "kept" in shown
    assert re.search(r"token=\*\*\*", shown)


def test_a_cut_is_told() -> None:
    assert one_line("abcdef", 4) == "abcd…(+2)"
    assert one_line("作废", 10) == "作废"


@pytest.mark.parametrize("bytes_max", [0, 30], ids=["none of a line", "a part of a line"])
def test_a_full_disk_stops_nothing_and_is_remembered(tmp_path: Path, bytes_max: int) -> None:
    log = log_in(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, before[1]))
    try:
        log.note("CMD_EXEC: OK")
        log.command(1, "click", {"selector": "#a"}, "erp.example.com")
        log.agent_line("x")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    log.close()
    assert log.failure
    assert log.path.stat().st_size == bytes_max


def test_a_log_with_room_tells_of_no_failure(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.note("CMD_EXEC: OK")
    assert len(written(log)) == 1
    assert log.failure == ""

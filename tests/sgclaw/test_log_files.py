"""Log files rotate under many writers: no line is lost or torn, and nothing stops a run."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sgclaw.log_files import LogBounds, LogFile, bounds_of, rotated_files
from states.settings import AuditLimits

AT = datetime(2026, 3, 3, 10, 23, 5, tzinfo=UTC)
BOUNDS = LogBounds(file_bytes_max=1_000, files_max=1_000, line_bytes_max=500)
WRITER = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from sgclaw.log_files import LogBounds, LogFile
log = LogFile(Path(sys.argv[1]), "operation", LogBounds(2_000, 1_000_000, 500),
              lambda: datetime(2026, 3, 3, tzinfo=UTC))
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    log.append({"by": sys.argv[2], "n": number, "pad": "x" * (number % 90)})
log.close()
sys.exit(log.failure)
"""


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = AT

    def __call__(self) -> datetime:
        return self.now


def log_in(folder: Path, bounds: LogBounds = BOUNDS, watch: Watch | None = None) -> LogFile:
    return LogFile(folder / "logs", "operation", bounds, watch or Watch())


def rows_in(folder: Path) -> list[dict[str, object]]:
    """Return the rows of every file in *folder*, each of which must be whole lines."""
    rows = []
    for path in [*rotated_files(folder), folder / "operation.jsonl"]:
        text = path.read_bytes()
        assert text.endswith(b"\n")
        rows += [json.loads(line) for line in text.splitlines()]
    return rows


def test_a_full_file_gets_a_name_of_its_own_and_every_line_is_kept_in_order(
    tmp_path: Path,
) -> None:
    log = log_in(tmp_path)
    for number in range(100):
        log.append({"n": number, "pad": "x" * 50})
    log.close()
    old = rotated_files(log.path.parent)
    assert [row["n"] for row in rows_in(log.path.parent)] == list(range(100))
    assert old[0].name == "operation-20260303-102305-1.jsonl"
    assert all(path.stat().st_size <= BOUNDS.file_bytes_max for path in [*old, log.path])
    assert {path.stat().st_mode & 0o777 for path in [*old, log.path]} == {0o600}
    assert log.path.parent.stat().st_mode & 0o777 == 0o700
    assert log.failure == ""


def test_several_processes_write_one_file_and_no_line_is_lost_or_torn(tmp_path: Path) -> None:
    each, writers = 600, 3
    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(number), str(each)],
                         stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for number in range(writers)
    ]  # fmt: skip
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    assert [child.communicate()[1] for child in children] == ["\n"] * writers
    rows = rows_in(tmp_path)
    assert len(rotated_files(tmp_path)) > 20
    assert len(rows) == writers * each
    for number in range(writers):
        assert [row["n"] for row in rows if row["by"] == str(number)] == list(range(each))


def test_a_new_day_begins_a_new_file(tmp_path: Path) -> None:
    watch = Watch()
    log = log_in(tmp_path, watch=watch)
    log.append({"n": 1})
    log.append({"n": 2})
    assert rotated_files(log.path.parent) == []
    watch.now += timedelta(days=1)
    log.append({"n": 3})
    [old] = rotated_files(log.path.parent)
    assert old.read_text() == '{"n":1}\n{"n":2}\n'
    assert log.path.read_text() == '{"n":3}\n'


def test_a_file_that_another_day_left_is_rotated_by_the_next_host(tmp_path: Path) -> None:
    first = log_in(tmp_path)
    first.append({"n": 1})
    first.close()
    os.utime(first.path, (AT.timestamp(), AT.timestamp()))
    watch = Watch()
    watch.now += timedelta(hours=20)
    second = log_in(tmp_path, watch=watch)
    second.append({"n": 2})
    assert [path.read_text() for path in rotated_files(first.path.parent)] == ['{"n":1}\n']


def test_a_clock_set_back_rotates_nothing(tmp_path: Path) -> None:
    watch = Watch()
    log = log_in(tmp_path, watch=watch)
    for days in (0, -1, -400, -1):
        watch.now = AT + timedelta(days=days)
        log.append({"days": days})
    assert rotated_files(log.path.parent) == []
    assert len(rows_in(log.path.parent)) == 4


def test_no_more_files_are_kept_than_the_settings_say_the_oldest_go(tmp_path: Path) -> None:
    log = log_in(tmp_path, LogBounds(100, 3, 500))
    for number in range(12):
        log.append({"n": number, "pad": "x" * 80})
    kept = [json.loads(path.read_text())["n"] for path in rotated_files(log.path.parent)]
    assert kept == [8, 9, 10]


def test_names_that_exist_are_never_written_over(tmp_path: Path) -> None:
    log = log_in(tmp_path, LogBounds(10, 100, 500))
    log.append({"n": 1, "pad": "x" * 20})
    taken = log.path.with_name("operation-20260303-102305-1.jsonl")
    taken.write_text("another's\n")
    log.append({"n": 2, "pad": "x" * 20})
    assert taken.read_text() == "another's\n"
    assert [path.name for path in rotated_files(log.path.parent)] == [
        taken.name, "operation-20260303-102305-2.jsonl",
    ]  # fmt: skip


def test_of_a_row_that_is_too_long_its_short_parts_stay(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.append({"event": "looked", "data": {"text": "x" * 600}})
    log.append({"event": "next"})
    first, second = rows_in(log.path.parent)
    assert first["event"] == "looked"
    assert "data" not in first
    assert isinstance(first["cut_bytes"], int)
    assert second == {"event": "next"}


@pytest.mark.parametrize("row", [{"s": "\ud800\n\x00"}, {"o": object}, {"f": float("nan")}])
def test_a_row_that_is_no_plain_json_is_one_line_all_the_same(
    tmp_path: Path, row: dict[str, object]
) -> None:
    log = log_in(tmp_path)
    log.append(row)
    assert log.path.read_text().count("\n") == 1
    assert log.failure == ""


@pytest.fixture
def small_files() -> Iterator[None]:
    """Let no file of this process grow beyond some bytes, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_files")
def test_a_full_disk_costs_whole_lines_only_and_is_told(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    for number in range(5):
        log.append({"n": number, "pad": "x" * 30})
    assert [row["n"] for row in rows_in(log.path.parent)] == [0, 1]
    assert log.failure != ""


def test_a_folder_that_cannot_be_written_is_told_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    log = log_in(tmp_path)
    log.append({"n": 1})
    log.close()
    assert log.failure != ""
    assert (tmp_path / "logs").read_text() == "a file"


def test_a_folder_that_stood_open_is_closed(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs").chmod(0o777)
    log = log_in(tmp_path)
    log.append({"n": 1})
    assert log.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_link_in_the_place_of_the_file_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    (tmp_path / "logs" / "operation.jsonl").symlink_to(victim)
    log = log_in(tmp_path)
    log.append({"n": 1})
    assert victim.read_text() == "mine\n"
    assert log.failure != ""


def test_a_pipe_in_the_place_of_the_file_blocks_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    os.mkfifo(tmp_path / "logs" / "operation.jsonl")
    log = log_in(tmp_path)
    log.append({"n": 1})
    assert log.failure == "is no regular file"


def test_whoever_stopped_with_the_lock_in_its_hands_holds_nobody_up(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.append({"n": 0, "pad": "x" * 300})
    holder = log.path.open("ab")
    import fcntl

    fcntl.flock(holder, fcntl.LOCK_EX)
    for number in range(1, 4):
        log.append({"n": number, "pad": "x" * 300})
    assert [row["n"] for row in rows_in(log.path.parent)] == [0, 1, 2, 3]
    assert rotated_files(log.path.parent) == []
    holder.close()
    log.append({"n": 4})
    assert len(rotated_files(log.path.parent)) == 1
    assert log.failure == ""


def test_a_file_that_was_taken_away_is_made_anew(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.append({"n": 1})
    log.path.unlink()
    log.append({"n": 2})
    assert [row["n"] for row in rows_in(log.path.parent)] == [2]


def test_only_rotated_files_of_this_product_are_listed(tmp_path: Path) -> None:
    for name in ("operation-20260303-102305-2.jsonl", "operation-20260303-102305-10.jsonl",
                 "pipe-20250303-102305-1.jsonl", "operation.jsonl", "notes-1.jsonl",
                 "operation-20260303-102305-1.jsonl.gz"):  # fmt: skip
        (tmp_path / name).write_text("x")
    (tmp_path / "operation-20260303-102305-3.jsonl").symlink_to(tmp_path / "operation.jsonl")
    (tmp_path / "operation-20260303-102305-4.jsonl").mkdir()
    assert [path.name for path in rotated_files(tmp_path, "operation")] == [
        "operation-20260303-102305-2.jsonl", "operation-20260303-102305-10.jsonl",
    ]  # fmt: skip
    assert len(rotated_files(tmp_path)) == 3
    assert rotated_files(tmp_path / "none") == []


def test_the_bounds_are_those_of_the_settings() -> None:
    limits = AuditLimits(log_file_bytes_max=1, log_files_max=2, log_line_bytes_max=3)
    assert bounds_of(limits) == (1, 2, 3)

"""What a run leaves is readable by its own account alone, and nothing is written through a link."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from sgclaw.errors import RefusedError
from sgclaw.paths import own_folders, private_files, private_folder
from sgclaw.result_folder import ResultFolder
from states.wire import TaskCompleted
from tests.support.ledger_lab import TraceLedger

TRACE = "sgclaw-20260303-a1b2c3d4"
DONE = TaskCompleted(trace_id=TRACE, state="completed")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Let files be as open as the code under test makes them."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_and_what_was_missing_above_it_are_private_and_others_stay(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    made = private_folder(tmp_path / "a" / "b")
    assert (mode(made), mode(made.parent), mode(tmp_path)) == (0o700, 0o700, 0o755)


def test_the_data_folders_are_closed_even_when_they_stood_open(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir(mode=0o755)
    strangers = tmp_path / "strangers"
    strangers.mkdir(mode=0o755)
    (tmp_path / "demo").symlink_to(strangers)
    own_folders(tmp_path)
    assert [mode(tmp_path / name) for name in ("ledger", "host", "profiles")] == [0o700] * 3
    assert mode(strangers) == 0o755


def test_a_data_folder_that_cannot_be_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(RefusedError, match="SGCLAW_DATA_DIR"):
        own_folders(tmp_path / "data")


def test_what_is_written_meanwhile_is_private_and_later_it_is_as_before(tmp_path: Path) -> None:
    with private_files():
        (tmp_path / "inside").write_text("x")
    (tmp_path / "after").write_text("x")
    assert (mode(tmp_path / "inside"), mode(tmp_path / "after")) == (0o600, 0o666)


def test_every_result_is_private_even_in_a_shared_folder(tmp_path: Path) -> None:
    shared = tmp_path / "out"
    shared.mkdir(mode=0o755)
    TraceLedger(tmp_path, TRACE).write([{"kind": "note"}])
    ResultFolder(shared, tmp_path).write(DONE, b"picture", ())
    names = {"result.json", "ledger.jsonl", "last_page.png"}
    assert {path.name: mode(path) for path in shared.iterdir()} == dict.fromkeys(names, 0o600)


def test_a_result_is_not_written_through_a_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("thesis")
    folder = ResultFolder(tmp_path / "out", tmp_path)
    (folder.path / "last_page.png").symlink_to(victim)
    folder.write(DONE, b"picture", ())
    assert folder.failure == "File exists"
    assert victim.read_text() == "thesis"
    ResultFolder(tmp_path / "out", tmp_path).write(DONE, b"picture", ())  # made empty first
    assert victim.read_text() == "thesis"
    assert (folder.path / "last_page.png").read_bytes() == b"picture"

"""The host signs what the ledger came to, keeps it, and notices a ledger that went back."""

import json
import os
import resource
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from nacl.signing import SigningKey

from browser.host.agent_errors import HostLogError
from browser.host.heads import HeadLog
from memory.heads import read_heads
from memory.lock import lock_file
from states.key_id import key_id_of
from states.ledger_head import Head, SignedHead

KEY = SigningKey(b"k" * 32)
KEY_ID = key_id_of(bytes(KEY.verify_key))
AT = datetime(2026, 3, 3, 10, 23, 5, 123456, tzinfo=UTC)
TRACE, OTHER = "sgclaw-20260303-a1b2c3d4", "sgclaw-20260303-00000000"
CHILD = """
import sys
from pathlib import Path
from tests.browser.host.test_heads import head, log_at
log = log_at(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for n in range(40):
    assert log.take(head(n * 6 + int(sys.argv[2]) + 1), "trace-" + sys.argv[2]), log.failure
"""


def log_at(path: Path) -> HeadLog:
    return HeadLog(path, lambda content: KEY.sign(content).signature, KEY_ID, lambda: AT, lock_file)


def head(position: int, mark: str = "a", stream: str = "operation", install: str = "i1") -> Head:
    return Head(install, stream, position, mark * 64, "sha256")


def kept(path: Path) -> list[SignedHead]:
    return read_heads(path, KEY.verify_key)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "host" / "heads.jsonl"


def test_a_head_is_one_signed_line_for_the_owner_alone(path: Path) -> None:
    assert log_at(path).take(head(20), TRACE)
    [line] = path.read_text().splitlines()
    document = json.loads(line)
    signature = bytes.fromhex(document.pop("signature"))
    assert document == {
        "install_id": "i1", "stream": "operation", "position": 20, "hash": "a" * 64,
        "algorithm": "sha256", "at": "2026-03-03T10:23:05.123+00:00", "trace_id": TRACE,
        "key_id": KEY_ID,
    }  # fmt: skip
    signed = (
        f"sgclaw-ledger-head-1\ni1\noperation\n20\n{'a' * 64}\nsha256\n{document['at']}\n{TRACE}\n"
    )
    KEY.verify_key.verify(signed.encode(), signature)
    assert path.stat().st_mode & 0o777 == 0o600


def test_heads_go_up_each_chain_for_itself(path: Path) -> None:
    log = log_at(path)
    taken = [
        head(20),
        head(3, stream="model"),
        head(7, install="i2"),
        head(21),
        head(4, "b", "model"),
    ]
    assert [log.take(h, TRACE) for h in taken] == [True] * 5
    assert [h.head for h in kept(path)] == taken


def test_the_same_head_again_writes_nothing(path: Path) -> None:
    log = log_at(path)
    assert log.take(head(20), TRACE)
    before = path.read_bytes()
    assert log.take(head(20), TRACE)
    assert log_at(path).take(head(20), OTHER)
    assert path.read_bytes() == before


@pytest.mark.parametrize("later", [head(19), head(1, "b"), head(20, "b")])
@pytest.mark.parametrize("is_new_task", [False, True])
def test_a_ledger_that_was_cut_off_or_made_anew_is_noticed(
    path: Path, later: Head, is_new_task: bool
) -> None:
    log = log_at(path)
    assert log.take(head(20), TRACE)
    before = path.read_bytes()
    log = log_at(path) if is_new_task else log
    assert not log.take(later, OTHER if is_new_task else TRACE)
    assert (log.refused, log.failure) == (later, "")
    assert path.read_bytes() == before
    assert log.take(head(21), TRACE)


def test_a_task_beside_another_may_tell_of_its_own_earlier_rows(path: Path) -> None:
    first, second = log_at(path), log_at(path)
    assert second.take(head(12, "c"), OTHER)
    assert first.take(head(10), TRACE)
    assert [h.head.position for h in kept(path)] == [12, 10]
    assert not first.take(head(12, "d"), TRACE)


@pytest.mark.parametrize(
    "wrong",
    [head(0), head(-1), head(1, "A"), head(1, "é"), head(1, stream="operation\nx"),
     head(1)._replace(hash="a" * 63), head(1, install="\x00")],
)  # fmt: skip
def test_what_is_no_head_is_not_signed(path: Path, wrong: Head) -> None:
    log = log_at(path)
    assert not log.take(wrong, TRACE)
    assert log.refused == wrong
    assert kept(path) == []
    assert log.take(head(1), TRACE)


def test_a_line_that_a_kill_cut_short_is_taken_away_and_the_rest_stays(path: Path) -> None:
    log_at(path).take(head(20), TRACE)
    whole = path.read_bytes()
    for cut in (1, 100, len(whole) - 1):
        path.write_bytes(whole + whole[:cut])
        assert [h.head.position for h in kept(path)] == [20]
        assert log_at(path).take(head(20), TRACE)
        assert path.read_bytes() == whole


def test_a_long_file_is_known_by_its_end(path: Path) -> None:
    log = log_at(path)
    assert all(log.take(head(n), TRACE) for n in range(1, 701))
    assert not log_at(path).take(head(699), OTHER)
    assert log_at(path).take(head(701), OTHER)
    assert len(kept(path)) == 701


def test_a_file_that_was_emptied_meanwhile_does_not_make_the_host_forget(path: Path) -> None:
    log = log_at(path)
    log.take(head(20), TRACE)
    path.write_bytes(b"")
    assert not log.take(head(20, "b"), OTHER)
    assert log.take(head(21), TRACE)
    assert [h.head.position for h in kept(path)] == [21]


def test_a_file_without_lines_is_not_cut(path: Path) -> None:
    log = log_at(path)
    path.write_bytes(b"x" * 300_000)
    assert not log.take(head(1), TRACE)
    assert log.failure == "it is damaged"
    assert path.stat().st_size == 300_000


def test_hosts_that_write_at_once_lose_no_head(path: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(path), str(n)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for n in range(3)
    ]  # fmt: skip
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=50)
        assert child.returncode == 0
    assert len(kept(path)) == 120


def test_a_full_disk_stops_nothing_and_is_told(path: Path) -> None:
    log = log_at(path)
    log.take(head(1), TRACE)
    whole = path.read_bytes()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 10, before[1]))
    try:
        assert not log.take(head(2), TRACE)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert log.failure
    assert path.read_bytes() == whole
    assert log.take(head(2), TRACE)


def test_a_link_or_a_folder_in_its_place_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(path.parent / "elsewhere")
    with pytest.raises(HostLogError):
        log_at(path)
    assert not (path.parent / "elsewhere").exists()
    path.unlink()
    path.mkdir()
    with pytest.raises(HostLogError):
        log_at(path)
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(HostLogError):
        log_at(path)

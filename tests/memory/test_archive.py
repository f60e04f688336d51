"""An archive holds exactly its segment, is verified before it counts, and replaces nothing."""

import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.archive import (
    archive_name,
    archive_path,
    archive_segments,
    check_archive,
    read_archive,
)
from memory.database import Store, open_store
from memory.errors import LedgerError
from memory.segments import Segment, segments_of
from tests.support.segment_lab import INSTALL, closed, files_of_at_most, texts
from tests.support.store_lab import outside

Change = Callable[[list[str]], list[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def lite(tmp_path: Path) -> Iterator[Store]:
    """Give a store for what is the same whatever the database is: the files."""
    with closing(open_store(tmp_path / "ledger.db")) as opened:
        yield opened


def states(store: Store) -> list[str]:
    return [segment.state for segment in segments_of(store, INSTALL)]


def lines_of(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def put(path: Path, lines: list[str]) -> None:
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))


def refusal(path: Path, segment: Segment) -> str:
    with pytest.raises(LedgerError) as raised:
        check_archive(path, INSTALL, segment)
    return raised.value.code


def test_each_closed_segment_becomes_a_file_that_verifies(store: Store, folder: Path) -> None:
    closed(store, 9, 7)
    done = archive_segments(store, INSTALL, folder, folder)
    assert [s.archive for s in done] == [
        f"{stream}-{number}.jsonl.gz" for stream in ("model", "operation") for number in (1, 2)
    ]
    assert states(store) == ["archived"] * 4
    for segment in segments_of(store, INSTALL):
        path = archive_path(folder, segment)
        check_archive(path, INSTALL, segment)
        assert [link.text for link in read_archive(path, segment)] == texts(store, segment)
        assert path.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in folder.iterdir()} == {s.archive for s in done}


def test_a_line_has_all_that_its_hash_is_made_of(lite: Store, folder: Path) -> None:
    segment = closed(lite, 9)[0]
    archive_segments(lite, INSTALL, folder, folder)
    first = json.loads(lines_of(folder / archive_name(segment))[0])
    assert set(first) == {"install_id", "tenant", "user", "stream", "position", "trace_id", "seq",
                          "algorithm", "prev", "hash", "text"}  # fmt: skip


def test_the_same_events_are_the_same_bytes(lite: Store, tmp_path: Path) -> None:
    closed(lite, 9)
    archive_segments(lite, INSTALL, tmp_path / "a", tmp_path / "a")
    lite.run("UPDATE segment SET state = 'closed'")
    archive_segments(lite, INSTALL, tmp_path / "b", tmp_path / "a")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_another_folder_is_remembered_with_its_path(lite: Store, folder: Path) -> None:
    closed(lite, 9)
    done = archive_segments(lite, INSTALL, folder, folder.parent / "usual")
    assert archive_path(folder.parent / "usual", done[0]) == folder / archive_name(done[0])


def test_archiving_twice_writes_nothing_more(store: Store, folder: Path) -> None:
    closed(store, 9)
    assert len(archive_segments(store, INSTALL, folder, folder)) == 2
    assert archive_segments(store, INSTALL, folder, folder) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [lines[0].replace("active.planning", "active.planninG"), *lines[1:]],
        lambda lines: lines[:-1],
        lambda lines: [lines[1], lines[0], *lines[2:]],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [],
        lambda lines: ["{}", *lines[1:]],
        lambda lines: ["[" * 100_000, *lines[1:]],
        lambda lines: [lines[0].replace('"seq":1', '"seq":"1"'), *lines[1:]],
        lambda lines: [lines[0].replace('"prev":', '"more":1,"prev":'), *lines[1:]],
    ],
    ids=["flip", "cut", "swap", "insert", "empty", "no event", "deep", "kind", "key"],
)
def test_an_archive_that_was_changed_is_found(change: Change, folder: Path, lite: Store) -> None:
    segment = closed(lite, 9)[0]
    archive_segments(lite, INSTALL, folder, folder)
    path = folder / archive_name(segment)
    lines = lines_of(path)
    put(path, lines)
    check_archive(path, INSTALL, segment)
    put(path, change(lines))
    assert refusal(path, segment) in ("ledger_archive_broken", "ledger_archive_unreadable")


def test_what_is_no_archive_is_found(lite: Store, folder: Path) -> None:
    segment = closed(lite, 9)[0]
    archive_segments(lite, INSTALL, folder, folder)
    path = folder / archive_name(segment)
    content = path.read_bytes()
    for wrong in (b"", b"no gzip", content[:-9], content[:40] + bytes(20) + content[60:]):
        path.write_bytes(wrong)
        assert refusal(path, segment) in ("ledger_archive_broken", "ledger_archive_unreadable")
    path.unlink()
    assert refusal(path, segment) == "ledger_archive_unreadable"
    elsewhere = folder / "elsewhere"
    elsewhere.write_bytes(content)
    path.symlink_to(elsewhere)
    assert refusal(path, segment) == "ledger_archive_unreadable"


def test_a_line_without_end_is_not_read_whole(lite: Store, folder: Path) -> None:
    segment = closed(lite, 9)[0]
    folder.mkdir()
    path = folder / archive_name(segment)
    with gzip.open(path, "wb") as file:
        for _ in range(16):
            file.write(b" " * 1_048_576)
    assert refusal(path, segment) == "ledger_archive_unreadable"


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_nothing_that_exists_is_written_over(lite: Store, folder: Path, kind: str) -> None:
    segment = closed(lite, 9)[0]
    folder.mkdir()
    path, other = folder / archive_name(segment), folder / "other"
    other.write_text("mine", encoding="utf-8")
    if kind == "file":
        path.write_text("mine", encoding="utf-8")
    elif kind == "link":
        path.symlink_to(other)
    else:
        path.mkdir()
    with pytest.raises(LedgerError) as raised:
        archive_segments(lite, INSTALL, folder, folder)
    assert raised.value.code == "archive_exists"
    assert (segment.stream, states(lite)) == ("operation", ["archived", "closed"])
    assert kind == "folder" or path.read_text(encoding="utf-8") == "mine"
    assert other.read_text(encoding="utf-8") == "mine"


def test_the_archive_that_a_kill_left_unnoted_is_taken(store: Store, folder: Path) -> None:
    closed(store, 9)
    archive_segments(store, INSTALL, folder, folder)
    before = {path: path.stat().st_ino for path in folder.iterdir()}
    store.run("UPDATE segment SET state = 'closed', archive = ''")
    archive_segments(store, INSTALL, folder, folder)
    assert states(store) == ["archived", "archived"]
    assert {path: path.stat().st_ino for path in folder.iterdir()} == before


def test_a_folder_that_is_a_link_or_a_file_is_refused(lite: Store, tmp_path: Path) -> None:
    closed(lite, 9)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").touch()
    for name in ("link", "file"):
        with pytest.raises(LedgerError) as raised:
            archive_segments(lite, INSTALL, tmp_path / name, tmp_path)
        assert raised.value.code == "archive_unwritten"
    assert list((tmp_path / "real").iterdir()) == []
    assert archive_segments(lite, INSTALL, tmp_path / "real", tmp_path)


def test_a_full_disk_leaves_no_file_and_the_segment_closed(store: Store, folder: Path) -> None:
    closed(store, 9)
    store.all("SELECT 1")
    with files_of_at_most(200), pytest.raises(LedgerError) as raised:
        archive_segments(store, INSTALL, folder, folder)
    assert raised.value.code == "archive_unwritten"
    assert list(folder.iterdir()) == []
    assert states(store) == ["closed", "closed"]
    assert len(archive_segments(store, INSTALL, folder, folder)) == 2


def test_a_sync_that_fails_leaves_no_file(lite: Store, folder: Path) -> None:
    closed(lite, 9)

    def fails(_: int) -> None:
        raise OSError(5, "Input/output error")

    with pytest.raises(LedgerError, match="Input/output error"):
        archive_segments(lite, INSTALL, folder, folder, fails)
    assert list(folder.iterdir()) == []


def test_rows_that_are_not_what_was_signed_are_not_archived(
    place: Path | str, store: Store, folder: Path
) -> None:
    segment = closed(store, 9)[0]
    trigger = "DROP TRIGGER event_stays" + ("" if store.is_sqlite else " ON event")
    outside(place, trigger)
    outside(place, f"UPDATE event SET text = '{{}}' WHERE stream = '{segment.stream}'")  # noqa: S608
    with pytest.raises(LedgerError) as raised:
        archive_segments(store, INSTALL, folder, folder)
    assert raised.value.code == "ledger_segment_broken"
    assert states(store) == ["archived", "closed"]
    assert not (folder / archive_name(segment)).exists()

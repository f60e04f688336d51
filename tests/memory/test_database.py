"""A database is opened, made and brought up to date safely; what is none is refused and left."""

import os
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memory.database import Store, open_store
from memory.errors import LedgerError
from memory.migrations import VERSION
from tests.support.store_lab import (
    a_row,
    broken_links,
    ended,
    ledger_in,
    outside,
    records,
    stored,
    writer,
)

SECRET = "geheim"
NO_DATABASES = (
    f"mysql://u:{SECRET}@localhost/x",
    f"sqlite://u:{SECRET}@h/x",
    f"http://u:{SECRET}@localhost/x",
    f"POSTGRESQL:u:{SECRET}@h/x",
    f"postgresql:u:{SECRET}@h/x",
    "garbage",
    "",
    " ",
)
NOT_REACHED = (
    "postgresql://nowhere.invalid/x",
    f"postgresql://u:{SECRET}@127.0.0.1:1/x",
    f"postgres://u:{SECRET}@127.0.0.1:1/x",
    f"postgresql://u@127.0.0.1:1/x?password={SECRET}",
    f"postgresql://u@/x?host=/nowhere&password={SECRET}",
    f"postgresql://u:{SECRET}@127.0.0.1:99999/x",
    f"postgresql://u:{SECRET}@127.0.0.1:port/x",
    f"postgresql://u:{SECRET}@[::1/x",
    f"postgresql://u:{SECRET}@127.0.0.1:1/x?nosuch=1",
    f"postgresql://u:{SECRET}%zz@127.0.0.1:1/x",
    f"postgresql://u:{SECRET}%00@127.0.0.1:1/x",
    f"postgresql://u:{SECRET}\x00@127.0.0.1:1/x",
    f"postgresql://u:{SECRET}\ud800@127.0.0.1:1/x",
    f"postgresql://u:{SECRET}/{SECRET}@127.0.0.1:1/x",
    f"postgresql://u:{SECRET}@{SECRET}@127.0.0.1:1/x",
    f"postgresql://u:a {SECRET}@127.0.0.1:1/x",
    f"postgresql://u:@127.0.0.1:1/x?sslpassword={SECRET}",
)


def test_a_new_database_is_made_and_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "ledger" / "ledger.db"
    with open_umask(), closing(open_store(path)) as store:
        ledger_in(store).append(a_row(1), durable=True)
        modes = {name: mode_of(Path(f"{path}{name}")) for name in ("", "-wal", "-shm")}
    assert modes == {"": 0o600, "-wal": 0o600, "-shm": 0o600}
    assert mode_of(path.parent) == 0o700


def test_a_database_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    open_store(path).close()
    path.chmod(0o644)
    with open_umask(), closing(open_store(path)) as store:
        ledger_in(store).append(a_row(1), durable=True)
        assert {mode_of(Path(f"{path}{name}")) for name in ("", "-wal", "-shm")} == {0o600}


def test_a_database_is_opened_again_as_it_was(place: Path | str) -> None:
    for number in range(3):
        with closing(open_store(place)) as store:
            ledger_in(store).append(a_row(number), durable=True)
    assert stored(place) == [1, 2, 3]
    assert broken_links(place) == []
    versions = outside(place, "SELECT version FROM schema_version ORDER BY version")
    assert versions == [(n,) for n in range(1, VERSION + 1)]


def test_an_empty_database_becomes_a_ledger(tmp_path: Path) -> None:
    (tmp_path / "touched.db").touch()
    with closing(sqlite3.connect(tmp_path / "vacuumed.db")) as other:
        other.execute("VACUUM")
    outside(tmp_path / "tables.db", "CREATE TABLE schema_version (version BIGINT PRIMARY KEY)")
    for name in ("touched.db", "vacuumed.db", "tables.db"):
        with closing(open_store(tmp_path / name)) as store:
            ledger_in(store).append(a_row(1), durable=True)
        assert stored(tmp_path / name) == [1]


def test_two_processes_make_one_new_database(place: Path | str, tmp_path: Path) -> None:
    children = [writer(place, "open") for _ in range(2)]
    rounds = 12 if isinstance(place, Path) else 1
    for number in range(rounds):
        new = tmp_path / f"{number}.db" if isinstance(place, Path) else place
        for child in children:
            assert child.stdin is not None
            child.stdin.write(f"{new}\n")
        for child in children:
            assert child.stdin is not None
            child.stdin.flush()
    assert [ended(child) for child in children] == [["open"] * rounds] * 2


def test_a_database_of_a_newer_version_is_refused_and_left_untouched(place: Path | str) -> None:
    with closing(open_store(place)) as store:
        ledger_in(store).append(a_row(1), durable=True)
    outside(place, "INSERT INTO schema_version (version) VALUES (?)", (VERSION + 1,))
    before = content(place)
    for read_only in (False, True):
        with pytest.raises(LedgerError) as caught:
            open_store(place, read_only=read_only)
        assert caught.value.code == "ledger_newer"
        assert (caught.value.facts["theirs"], caught.value.facts["ours"]) == (VERSION + 1, VERSION)
    assert content(place) == before
    outside(place, "DELETE FROM schema_version WHERE version > ?", (VERSION,))
    open_store(place).close()


def test_a_newer_database_that_keeps_its_journal_otherwise_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    outside(path, "CREATE TABLE schema_version (version BIGINT PRIMARY KEY)")
    outside(path, "INSERT INTO schema_version (version) VALUES (99)")
    before = path.read_bytes()
    with pytest.raises(LedgerError):
        open_store(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["ledger.db"]


def test_reading_only_makes_nothing(place: Path | str) -> None:
    with pytest.raises(LedgerError) as caught:
        open_store(place, read_only=True)
    assert caught.value.code == "ledger_missing"
    assert not isinstance(place, Path) or not place.parent.exists()
    open_store(place).close()
    open_store(place, read_only=True).close()


def test_without_leave_to_make_it_a_missing_file_stays_missing(tmp_path: Path) -> None:
    with pytest.raises(LedgerError) as caught:
        open_store(tmp_path / "ledger" / "ledger.db", create=False)
    assert caught.value.code == "ledger_missing"
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_of_its_own_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "elsewhere.db")
    (tmp_path / "folder.db").mkdir()
    os.mkfifo(tmp_path / "pipe.db")
    (tmp_path / "file").touch()
    places = (tmp_path / "link.db", tmp_path / "folder.db", tmp_path / "pipe.db", Path("/dev/null"),
              tmp_path / "file" / "ledger.db", tmp_path / ("x" * 300), tmp_path)  # fmt: skip
    for path in places:
        with pytest.raises(LedgerError) as caught:
            open_store(path)
        assert caught.value.code == "ledger_unwritable", path
    assert not (tmp_path / "elsewhere.db").exists()
    assert list((tmp_path / "folder.db").iterdir()) == []


def test_a_link_to_a_ledger_is_not_followed_either(tmp_path: Path) -> None:
    open_store(tmp_path / "real.db").close()
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    with pytest.raises(LedgerError) as caught:
        open_store(tmp_path / "link.db")
    assert caught.value.code == "ledger_unwritable"


@pytest.mark.parametrize("content", [b"hello\n" * 1000, b"SQLite format 3\x00" + b"\xff" * 9000])
def test_a_file_that_is_no_database_is_refused_and_left(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ledger.db"
    path.write_bytes(content)
    for read_only in (False, True):
        with pytest.raises(LedgerError) as caught:
            open_store(path, read_only=read_only)
        assert caught.value.code == "ledger_unreadable_file"
    assert path.read_bytes() == content


def test_a_database_cut_in_half_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(open_store(path)) as store:
        ledger_in(store).append_all([a_row("x" * 500) for _ in range(200)], durable=True)
    half = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(half)
    with pytest.raises(LedgerError):
        written_and_read(path)


def test_a_damaged_page_is_a_sentence_wherever_it_is_met(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(open_store(path)) as store:
        ledger_in(store).append_all([a_row("x" * 900) for _ in range(90)], durable=True)
    whole, page = path.read_bytes(), 4096
    refused = []
    for at in range(page, len(whole), page):
        path.write_bytes(whole[:at] + b"\xff" * page + whole[at + page :])
        try:
            with closing(open_store(path)) as store:
                store.all("SELECT text FROM event ORDER BY rowid")
        except LedgerError as error:
            refused.append(error.code)
    assert len(refused) > 20
    assert {*refused} == {"ledger_unreadable_file"}


def test_a_file_or_folder_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger" / "ledger.db"
    open_store(path).close()
    child = started_without_roots_rights()
    path.chmod(0o400)
    assert opened_by(child, path) == "ledger_unwritable"
    path.chmod(0o600)
    path.parent.chmod(0o500)
    assert opened_by(child, path) == "ledger_unwritable"
    assert opened_by(child, path.parent / "new.db") == "ledger_unwritable"
    path.parent.chmod(0o700)
    assert opened_by(child, path) == "open"
    assert ended(child) == []


@pytest.mark.parametrize("url", NO_DATABASES)
def test_an_address_of_another_kind_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(LedgerError) as caught:
        open_store(url)
    assert caught.value.code == "ledger_url"
    assert SECRET not in said(caught.value)


@pytest.mark.parametrize("url", NOT_REACHED)
def test_a_database_that_is_not_reached_is_a_sentence_without_the_password(url: str) -> None:
    with pytest.raises(LedgerError) as caught:
        open_store(url, busy_seconds=2)
    assert SECRET not in said(caught.value)


def test_a_database_or_role_that_is_not_there_is_a_sentence(place: Path | str) -> None:
    if isinstance(place, str):
        for url in (place.replace("@/d", "@/nosuch"), place.replace("//sgclaw", "//nobody")):
            with pytest.raises(LedgerError, match=r"nosuch|nobody"):
                open_store(url)
    open_store(place).close()


def test_closing_twice_is_as_closing_once(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(LedgerError):
        ledger_in(store).append(a_row(1), durable=True)


def written_and_read(path: Path) -> list[object]:
    """Append to the ledger at *path*; return what it holds."""
    with closing(open_store(path)) as store:
        ledger_in(store).append(a_row(1), durable=True)
        return records(ledger_in(store))


def said(error: LedgerError) -> str:
    """Return all that a person, or a crash report, can see of *error*."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return " ".join([error.text("zh-CN"), *map(repr, causes), *map(str, causes), str(error.facts)])


def started_without_roots_rights() -> subprocess.Popen[str]:
    """Start a process that opens what it is told, and that a file's mode holds for, root or not."""
    limits = "-dac_override,-dac_read_search"
    before = ("setpriv", f"--bounding-set={limits}") if os.geteuid() == 0 else ()
    return writer("-", "open", before=before)


def opened_by(child: subprocess.Popen[str], path: Path) -> str:
    """Return what opening *path* comes to in *child*."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(f"{path}\n")
    child.stdin.flush()
    return child.stdout.readline().strip()


def content(place: Path | str) -> object:
    """Return all that is in the database, for SQLite to the byte."""
    if isinstance(place, Path):
        return place.read_bytes(), sorted(p.name for p in place.parent.iterdir())
    tables = outside(place, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    return [(name, outside(place, f"TABLE {name}")) for (name,) in sorted(tables)]


def mode_of(path: Path) -> int:
    """Return who may do what with *path*."""
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def open_umask() -> Iterator[None]:
    """Leave every right to the files that are made meanwhile, as a careless shell does."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)

"""The database of the ledger: SQLite (WAL) by default, PostgreSQL by URL, through the same code.

SQLite writes with synchronous=NORMAL and turns to FULL for a commit that must outlive a power cut
(design section 5). Each statement runs in a transaction of its own writer: IMMEDIATE in SQLite, an
advisory lock in PostgreSQL; so there is one writer at a time, in whatever process it is.
"""

import contextlib
import errno
import itertools
import os
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import peewee

from memory.database_url import kind_of, shown_url
from memory.errors import LedgerError
from memory.migrations import VERSION, migrate, version_of
from states.secrets import strike

_MS = 1000
_NO_SERVER = ("connection", "could not connect", "could not translate", "password", "server closed",
              "authentication", "database \"", "role \"")  # fmt: skip
_NO_LEDGER = ("not a database", "malformed", "no such table", "no such column", "relation \"",
              "column \"")  # fmt: skip
_PAUSE_S = 0.01
# None is made anew in silence: not after a failure, not for another thread.
_ONE_CONNECTION: dict[str, Any] = {"thread_safe": False, "autoconnect": False}
# What peewee wraps around its own calls; a cursor that is read in parts is beyond them.
_as_peewee: Any = vars(peewee)["__exception_wrapper__"]
# Any number, the same in every process: the key of PostgreSQL's lock on the chain.
_PG_LOCK = 0x5367_636C


class Store:
    """An open database: `db` is peewee's, `place` what a person knows it by."""

    def __init__(self, db: peewee.Database, place: str, file: Path | None) -> None:
        self.db = db
        self.place = place
        self._file = file
        self._files = () if file is None else (file, Path(f"{file}-wal"))
        self._identities: list[tuple[int, int] | None] = []
        self._full = False
        self._cursors = itertools.count(1)

    @property
    def is_sqlite(self) -> bool:
        """Tell whether this is SQLite; else it is PostgreSQL."""
        return self._file is not None

    def all(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of *sql*, in which `?` stands for each of *params*.

        Raises:
            LedgerError: the database cannot be read.
        """
        # A damaged page may be met only while the rows are fetched, where peewee does not look.
        with translated(self.place), _as_peewee:
            return list(self.db.execute_sql(self._spelled(sql), tuple(params)).fetchall())

    def each(self, sql: str, params: Sequence[Any] = (), size: int = 2_000) -> Iterator[Any]:
        """Yield the rows of *sql* without holding them all.

        Raises:
            LedgerError: the database cannot be read.
        """
        with translated(self.place):
            cursor = self._streaming(self._spelled(sql), tuple(params))
        try:
            while True:
                with translated(self.place), _as_peewee:
                    rows = cursor.fetchmany(size)
                if not rows:
                    return
                yield from rows
        finally:
            with translated(self.place), _as_peewee:
                cursor.close()

    def run(self, sql: str, params: Sequence[Any] = ()) -> int:
        """Run *sql* and return how many rows it touched; call it within `writing`.

        Raises:
            LedgerError: the database refuses.
        """
        with translated(self.place):
            return int(self.db.execute_sql(self._spelled(sql), tuple(params)).rowcount)

    @contextlib.contextmanager
    def writing(self, *, durable: bool) -> Iterator[None]:
        """Be the only writer in the block; commit at its end, to the disk itself if *durable*.

        Raises:
            LedgerError: another writer did not end in time, or the database cannot be written;
                nothing of the block is kept.
        """
        with translated(self.place):
            if self.is_sqlite:
                with self._lasting(durable), self.db.atomic("IMMEDIATE"):
                    yield
            else:
                with self.db.atomic():
                    self.db.execute_sql(f"SET LOCAL synchronous_commit = {_on(durable)}")
                    self.db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (_PG_LOCK,))
                    yield

    def remember_place(self) -> None:
        """Take the files that are there now as the open ones; call it once all of them are."""
        self._identities = self._identities_now()

    def check_place(self) -> None:
        """Refuse to go on when a file at the place is not the open one: nobody would read it.

        That is the database and the log beside it, which holds the newest rows.

        Raises:
            LedgerError: it was replaced or removed.
        """
        if self._identities_now() != self._identities:
            raise LedgerError("ledger_replaced", path=self.place)

    def close(self) -> None:
        """Close the database; more than once does nothing."""
        with contextlib.suppress(peewee.PeeweeException):
            self.db.close()

    def _identities_now(self) -> list[tuple[int, int] | None]:
        return [_identity(file) for file in self._files]

    def _spelled(self, sql: str) -> str:
        return sql if self.is_sqlite else sql.replace("%", "%%").replace("?", "%s")

    def _streaming(self, sql: str, params: tuple[Any, ...]) -> Any:
        if self.is_sqlite:
            return self.db.execute_sql(sql, params)
        # A named cursor stays at the server; it needs a transaction around it.
        with _as_peewee:
            cursor = self.db.connection().cursor(f"rows_{next(self._cursors)}", withhold=True)
            cursor.execute(sql, params)
        return cursor

    @contextlib.contextmanager
    def _lasting(self, durable: bool) -> Iterator[None]:
        if durable != self._full:
            self.db.execute_sql(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._full = durable
        yield


def _on(durable: bool) -> str:
    return "on" if durable else "off"


def open_store(
    place: Path | str, *, create: bool = True, busy_seconds: float = 10, read_only: bool = False
) -> Store:
    """Open the database at *place*: a file, or a `postgresql://` URL; bring it up to date.

    With *create* a missing file is made, for its owner only, and tables where there are none.
    *busy_seconds* is how long another writer is waited for. *read_only* neither makes nor changes
    anything.

    Raises:
        LedgerError: it cannot be opened, is no database, or was written by a newer version.
    """
    if isinstance(place, Path):
        store = _sqlite(place, busy_seconds, create=create and not read_only)
    else:
        store = _postgresql(place, busy_seconds)
    try:
        with translated(store.place):
            found = version_of(store.db)
        if found > VERSION:
            raise LedgerError("ledger_newer", path=store.place, theirs=found, ours=VERSION)
        if store.is_sqlite and not read_only:
            _use_wal(store, busy_seconds)
        if found < VERSION:
            if found == 0 and (read_only or not create):
                raise LedgerError("ledger_missing", path=store.place)
            with store.writing(durable=True):
                migrate(store.db, is_sqlite=store.is_sqlite)
        if store.is_sqlite and isinstance(place, Path):
            _close_to_others(place)
        store.remember_place()
    except BaseException:
        store.close()
        raise
    return store


def _sqlite(path: Path, busy_seconds: float, *, create: bool) -> Store:
    try:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with contextlib.suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        # Not opened to look at: closing it would free the locks of this process's other stores.
        is_file = stat.S_ISREG(path.lstat().st_mode)
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except FileNotFoundError as error:
        raise LedgerError("ledger_missing", path=path) from error
    except OSError as error:
        raise LedgerError("ledger_unwritable", path=path, why=error.strerror) from error
    if not is_file:
        raise LedgerError("ledger_unwritable", path=path, why="not a regular file")
    db = peewee.SqliteDatabase(
        str(path), timeout=busy_seconds, check_same_thread=False,
        pragmas=(("trusted_schema", 0), ("synchronous", "NORMAL")), **_ONE_CONNECTION,
    )  # fmt: skip
    with translated(str(path)):
        db.connect()
    return Store(db, str(path), path)


def _use_wal(store: Store, busy_seconds: float) -> None:
    # SQLite does not wait by itself for others that open a new file at the same moment.
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            store.all("PRAGMA journal_mode=wal")
        except LedgerError as error:
            if error.code != "ledger_busy" or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def _postgresql(url: str, busy_seconds: float) -> Store:
    shown = shown_url(url)
    if shown is None:
        raise LedgerError("ledger_url", url=kind_of(url))
    try:
        import psycopg  # noqa: F401 - an extra: most installations have no use for it
    except ImportError as error:
        raise LedgerError("ledger_extra_missing", url=shown) from error
    wait = f"-c lock_timeout={round(busy_seconds * _MS)} -c client_encoding=UTF8"
    with translated(shown):
        db = peewee.PostgresqlDatabase(
            url, prefer_psycopg3=True, options=wait, connect_timeout=max(2, round(busy_seconds)),
            tcp_user_timeout=round(busy_seconds * _MS), **_ONE_CONNECTION,
        )  # fmt: skip
        db.connect()
    return Store(db, shown, None)


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _close_to_others(path: Path) -> None:
    """Leave the database and the files beside it to their owner alone."""
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with contextlib.suppress(OSError):
            if not name.is_symlink() and name.stat().st_mode & 0o077:
                name.chmod(0o600)


@contextlib.contextmanager
def translated(place: str) -> Iterator[None]:
    """Raise what the database says as a LedgerError that names *place*, without any secret."""
    try:
        yield
    except peewee.PeeweeException as error:
        raise _told(error, place) from error
    except (UnicodeError, OverflowError, ValueError) as error:
        raise LedgerError("ledger_unwritable", path=place, why=strike(str(error))) from error


def _told(error: peewee.PeeweeException, place: str) -> LedgerError:
    text = strike(str(error)).strip()
    low = text.lower()
    if "database is locked" in low or "lock timeout" in low:
        return LedgerError("ledger_busy", path=place)
    if any(mark in low for mark in _NO_SERVER):
        return LedgerError("ledger_unreachable", url=place, why=text.splitlines()[0])
    if any(mark in low for mark in _NO_LEDGER):
        return LedgerError("ledger_unreadable_file", path=place, why=text)
    if isinstance(error, peewee.IntegrityError) and "append-only" not in low:
        return LedgerError("ledger_twice", path=place, why=text)
    return LedgerError("ledger_unwritable", path=place, why=text.splitlines()[0] if text else "?")

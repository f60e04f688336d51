"""The ledger of one trace in the database: append-only, each event chained to the one before (M7).

The audit path fails closed: what cannot be written is raised, and after a failure every later row
is refused, since what the store really holds is not known any more. It does not pass through any
log.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from memory.chain import GENESIS, Owner, Place, link_hash
from memory.database import Store
from memory.errors import LedgerError
from memory.facts import Facts, facts_of
from memory.lock import lock_file
from memory.migrations import EVENT_COLUMNS
from memory.reader import read_trace
from states.ledger_head import Head
from states.settings import AuditLimits

FORMAT_VERSION = 1
_INSERT = (
    f"INSERT INTO event ({', '.join(EVENT_COLUMNS)}) "  # noqa: S608 - names of our own
    f"VALUES ({', '.join('?' * len(EVENT_COLUMNS))})"
)
_LAST = (
    "SELECT position, hash FROM event WHERE install_id = ? AND stream = ?"
    " ORDER BY position DESC LIMIT 1"
)
_LAST_CLOSED = (
    "SELECT last_position, last_hash FROM segment WHERE install_id = ? AND stream = ?"
    " ORDER BY number DESC LIMIT 1"
)
_ENDS = (
    "SELECT stream, position, hash, algorithm FROM event"
    " WHERE install_id = ? AND trace_id = ? ORDER BY position"
)
_LAST_SEQ = "SELECT max(seq) FROM event WHERE install_id = ? AND trace_id = ?"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


class DatabaseLedger:
    """One trace's rows, numbered from 1; the port that the engine's journal writes through."""

    def __init__(
        self,
        store: Store,
        owner: Owner,
        trace_id: str,
        lock: Path | None = None,
        limits: AuditLimits | None = None,
    ) -> None:
        """Take the trace for this process alone, if *lock* names the file that says so.

        Raises:
            LedgerError: another process has the trace, or the store cannot be read.
        """
        if any(c < " " for word in (*owner, trace_id) for c in word):
            raise LedgerError("ledger_owner", why="a control character in a name")
        self.store = store
        self.trace_id = trace_id
        self._owner = owner
        self._limits = limits or AuditLimits()
        self._failure: LedgerError | None = None
        self._heads: dict[str, Head] = {}
        self._lock = lock
        self._lock_fd = -1 if lock is None else _locked(lock)
        try:
            [(last,)] = store.all(_LAST_SEQ, (owner.install_id, trace_id))
        except BaseException:
            self._unlock()
            raise
        self._seq = int(last or 0)
        if self._seq:  # a task that goes on: its host may not have heard of the last rows
            self._heads = self._ends()

    @property
    def path(self) -> str:
        """What a person knows the store by."""
        return self.store.place

    @property
    def seq(self) -> int:
        """The number of the last row, 0 before the first."""
        return self._seq

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        """Append *row* under the next number; on the disk itself when this returns, if *durable*.

        Raises:
            LedgerError: it could not be written; the caller must not act.
        """
        self.append_all((row,), durable=durable)

    def append_all(self, rows: Iterable[Mapping[str, Any]], *, durable: bool) -> None:
        """Append *rows* in one transaction: all of them, or none.

        Raises:
            LedgerError: they could not be written; the caller must not act.
        """
        if self._failure is not None:
            raise LedgerError(self._failure.code, **self._failure.facts)
        try:
            texts = [self._text(row, seq) for seq, row in enumerate(rows, start=self._seq + 1)]
            if durable:
                self.store.check_place()
            with self.store.writing(durable=durable):
                heads = self._insert(texts)
        except LedgerError as error:
            self._give_up(error)
        self._heads |= heads
        self._seq += len(texts)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the trace as they were appended, each held against its hash.

        Raises:
            LedgerError: one is missing, or is not what was written.
        """
        return read_trace(self.store, self._owner.install_id, self.trace_id)

    def heads(self) -> tuple[Head, ...]:
        """Return what each stream came to with the last row that this ledger wrote to it."""
        return tuple(self._heads.values())

    def close(self) -> None:
        """Let go of the trace and close the store; later appends fail."""
        self._failure = self._failure or LedgerError("ledger_closed", path=self.path)
        self.store.close()
        self._unlock()

    def _text(self, row: Mapping[str, Any], seq: int) -> str:
        said = {name: value for name, value in row.items() if name not in ("v", "seq")}
        numbered = {"v": FORMAT_VERSION, "seq": seq, **said}
        try:
            text = json.dumps(numbered, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise LedgerError("ledger_no_row", path=self.path, why=error) from error
        # Half of a surrogate pair is no text for a database; its escape is the same JSON.
        raw = text.encode("utf-8", "backslashreplace")
        if len(raw) > self._limits.record_bytes_max:
            raise LedgerError(
                "ledger_record_too_long", bytes=len(raw), max=self._limits.record_bytes_max
            )
        return raw.decode("utf-8")

    def _insert(self, texts: list[str]) -> dict[str, Head]:
        heads: dict[str, Head] = {}
        for seq, text in enumerate(texts, start=self._seq + 1):
            facts = facts_of(json.loads(text))  # of the text itself, as whoever verifies does
            head = heads.get(facts.stream) or self._last(facts.stream)
            place = Place(facts.stream, head.position + 1, self.trace_id, seq)
            algorithm = self._limits.algorithm
            link = link_hash(self._owner, place, algorithm, head.hash, text)
            self.store.run(_INSERT, self._values(place, facts, text, (head.hash, link)))
            heads[facts.stream] = Head(
                self._owner.install_id, facts.stream, place.position, link, algorithm
            )
        return heads

    def _values(
        self, place: Place, facts: Facts, text: str, hashes: tuple[str, str]
    ) -> tuple[object, ...]:
        owner = self._owner
        return (
            owner.install_id, place.stream, place.position, place.trace_id, place.seq,
            facts.at, facts.kind, owner.tenant, owner.user, facts.event, facts.state,
            facts.action, facts.domain, facts.verdict, facts.skill, facts.outcome,
            self._limits.algorithm, text, *hashes,
        )  # fmt: skip

    def _last(self, stream: str) -> Head:
        """Return the end of *stream*'s chain, whoever wrote it."""
        owned = (self._owner.install_id, stream)
        found = self.store.all(_LAST, owned) or self.store.all(_LAST_CLOSED, owned)
        position, link = found[0] if found else (0, GENESIS)
        return Head(*owned, int(position), str(link), self._limits.algorithm)

    def _ends(self) -> dict[str, Head]:
        """Return what each stream came to with the last row of this trace in it."""
        ends: dict[str, Head] = {}
        owned = (self._owner.install_id, self.trace_id)
        for stream, position, link, algorithm in self.store.all(_ENDS, owned):
            ends[str(stream)] = Head(owned[0], str(stream), int(position), str(link), algorithm)
        return ends

    def _give_up(self, failure: LedgerError) -> NoReturn:
        self._failure = failure
        raise failure

    def _unlock(self) -> None:
        if self._lock_fd >= 0 and self._lock is not None:
            with contextlib.suppress(OSError):
                self._lock.unlink()  # while it is ours: who waits looks again, see `_locked`
            os.close(self._lock_fd)
            self._lock_fd = -1


def _locked(path: Path) -> int:
    """Return the open and locked file at *path*; it is the one that others find there."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fd = os.open(path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o600)
        except OSError as error:
            raise LedgerError("ledger_unwritable", path=path, why=error.strerror) from error
        if not lock_file(fd):
            os.close(fd)
            raise LedgerError("ledger_locked", path=path)
        if _is_at(path, fd):
            return fd
        os.close(fd)  # whoever had it removed it in between


def _is_at(path: Path, fd: int) -> bool:
    ours = os.fstat(fd)
    try:
        there = path.lstat()
    except OSError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

"""Upkeep of the ledger: close, archive and prune, and tell of it in the ledger itself (A3).

The rule: what goes is written down before and after, signed like every other row; whatever is in
doubt (a clock, an archive, a task that runs) stops it before anything is gone.
"""

import functools
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from browser.host.heads import HeadLog
from memory.archive import archive_path, archive_segments, remove_archive
from memory.chain import Owner
from memory.database import Store
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from memory.prune import (
    check_before_drop,
    check_before_removal,
    compact,
    drop,
    finish_dropping,
    forget_archive,
    is_unfinished,
    newest_event,
    traces_holding,
    untold_prunes,
)
from memory.reader import has_trace
from memory.retention import Days, Fate, Why, clock_doubt, days_of, fates, is_past
from memory.segments import (
    DROPPED,
    DROPPING,
    Segment,
    closable,
    close_segments,
    segments_of,
    time_of,
)
from sgclaw.clock import utc_now
from sgclaw.errors import RefusedError
from sgclaw.head_log import signing_log
from sgclaw.identity import account
from sgclaw.install import heads_path, public_key
from sgclaw.paths import database_path
from sgclaw.trace import new_trace_id
from sgclaw.upkeep_files import KeptFile, is_running, kept_files, remove
from sgclaw.upkeep_heads import needed_heads
from states.ledger_head import SignedHead
from states.settings import AuditLimits

_NAMES_MAX = 1_000


class Wish(NamedTuple):
    """What the operator asked of a prune; each field names the option that it is."""

    profile: str | None = None
    archives: bool = False
    without_archive: bool = False
    unfinished: bool = False
    compact: bool = False
    yes: bool = False


class FileFate(NamedTuple):
    """What becomes of one file: it goes when *why* is `past`."""

    file: KeptFile
    why: Why


class Plan(NamedTuple):
    """What a prune comes to at *now*: *doubts* say by class why the clock is not believed.

    *newest* is the time of the newest thing written here, *holding* the traces that hold a
    segment back, *archives* the dropped segments whose archive is past its days too.
    """

    profile: str
    days: Days
    archive_days: int
    now: datetime
    newest: datetime | None
    doubts: dict[str, str]
    fates: list[Fate]
    holding: dict[tuple[str, int], list[str]]
    files: list[FileFate]
    archives: list[Segment]

    @property
    def segments(self) -> list[Segment]:
        """The segments that go."""
        return [fate.segment for fate in self.fates if fate.goes]

    @property
    def going_files(self) -> list[KeptFile]:
        """The files that go."""
        return [fate.file for fate in self.files if fate.why == "past"]

    def traces_at(self, segment: Segment) -> list[str]:
        """Return the traces that hold *segment* back."""
        return self.holding.get(_key(segment), [])


def doubt_error(plan: Plan) -> RefusedError | None:
    """Return what a prune is refused with when its clock is in doubt, None when it is not."""
    if not plan.doubts:
        return None
    code = "prune_clock_behind" if "behind" in plan.doubts.values() else "prune_clock_ahead"
    now, newest = (t.isoformat(timespec="seconds") if t else "" for t in (plan.now, plan.newest))
    return RefusedError(code, now=now, newest=newest)


class Upkeep:
    """The ledger of the folder *data* in *store*, with what *limits* say, at the moment *now*."""

    def __init__(
        self, data: Path, store: Store, owner: Owner, limits: AuditLimits, now: datetime
    ) -> None:
        self._data, self._store, self._limits, self._now = data, store, limits, now
        self._owner = owner
        self.install_id = owner.install_id

    @property
    def archive_folder(self) -> Path:
        """The usual place of archives."""
        return self._data / "archive"

    def close(self) -> list[Segment]:
        """Close what is full or old, as far as signed heads reach; return it.

        Raises:
            LedgerError: the ledger does not hold what a signed head says, or cannot be written.
        """
        return close_segments(self._store, self.install_id, self._anchors, self._now, self._limits)

    def archive(self, to: Path | None = None) -> list[Segment]:
        """Close what can be, and archive every closed segment into *to*; return those archived.

        Raises:
            LedgerError: one cannot be archived; those before it are.
        """
        self.close()
        usual = self.archive_folder
        return archive_segments(self._store, self.install_id, to or usual, usual)

    def plan(self, wish: Wish) -> Plan:
        """Return what a prune would do, and do nothing.

        Raises:
            LedgerError: the ledger or a folder cannot be read.
        """
        store, install, now = self._store, self.install_id, self._now
        days = days_of(self._limits, wish.profile)
        segments = segments_of(store, install)
        segments += self._closable(self._anchors)
        held, holding = self._held(segments, days, wish)
        found = fates(segments, days, now, held, archived_only=not wish.without_archive)
        all_files = kept_files(self._data)
        plan = Plan(
            wish.profile or self._limits.retention_profile, days, self._limits.archive_days, now,
            self._newest(all_files), {}, found, holding,
            [f for f in (self._file_fate(f, days, wish) for f in all_files) if f.why != "young"],
            self._past_archives(segments) if wish.archives else [],
        )  # fmt: skip
        return plan._replace(doubts=_doubts(plan))

    def prune(self, wish: Wish) -> tuple[Plan, str]:
        """Drop what is due; return what went, and the trace that tells of it ("" for nothing).

        Raises:
            RefusedError: the clock is in doubt, and the operator did not say yes.
            LedgerError: the ledger, or an archive of what is to go, is not what was signed:
                nothing went. Or it cannot be written: the next prune goes on.
        """
        self.close()
        plan = self.plan(wish)
        doubt = doubt_error(plan)
        if doubt is not None and not wish.yes:
            raise doubt
        for segment in (s for s in plan.segments if s.state != DROPPING):
            check_before_drop(self._store, self.install_id, segment, self.archive_folder)
        for segment in plan.archives:
            check_before_removal(self.install_id, segment, self.archive_folder)
        heads = signing_log(self._data)
        self._finish_telling(heads)
        if not (plan.segments or plan.going_files or plan.archives):
            return plan, ""
        trace = new_trace_id(self._now)
        ledger = self._ledger(trace)
        payload = _payload(plan) | {"dropped": self._last_dropped()}
        ledger.append(_row("pruning", trace, payload), durable=True)
        done = self._drop(plan)
        self._close_telling(ledger, heads, _payload(done))
        if wish.compact:
            self._compact()
        return done, trace

    def _compact(self) -> None:
        """Give the room back, unless a task runs: it could write nothing meanwhile, and would fail.

        Raises:
            LedgerError: a task runs, or the store refuses.
        """
        locks = sorted(database_path(self._data).parent.glob("sgclaw-*.lock"))
        running = [path.stem for path in locks if is_running(self._data, path.stem)]
        if running:
            raise LedgerError("prune_compact_busy", trace=running[0])
        compact(self._store)

    def _last_dropped(self) -> list[dict[str, object]]:
        """Return the last segment of each stream that is gone: the prune that told of it may be."""
        dropped = (s for s in segments_of(self._store, self.install_id) if s.state == DROPPED)
        return [_named(s) for s in {s.stream: s for s in dropped}.values()]

    def _ledger(self, trace: str) -> DatabaseLedger:
        # No lock: nobody else knows this trace, and the upkeep's own lock is held.
        return DatabaseLedger(self._store, self._owner, trace, limits=self._limits)

    def _close_telling(
        self, ledger: DatabaseLedger, heads: HeadLog, payload: dict[str, object]
    ) -> None:
        """Write down what went, and have the head of it signed."""
        ledger.append(_row("pruned", ledger.trace_id, payload), durable=True)
        for head in ledger.heads():
            if not heads.take(head, ledger.trace_id):
                raise LedgerError("prune_head_refused", path=heads.path, why=heads.failure)

    def _finish_telling(self, heads: HeadLog) -> None:
        """Write down for each prune that was killed what became of what it meant to drop."""
        for trace in untold_prunes(self._store, self.install_id):
            now = {_key(s): _named(s) for s in segments_of(self._store, self.install_id)}
            ledger = self._ledger(trace)
            meant = ledger.rows()[0]["event"]["payload"]
            keys = [(s["stream"], s["number"]) for s in meant["segments"]]
            found = {"segments": [now[key] for key in keys if key in now], "cut_off": True}
            self._close_telling(ledger, heads, found)

    def _drop(self, plan: Plan) -> Plan:
        store, install = self._store, self.install_id
        half_done = finish_dropping(store, install)
        gone = [drop(store, install, s) for s in plan.segments if s.state != DROPPING]
        files = [FileFate(file, "past") for file in plan.going_files if remove(file)]
        for segment in plan.archives:
            remove_archive(archive_path(self.archive_folder, segment))
            forget_archive(store, install, segment)
        dropped = {(s.stream, s.number): s for s in (*half_done, *gone)}
        told = [f._replace(segment=dropped.get(_key(f.segment), f.segment)) for f in plan.fates]
        kept = [fate for fate in plan.files if fate.why != "past"]
        return plan._replace(fates=told, files=[*files, *kept])

    def _held(
        self, segments: list[Segment], days: Days, wish: Wish
    ) -> tuple[dict[tuple[str, int], Why], dict[tuple[str, int], list[str]]]:
        """Return which of the segments past their days a trace holds back, why, and the traces."""
        held: dict[tuple[str, int], Why] = {}
        holding: dict[tuple[str, int], list[str]] = {}
        for fate in fates(segments, days, self._now, {}, archived_only=False):
            if not fate.goes or fate.segment.state == DROPPING:
                continue
            why, traces = traces_holding(
                self._store, self.install_id, fate.segment, lambda t: is_running(self._data, t)
            )
            if why == "running" or (why == "unfinished" and not wish.unfinished):
                held[_key(fate.segment)] = why
                holding[_key(fate.segment)] = traces
        return held, holding

    def _file_fate(self, file: KeptFile, days: Days, wish: Wish) -> FileFate:
        if not is_past(file.at, getattr(days, file.of), self._now):
            return FileFate(file, "young")
        if file.trace:
            if file.path.suffix == ".lock" and has_trace(self._store, self.install_id, file.trace):
                return FileFate(file, "young")
            if is_running(self._data, file.trace):
                return FileFate(file, "running")
            if not wish.unfinished and is_unfinished(self._store, self.install_id, file.trace):
                return FileFate(file, "unfinished")
        return FileFate(file, "past")

    def _past_archives(self, segments: list[Segment]) -> list[Segment]:
        found: list[Segment] = []
        for segment in segments:
            at = time_of(segment.closed_at)
            if segment.state == DROPPED and segment.archive and at is not None:
                found += [segment] * is_past(at, self._limits.archive_days, self._now)
        return found

    def _newest(self, files: list[KeptFile]) -> datetime | None:
        event = time_of(newest_event(self._store, self.install_id))
        return max([file.at for file in files] + ([event] if event else []), default=None)

    @functools.cached_property
    def _anchors(self) -> list[SignedHead]:
        """The heads by which segments can be closed, signed by this installation's key."""
        key = public_key(self._data)
        return [] if key is None else needed_heads(heads_path(self._data), key, self._closable)

    def _closable(self, anchors: list[SignedHead]) -> list[Segment]:
        return closable(self._store, self.install_id, anchors, self._now, self._limits)


def _payload(plan: Plan) -> dict[str, object]:
    """Return what the ledger is told of *plan*: what goes, or what went."""
    return {
        "by": account(),
        "profile": plan.profile,
        "days": plan.days._asdict() | {"archive": plan.archive_days},
        "segments": [_named(segment) for segment in plan.segments],
        "files": [f"{f.path.parent.name}/{f.path.name}" for f in plan.going_files][:_NAMES_MAX],
        "files_total": len(plan.going_files),
        "archives": [_named(segment) for segment in plan.archives],
        "clock": plan.doubts,
    }


def _row(kind: str, trace: str, payload: dict[str, object]) -> dict[str, object]:
    return {
        "at": utc_now().isoformat(timespec="milliseconds"), "trace_id": trace, "kind": kind,
        "event": {"type": kind, "payload": payload, "generation": None},
        "result": "handled", "state": "", "path": [], "verdicts": [], "effects": [],
    }  # fmt: skip


def _named(segment: Segment) -> dict[str, object]:
    names = ("stream", "number", "first_position", "last_position", "last_hash", "events",
             "opened_at", "closed_at", "state", "archive")  # fmt: skip
    return {name: getattr(segment, name) for name in names}


def _key(segment: Segment) -> tuple[str, int]:
    return segment.stream, segment.number


def _doubts(plan: Plan) -> dict[str, str]:
    """Return why the clock is doubtful, by the class of what would go."""
    going = {segment.stream: getattr(plan.days, segment.stream) for segment in plan.segments}
    going |= {file.of: getattr(plan.days, file.of) for file in plan.going_files}
    if plan.archives:
        going["archive"] = plan.archive_days
    found = {of: clock_doubt(plan.now, plan.newest, days) for of, days in going.items()}
    if clock_doubt(plan.now, plan.newest, 0) == "behind":
        found["clock"] = "behind"
    return {of: str(doubt) for of, doubt in found.items() if doubt}

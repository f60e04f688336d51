"""`sgclaw audit prune|archive|size`: what an operator keeps, puts away and lets go (A3)."""

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.archive import archive_path
from memory.chain import Owner
from memory.database import open_store
from memory.errors import LedgerError
from memory.segments import Segment, segments_of
from memory.sizes import store_size, stream_sizes
from sgclaw.clock import utc_now
from sgclaw.errors import EXIT_OK, UsageError
from sgclaw.identity import ledger_spec
from sgclaw.install import known_install_id
from sgclaw.ledgers import database_url, store_of
from sgclaw.paths import data_dir, database_path, private_files
from sgclaw.printer import Printer, cli_language
from sgclaw.settings import load_settings
from sgclaw.upkeep import Plan, Upkeep, Wish, doubt_error
from sgclaw.upkeep_files import KeptFile, kept_files, upkeep_lock
from states.catalogue import words

CLASSES = ("operation", "pipe", "model")
_LINES = {True: ("prune_class_would", "prune_archives_would"),
          False: ("prune_class_gone", "prune_archives_gone")}  # fmt: skip
_KEPT = {"not_archived": "prune_kept_not_archived", "unfinished": "prune_kept_unfinished",
         "running": "prune_kept_running", "behind_kept": "prune_kept_behind_kept"}  # fmt: skip
_TRACES_SHOWN = 3


def prune(given: argparse.Namespace, printer: Printer) -> int:
    """Carry out `prune`; return the exit code."""
    wish = Wish(given.profile, given.archives, given.without_archive, given.unfinished,
                given.compact, given.yes)  # fmt: skip
    data, now = data_dir(), utc_now()
    if given.dry_run or not _is_there(data):
        with _looked_at(data, now) as upkeep:
            plan = upkeep.plan(wish)
        if given.dry_run or not plan.going_files:
            return _say(plan, "", printer, dry=bool(given.dry_run))
    with private_files(), upkeep_lock(data), _opened(data, now) as upkeep:
        plan, trace = upkeep.prune(wish)
    return _say(plan, trace, printer, dry=False)


def archive(given: argparse.Namespace, printer: Printer) -> int:
    """Carry out `archive`; return the exit code."""
    if given.to is not None and not given.to.strip():
        raise UsageError("archive_to_empty")
    data = data_dir()
    done: list[Segment] = []
    if _is_there(data):
        to = Path(given.to) if given.to else None
        with private_files(), upkeep_lock(data), _opened(data, utc_now()) as upkeep:
            done = upkeep.archive(to)
    if printer.as_json:
        printer.document({"archived": [_told(segment) for segment in done]})
        return EXIT_OK
    if not done:
        limits = load_settings(os.environ).audit
        hours = f"{limits.segment_seconds_max / 3600:g}"
        facts = {"events": limits.segment_events_max, "hours": hours}
        printer.line(words("archive_nothing", cli_language(), **facts))
        return EXIT_OK
    for segment in done:
        printer.line(words("archive_line", cli_language(), **_told(segment)))
    events = sum(segment.events for segment in done)
    printer.line(words("archive_done", cli_language(), count=len(done), events=events))
    return EXIT_OK


def size(given: argparse.Namespace, printer: Printer) -> int:
    """Carry out `size`; return the exit code."""
    del given
    data = data_dir()
    if not _is_there(data):
        document: dict[str, Any] = {"database": None, "streams": []}
        segments: list[Segment] = []
    else:
        with closing(store_of(data, database_url(), create=False)) as store:
            install = known_install_id(data) or ""
            segments = segments_of(store, install)
            stored = store_size(store)
            document = {
                "database": {
                    "place": store.place, **stored._asdict(),
                    "bytes_per_1000_events": stored.bytes_per_1000_events,
                },
                "streams": [s._asdict() for s in stream_sizes(store, install, segments)],
            }  # fmt: skip
    document["files"] = _file_sizes(data, segments)
    if printer.as_json:
        printer.document(document)
    else:
        _tell_size(document, printer)
    return EXIT_OK


def _is_there(data: Path) -> bool:
    """Tell whether there is a ledger of this installation."""
    if known_install_id(data) is None:
        return False
    try:
        store_of(data, database_url(), create=False).close()
    except LedgerError as error:
        if error.code == "ledger_missing":
            return False
        raise
    return True


@contextmanager
def _opened(data: Path, now: datetime) -> Iterator[Upkeep]:
    limits = load_settings(os.environ).audit
    store = store_of(data, database_url(), create=True, busy_seconds=limits.busy_seconds)
    with closing(store):
        spec = ledger_spec(data)
        owner = Owner(spec.install_id, spec.tenant, spec.user)
        yield Upkeep(data, store, owner, limits, now)


@contextmanager
def _looked_at(data: Path, now: datetime) -> Iterator[Upkeep]:
    """Have the upkeep to look only; where there is no ledger, an empty one elsewhere stands in."""
    if _is_there(data):
        with _opened(data, now) as upkeep:
            yield upkeep
        return
    limits = load_settings(os.environ).audit
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_store(Path(folder) / "ledger.db")) as store,
    ):
        yield Upkeep(data, store, Owner("none"), limits, now)


def _say(plan: Plan, trace: str, printer: Printer, *, dry: bool) -> int:
    if printer.as_json:
        printer.document(_document(plan, trace, dry=dry))
    else:
        _tell(plan, trace, printer, dry=dry)
    return EXIT_OK


def _tell(plan: Plan, trace: str, printer: Printer, *, dry: bool) -> None:
    lang = cli_language()
    class_line, archives_line = _LINES[dry]
    for of, facts in _classes(plan).items():
        kept = facts.pop("stays")
        printer.line(words(class_line, lang, name=of, **facts))
        for why, reason in kept.items():
            if why in _KEPT:
                traces = ", ".join(reason["traces"][:_TRACES_SHOWN])
                printer.line(words(_KEPT[why], lang, count=reason["count"], traces=traces))
    if plan.archives:
        count = len(plan.archives)
        printer.line(words(archives_line, lang, days=plan.archive_days, count=count))
    doubt = doubt_error(plan)
    if doubt is not None and dry:
        printer.line(words("prune_doubt_told", lang, why=doubt.text(lang)))
    if trace:
        printer.line(words("prune_told", lang, trace=trace))


def _document(plan: Plan, trace: str, *, dry: bool) -> dict[str, Any]:
    goes = "would_go" if dry else "gone"
    return {
        "dry_run": dry,
        "profile": plan.profile,
        "now": plan.now.isoformat(timespec="milliseconds"),
        "newest": plan.newest.isoformat(timespec="milliseconds") if plan.newest else None,
        "clock": plan.doubts,
        "classes": _classes(plan),
        goes: {
            "segments": [_told(segment) for segment in plan.segments],
            "files": [_file(file) for file in plan.going_files],
            "archives": [_told(segment) for segment in plan.archives],
        },
        "stays": [
            {**_told(fate.segment), "why": fate.why, "traces": plan.traces_at(fate.segment)}
            for fate in plan.fates
            if not fate.goes
        ],
        "trace_id": trace,
    }


def _classes(plan: Plan) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for of in CLASSES:
        segments = [segment for segment in plan.segments if segment.stream == of]
        files = [file for file in plan.going_files if file.of == of]
        found[of] = {
            "days": getattr(plan.days, of),
            "segments": len(segments),
            "events": sum(segment.events for segment in segments),
            "files": len(files),
            "bytes": sum(file.bytes for file in files),
            "stays": _stays(plan, of),
        }
    return found


def _stays(plan: Plan, of: str) -> dict[str, dict[str, Any]]:
    counts: Counter[str] = Counter()
    traces: dict[str, list[str]] = {}
    for fate in plan.fates:
        if fate.segment.stream == of and not fate.goes:
            counts[fate.why] += 1
            traces.setdefault(fate.why, []).extend(plan.traces_at(fate.segment))
    for kept in plan.files:
        if kept.file.of == of and kept.why != "past":
            counts[kept.why] += 1
            traces.setdefault(kept.why, []).append(kept.file.trace)
    return {
        why: {"count": count, "traces": sorted(set(traces[why]))} for why, count in counts.items()
    }


def _told(segment: Segment) -> dict[str, Any]:
    return {
        "stream": segment.stream, "number": segment.number, "events": segment.events,
        "bytes": segment.bytes, "oldest": segment.opened_at, "newest": segment.closed_at,
        "last_position": segment.last_position, "last_hash": segment.last_hash,
        "state": segment.state, "archive": segment.archive,
    }  # fmt: skip


def _file(file: KeptFile) -> dict[str, Any]:
    at = file.at.isoformat(timespec="milliseconds")
    return {"class": file.of, "path": str(file.path), "bytes": file.bytes, "at": at}


def _file_sizes(data: Path, segments: list[Segment]) -> dict[str, dict[str, int]]:
    sizes = {"operation": [0, 0], "pipe": [0, 0], "archives": [0, 0]}
    for file in kept_files(data):
        sizes[file.of][0] += 1
        sizes[file.of][1] += file.bytes
    for segment in segments:
        if segment.archive:
            try:
                size = archive_path(data / "archive", segment).lstat().st_size
            except OSError:
                continue
            sizes["archives"][0] += 1
            sizes["archives"][1] += size
    return {name: {"files": files, "bytes": size} for name, (files, size) in sizes.items()}


def _tell_size(document: dict[str, Any], printer: Printer) -> None:
    lang = cli_language()
    database = document["database"]
    if database is None:
        printer.line(words("upkeep_nothing", lang, path=database_path(data_dir())))
    else:
        facts = database | {"per_thousand": database["bytes_per_1000_events"] or "-"}
        printer.line(words("size_store", lang, **facts))
    for stream in document["streams"]:
        if not stream["events"] and not stream["segments"]:
            printer.line(words("size_stream_empty", lang, stream=stream["stream"]))
            continue
        states = ", ".join(f"{state} {count}" for state, count in stream["segments"].items())
        printer.line(words("size_stream", lang, **stream | {"segments": states or "-"}))
    for name, sizes in document["files"].items():
        printer.line(words("size_files", lang, name=name, **sizes))

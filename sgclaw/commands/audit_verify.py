"""`sgclaw audit verify`: prove the ledger against its signed heads, or name what is wrong (M7)."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sgclaw.clock import MonotonicClock
from sgclaw.errors import EXIT_OK, EXIT_REFUSED, RefusedError, UsageError
from sgclaw.install import (
    heads_path,
    known_install_id,
    public_key,
    public_key_path,
    read_public_key,
)
from sgclaw.paths import data_dir
from sgclaw.printer import Printer, cli_language
from states.catalogue import words
from states.key_id import key_id_of
from states.ledger_head import SignedHead

if TYPE_CHECKING:  # what opens a database is loaded when one is asked for
    from memory.verify import Verification
    from memory.verify_chain import Walked
    from memory.verify_problem import Problem

EXAMPLES = """examples:
  sgclaw audit verify
  sgclaw audit verify --heads copy/heads.jsonl --key copy/install.pub
  sgclaw audit verify --json

exit codes: 0 the ledger verifies, 2 usage, 4 it does not verify"""


class Held(NamedTuple):
    """What the ledger is held against: heads with good signatures, and whose they are."""

    file: Path
    heads: list[SignedHead]
    key_id: str
    install_id: str


class Told(NamedTuple):
    """What the command came to: where, against what, and in how many seconds."""

    place: str
    held: Held
    found: "Verification"
    problem: "Problem | None"
    seconds: float


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `audit verify`."""
    verify = verbs.add_parser(
        "verify",
        help="prove the chains against the signed heads, or name the first bad record",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verify.add_argument("--heads", metavar="FILE", help="signed heads that were kept elsewhere")
    verify.add_argument("--key", metavar="FILE", help="the public key (default: of this account)")
    verify.add_argument("--json", action="store_true", help="print one JSON document")
    verify.set_defaults(run=_verify)


def _verify(given: argparse.Namespace, printer: Printer) -> int:
    from memory.verify import verify
    from sgclaw.ledgers import store_here

    # The heads first: none of them may be newer than the events that are looked at.
    held = _held(data_dir(), given.heads, given.key)
    store = store_here()
    clock = MonotonicClock()
    begun = clock.monotonic()
    try:
        found = verify(store, held.heads, install_id=held.install_id)
    finally:
        store.close()
    seconds = clock.monotonic() - begun
    problem = found.problem or _without_heads(held, found)
    told = Told(store.place, held, found, problem, seconds)
    if printer.as_json:
        printer.document(_document(told))
    else:
        _print(told, printer)
    return EXIT_OK if problem is None else EXIT_REFUSED


def _held(data: Path, heads_file: str | None, key_file: str | None) -> Held:
    """Return the heads to hold the ledger against.

    Raises:
        UsageError: a file that was named is not there, or nothing tells whose ledger is meant.
        RefusedError: the key cannot be used, or is gone while heads are there.
        LedgerError: the heads cannot be read, or their signatures do not hold.
    """
    from memory.heads import read_heads

    file = Path(heads_file) if heads_file else heads_path(data)
    key_path = Path(key_file) if key_file else public_key_path(data)
    if heads_file and not file.exists():
        raise UsageError("verify_no_file", path=file)
    key = read_public_key(key_path) if key_file else public_key(data)
    if key is None and key_file:
        raise UsageError("verify_no_file", path=key_path)
    if key is None and file.exists():
        raise RefusedError("install_file_gone", path=key_path)
    heads = [] if key is None else read_heads(file, key)
    # A ledger that was copied to another place is known by its heads.
    install_id = known_install_id(data) or (heads[0].head.install_id if heads else None)
    if install_id is None:
        raise UsageError("verify_whose", path=data)
    return Held(file, heads, key_id_of(bytes(key)) if key else "", install_id)


def _without_heads(held: Held, found: "Verification") -> "Problem | None":
    """Return what is wrong with a ledger that nothing is held against: it proves nothing."""
    from memory.verify_problem import Problem

    if held.heads or not found.events:
        return None
    facts = {"path": held.file, "events": found.events}
    return Problem("verify_no_heads", held.install_id, "", facts=facts)


def _print(told: Told, printer: Printer) -> None:
    lang = cli_language()
    found, held = told.found, told.held
    printer.line(words("verify_ledger", lang, path=told.place, install=held.install_id))
    printer.line(
        words("verify_heads", lang, heads=len(held.heads), path=held.file, key=held.key_id or "-")
    )
    for walked in found.streams:
        for key, facts in _notes(walked):
            printer.line(words(key, lang, stream=walked.stream, **facts))
    if found.traces_cut:
        printer.line(words("verify_traces_cut", lang, count=found.traces_cut))
    if found.others:
        printer.line(words("verify_others", lang, count=found.others))
    printer.line()
    if told.problem is not None:
        printer.line(words("verify_failed", lang, why=told.problem.text(lang)))
        printer.line(words("verify_then", lang, path=data_dir()))
        return
    rate = f"{_rate(told):,}"
    printer.line(words("verify_ok", lang, events=found.events, traces=found.traces, rate=rate))
    printer.line(words("verify_proves", lang))
    if found.unanchored:
        printer.line(words("verify_proves_not", lang, count=found.unanchored))
    else:
        printer.line(words("verify_proves_all_but", lang))


def _notes(walked: "Walked") -> list[tuple[str, dict[str, object]]]:
    notes: list[tuple[str, dict[str, object]]] = [
        ("verify_stream", {"events": walked.events, "position": walked.position,
                           "anchored": walked.anchored, "tail": walked.unanchored})
    ]  # fmt: skip
    if walked.dropped:
        notes.append(("verify_dropped", {"count": walked.dropped}))
    if walked.clock_back:
        facts = {"count": walked.clock_back, "position": walked.clock_back_at}
        notes.append(("verify_clock_back", {**facts}))
    return notes


def _rate(told: Told) -> int:
    return round(told.found.events / max(told.seconds, 1e-9))


def _document(told: Told) -> dict[str, Any]:
    found, held, problem = told.found, told.held, told.problem
    return {
        "verified": problem is None,
        "problem": None if problem is None else {
            "code": problem.code, "message": problem.text(cli_language()),
            "install_id": problem.install_id, "stream": problem.stream,
            "position": problem.position, "trace_id": problem.trace_id, "seq": problem.seq,
        },
        "ledger": told.place, "install_id": held.install_id, "heads_file": str(held.file),
        "key_id": held.key_id, "heads": len(held.heads), "heads_held": found.heads,
        "events": found.events, "unanchored": found.unanchored, "traces": found.traces,
        "traces_cut": found.traces_cut, "other_installations": found.others,
        "events_per_second": _rate(told),
        "streams": [_stream(walked) for walked in found.streams],
    }  # fmt: skip


def _stream(walked: "Walked") -> dict[str, Any]:
    names = ("stream", "events", "position", "anchored", "unanchored", "dropped", "clock_back",
             "clock_back_at")  # fmt: skip
    return {name: getattr(walked, name) for name in names}

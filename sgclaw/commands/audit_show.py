"""`sgclaw audit show TRACE`: the whole story of one run, agent and browser side joined (A2)."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sgclaw.errors import EXIT_FAILED, EXIT_OK, UsageError
from sgclaw.paths import data_dir, database_path, host_journal_path, host_log_dir
from sgclaw.printer import Printer, cli_language
from sgclaw.trace import is_trace

if TYPE_CHECKING:
    from sgclaw.audit_story_rows import Rows, Sources

EXAMPLES = """examples:
  sgclaw audit show sgclaw-20261129-0123456789abcdef
  sgclaw audit show sgclaw-20261129-0123456789abcdef --json
  sgclaw audit show out/last/ledger.jsonl
  sgclaw audit show evidence.zip --run sgclaw-20261129-0123456789abcdef

exit codes: 0 both sides are there and say the same, 1 something is missing or does not fit,
2 no such run, 4 a ledger or a bundle is damaged"""


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `audit show`."""
    show = verbs.add_parser(
        "show",
        help="tell one run in order, agent and browser side joined",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show.add_argument("trace", metavar="TRACE", help="a trace id, a ledger file, or a bundle")
    show.add_argument("--run", metavar="ID", dest="only", default="",
                      help="of a bundle with several runs: this one")  # fmt: skip
    show.add_argument("--json", action="store_true", help="print one JSON document")
    show.set_defaults(run=_show)


def _show(given: argparse.Namespace, printer: Printer) -> int:
    from sgclaw.audit_story import story_of
    from sgclaw.audit_story_document import document_of
    from sgclaw.audit_story_text import lines_of

    story = story_of(sources_of(given.trace, given.only))
    if printer.as_json:
        printer.document(document_of(story, cli_language()))
    else:
        for line in lines_of(story, cli_language()):
            printer.line(line)
    return EXIT_OK if story.is_whole else EXIT_FAILED


def sources_of(name: str, only: str = "") -> "Sources":
    """Return what the run *name* is told from: a trace id, a copy of its ledger, or a bundle.

    Of a bundle with several runs, *only* says which.

    Raises:
        UsageError: it is none of them, or which run is not said.
        LedgerError: a file cannot be read, is damaged, or is not what was signed.
    """
    from sgclaw.audit_bundle_read import is_bundle

    named = Path(name)
    if not is_trace(name) and is_bundle(named):
        return _in_bundle(named, only)
    if named.suffix == ".jsonl" and named.is_file():
        return _in_copy(named)
    if not is_trace(name):
        raise _unknown(named)
    found = _with_host(name, _in_store(name), copy=False)
    if found.ledger is None and found.log is None and found.journal is None:
        raise UsageError("trace_unknown", trace=name, folder=database_path(data_dir()).parent)
    return found


def _in_copy(path: Path) -> "Sources":
    """Return what is told from the copy of a ledger *path*, and from the host if it ran here."""
    from sgclaw.audit_story_rows import rows_in, trace_of

    copy = rows_in(path)
    if copy is None or not any(isinstance(row.get("event"), dict) for row in copy.rows):
        raise UsageError("audit_show_no_ledger", path=path)
    return _with_host(trace_of(copy.rows), copy, copy=True)


def _unknown(named: Path) -> UsageError:
    """Return what is said of a name that is no run, no ledger and no bundle."""
    if named.exists():
        return UsageError("audit_show_no_ledger", path=named)
    if named.suffix or len(named.parts) > 1:
        return UsageError("audit_show_no_file", path=named)
    return UsageError("trace_malformed", trace=named)


def _in_bundle(path: Path, only: str) -> "Sources":
    from sgclaw.audit_bundle_read import read_bundle
    from sgclaw.audit_story_rows import Rows, Sources, log_of_text, rows_of_text

    bundle = read_bundle(path)
    traces = sorted({str(row.get("trace_id", "")) for row in bundle.rows})
    trace = only or (traces[0] if len(traces) == 1 else "")
    if trace not in traces:
        raise UsageError("audit_bundle_runs", path=path, runs=", ".join(traces))
    rows = tuple(row for row in bundle.rows if row.get("trace_id") == trace)
    log, journal = (bundle.host_files.get(f"{trace}.{end}") for end in ("log", "jsonl"))
    return Sources(
        trace,
        Rows(str(path), rows),
        None if log is None else log_of_text(f"{path}/host/{trace}.log", log.encode()),
        None if journal is None else rows_of_text(f"{path}/host/{trace}.jsonl", journal.encode()),
        copy=True,
    )


def _in_store(trace: str) -> "Rows | None":
    """Return the rows of *trace* in this account's ledger, None when there is none.

    Raises:
        LedgerError: the ledger cannot be opened or read.
    """
    from memory.errors import LedgerError
    from memory.raw_rows import raw_rows
    from sgclaw.audit_story_rows import Rows, rows_in
    from sgclaw.install import known_install_id
    from sgclaw.ledgers import store_here

    data = data_dir()
    try:
        store = store_here()
    except LedgerError as error:
        if error.code != "ledger_missing":
            raise
        return rows_in(database_path(data).parent / f"{trace}.jsonl")
    install = known_install_id(data)
    try:
        found = raw_rows(store, install, trace) if install is not None else []
    finally:
        store.close()
    if not found:  # version 0.1.0 wrote a file for each run
        return rows_in(database_path(data).parent / f"{trace}.jsonl")
    changed = tuple(each.seq for each in found if not each.intact)
    return Rows(store.place, tuple(each.row for each in found), changed=changed)


def _with_host(trace: str, ledger: "Rows | None", *, copy: bool) -> "Sources":
    """Return *ledger* with what the host of this machine keeps of *trace*."""
    from sgclaw.audit_story_rows import Sources, log_in, rows_in

    if not is_trace(trace):  # it names no file
        return Sources(trace, ledger, None, None, copy)
    data = data_dir()
    log = log_in(host_log_dir(data) / f"{trace}.log")
    return Sources(trace, ledger, log, rows_in(host_journal_path(data, trace)), copy)

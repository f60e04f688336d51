"""`sgclaw audit query`: which events there were, by time and fact; table, JSON, CSV, HTML (A4)."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memory.facts import OUTCOMES, VERDICTS
from sgclaw.clock import utc_now
from sgclaw.errors import EXIT_OK, UsageError
from sgclaw.paths import data_dir
from sgclaw.printer import Printer, cli_language
from sgclaw.settings import load_settings
from states.catalogue import words
from states.settings import AuditLimits

if TYPE_CHECKING:  # what opens a database is loaded when one is asked for
    from memory.audit_query import Found
    from memory.database import Store
    from sgclaw.audit_report_ask import Asked

EXAMPLES = """examples:
  sgclaw audit query --since 7d --verdict denied
  sgclaw audit query --user li.wei --action click --since 2026-11-01 --until 2026-11-30
  sgclaw audit query --outcome unknown --html unknown.html
  sgclaw audit query --domain erp.example.com --limit 5000 --csv november.csv

Each event has the facts of its own: a verdict where something was decided, an outcome where a
command or a task ended. Dates and times are UTC; --until 2026-11-30 takes in that whole day."""

# Excel takes a file without this mark for one in the old code page, and shows no Chinese.
_MARK = "\ufeff"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `audit query`."""
    query = verbs.add_parser(
        "query",
        help="find events by time, user, domain, action, verdict, skill, outcome",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    when = "a date, a time, or back from now (90m, 24h, 7d, 4w)"
    query.add_argument("--since", metavar="WHEN", help=f"from then on: {when}")
    query.add_argument("--until", metavar="WHEN", help=f"up to then: {when}")
    query.add_argument("--user", metavar="NAME", help="whose tasks")
    query.add_argument("--domain", metavar="HOST", help="which host, as erp.example.com")
    query.add_argument("--action", metavar="NAME", help="what was asked for, as click or run_skill")
    query.add_argument("--verdict", metavar="NAME", help=f"one of {', '.join(VERDICTS)}")
    query.add_argument("--skill", metavar="NAME", help="which skill")
    query.add_argument("--outcome", metavar="NAME", help=f"one of {', '.join(OUTCOMES)}")
    query.add_argument("--trace", metavar="TRACE", help="which task")
    query.add_argument("--limit", metavar="N", default="100", help="at most so many (default 100)")
    query.add_argument("--offset", metavar="N", default="0", help="after the first N (default 0)")
    form = query.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--csv", metavar="FILE", help="write a CSV file; - prints it")
    form.add_argument(
        "--html", metavar="FILE", help="write a report with the tasks' pictures; - prints it"
    )
    query.set_defaults(run=_query)


def _query(given: argparse.Namespace, printer: Printer) -> int:
    from memory.audit_query import find
    from memory.errors import LedgerError
    from sgclaw.audit_report_ask import asked_from
    from sgclaw.install import known_install_id
    from sgclaw.ledgers import store_here

    limits = load_settings(os.environ).audit
    asked = asked_from(given, limits, utc_now())
    for option, file in (("--html", given.html), ("--csv", given.csv)):
        if file is not None and not file.strip():
            raise UsageError("audit_query_file_empty", option=option)
        if file not in (None, "-"):
            _refuse_taken(Path(file))
    try:
        store = store_here()
    except LedgerError as error:
        if error.code == "ledger_missing" and known_install_id(data_dir()) is None:
            # Nothing is gone: nothing was ever here, so the wrong place was named.
            raise UsageError(error.code, **error.facts) from error
        raise
    try:
        found = find(store, asked.query, asked.limit, asked.offset, limits.query_count_events_max)
        _answer(given, printer, asked, found, (store, limits))
    finally:
        store.close()
    return EXIT_OK


def _answer(
    given: argparse.Namespace,
    printer: Printer,
    asked: "Asked",
    found: "Found",
    source: "tuple[Store, AuditLimits]",
) -> None:
    from sgclaw.audit_report_table import as_csv, as_document, table

    store, limits = source
    more = _more(given, asked, found)
    if given.json:
        printer.document(as_document(found, asked, more))
        return
    tell: Callable[[str], None] = printer.line
    if given.csv == "-":
        printer.line(as_csv(found.matches, line_end="\n").removesuffix("\n"))
        tell = printer.error
    elif given.csv is not None:
        _write(Path(given.csv), _MARK + as_csv(found.matches, line_end="\r\n"))
    elif given.html is not None:
        from sgclaw.audit_report import report

        text = report(store, asked, found, utc_now(), limits.report_pictures_max, cli_language())
        tell = _hand_out(given.html, text, printer)
    elif found.matches:
        for line in table(found.matches, cli_language()):
            printer.line(line)
        printer.line()
    for line in _said(given, asked, found, store.place):
        tell(line)
    if more:
        tell(_how_to_have_more(given, more, limits.query_rows_max))


def _hand_out(file: str, text: str, printer: Printer) -> "Callable[[str], None]":
    """Write *text* to *file*, or print it for `-`; return how to say what is said besides."""
    if file != "-":
        _write(Path(file), text)
        return printer.line
    printer.line(text.removesuffix("\n"))
    return printer.error


def _how_to_have_more(given: argparse.Namespace, more: str, most: int) -> str:
    file = given.html if given.html is not None else given.csv
    if file in (None, "-"):
        return words("audit_query_more", cli_language(), command=more)
    return words("audit_query_part", cli_language(), file=file, most=most)


def _more(given: argparse.Namespace, asked: "Asked", found: "Found") -> str:
    """Return the command that shows what comes after *found*, "" when nothing does."""
    shown = len(found.matches)
    is_all = shown < asked.limit or (found.is_counted and asked.offset + shown >= found.number)
    if is_all:
        return ""
    first = found.matches[0].at.replace("+00:00", "Z")
    return asked.command_after(shown, first, ("--json",) if given.json else ())


def _said(given: argparse.Namespace, asked: "Asked", found: "Found", place: str) -> list[str]:
    """Return what is said below the answer: which part of how much it is."""
    lang, shown = cli_language(), len(found.matches)
    file = given.html if given.html is not None else given.csv
    said = []
    if file not in (None, "-"):
        said.append(words("audit_query_written", lang, file=file, number=shown))
    number = str(found.number)
    if not found.is_counted:
        number = words("audit_query_over", lang, number=found.number - 1)
    text = asked.text(lang)
    if shown:
        first, last = asked.offset + 1, asked.offset + shown
        said.append(words("audit_query_shown", lang, first=first, last=last, number=number))
    elif found.number:
        facts = {"number": number, "offset": asked.offset, "asked": text}
        said.append(words("audit_query_none_there", lang, **facts))
    else:
        said.append(words("audit_query_none", lang, looked=place, asked=text))
    return said


def _refuse_taken(path: Path) -> None:
    if os.path.lexists(path):
        raise UsageError("audit_query_file_there", file=path)


def _write(path: Path, text: str) -> None:
    """Write a new file for its owner alone; nothing that is there is touched."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600)
    except FileExistsError as error:
        raise UsageError("audit_query_file_there", file=path) from error
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error
    try:
        with os.fdopen(fd, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        path.unlink(missing_ok=True)  # half a report is none
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError | ValueError) -> UsageError:
    why = error.strerror if isinstance(error, OSError) else error
    return UsageError("audit_query_file_unwritable", file=path, why=why)

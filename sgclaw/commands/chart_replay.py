"""`sgclaw chart replay TRACE`: the ledger through the chart again, row by row (L8)."""

import argparse
import difflib
import json
from typing import TYPE_CHECKING, Any

from sgclaw.errors import EXIT_FAILED, EXIT_OK, RefusedError
from sgclaw.printer import Printer, cli_language
from sgclaw.trace import is_trace
from states.catalogue import words

if TYPE_CHECKING:
    from engine.chart.replay import Difference
    from sgclaw.past_run import PastRun

EXAMPLES = """examples:
  sgclaw chart replay sgclaw-20261129-0123456789abcdef
  sgclaw chart replay out/last/ledger.jsonl --diff

exit codes: 0 identical, 1 it comes to something else, 2 no such ledger, 4 the ledger is damaged
or was written under another version of the chart"""
_PART_CHARS_MAX = 20_000


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "replay",
        help="feed a ledger to the chart again: same path, effects and context?",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", metavar="TRACE", help="a trace id, or a ledger file")
    parser.add_argument("--diff", action="store_true", help="show the first difference in full")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=_replay)


def _replay(given: argparse.Namespace, printer: Printer) -> int:
    from engine.chart.errors import ReplayError
    from memory.errors import LedgerError
    from memory.ledger import torn_bytes
    from sgclaw.ledgers import file_of, rows_of
    from sgclaw.past_run import past_run

    try:
        rows = rows_of(given.trace)
        # A file may be named as its owner likes; a trace's own ledger holds that trace.
        past = past_run(rows, given.trace if is_trace(given.trace) else None)
        if not past.records:
            raise ReplayError("replay_empty", path=given.trace)
    except (LedgerError, ReplayError) as error:
        raise RefusedError(error.code, **error.facts) from error
    difference = past.replayed.difference
    copy = file_of(given.trace)
    torn = torn_bytes(copy) if copy is not None else 0
    if printer.as_json:
        printer.document({**_document(past), "torn_bytes": torn})
    elif difference is None:
        _say(printer, "replay_identical", past)
    else:
        _say(printer, "replay_different", past, seq=difference.seq, event=difference.event,
             part=words(f"replay_part_{difference.part}", cli_language()))  # fmt: skip
        for line in _diff(difference) if given.diff else ():
            printer.line(line)
    if torn and not printer.as_json:
        printer.line(words("replay_torn", cli_language(), bytes=torn))
    return EXIT_OK if difference is None else EXIT_FAILED


def _say(printer: Printer, key: str, past: "PastRun", **facts: object) -> None:
    chart, snapshot = past.core.chart, past.replayed.snapshot
    facts |= {"events": past.replayed.events, "state": snapshot.state.removeprefix("active."),
              "chart": f"{chart.id} v{chart.version} {chart.sha256[:12]}"}  # fmt: skip
    printer.line(words(key, cli_language(), **facts))


def _document(past: "PastRun") -> dict[str, Any]:
    chart, replayed = past.core.chart, past.replayed
    difference = replayed.difference
    return {
        "identical": difference is None,
        "chart": chart.id,
        "chart_sha256": chart.sha256,
        "events": replayed.events,
        "state": replayed.snapshot.state,
        "path": list(replayed.path),
        "difference": difference._asdict() if difference is not None else None,
    }


def _diff(difference: "Difference") -> list[str]:
    """Return the two versions line by line, as `diff -u` shows them."""
    recorded, replayed = (
        json.dumps(part, ensure_ascii=False, indent=2)[:_PART_CHARS_MAX].splitlines()
        for part in (difference.recorded, difference.replayed)
    )
    return list(difflib.unified_diff(recorded, replayed, "ledger", "replay", lineterm=""))

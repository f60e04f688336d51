"""`sgclaw audit export`: a signed bundle for a stranger, or spans for an OTLP server (A4)."""

import argparse
from pathlib import Path
from typing import Any

from memory.database import Store
from memory.errors import LedgerError
from sgclaw.clock import utc_now
from sgclaw.errors import EXIT_OK, UsageError
from sgclaw.printer import Printer, cli_language
from states.catalogue import words

EXAMPLES = """examples:
  sgclaw audit export evidence --trace sgclaw-20261129-0123456789abcdef
  sgclaw audit export november.zip --since 2026-11-01 --until 2026-11-30
  sgclaw audit export --otlp http://127.0.0.1:4318 --since 2026-11-29"""


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `audit export`."""
    export = verbs.add_parser(
        "export",
        help="write a signed bundle that a stranger can verify, or send spans to a server",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    export.add_argument(
        "out", metavar="OUT", nargs="?", help="a new folder, or a new file that ends in .zip"
    )
    export.add_argument(
        "--trace", metavar="TRACE", action="append", default=[], help="this run; may be repeated"
    )
    export.add_argument(
        "--since",
        metavar="D",
        default="",
        help="runs with an event from this day or time on (or 7d: back)",
    )
    export.add_argument(
        "--until",
        metavar="D",
        default="",
        help="runs with an event up to the end of this day (or 7d: back)",
    )
    export.add_argument("--otlp", metavar="URL", help="send OpenTelemetry spans there (OTLP/HTTP)")
    export.add_argument(
        "--content", action="store_true", help="with --otlp: texts and arguments too"
    )
    export.add_argument("--json", action="store_true", help="print one JSON document")
    export.set_defaults(run=_export)


def _export(given: argparse.Namespace, printer: Printer) -> int:
    # Loaded for this command alone: other commands need neither keys nor pictures.
    from sgclaw.audit_bundle_choice import Choice, moment
    from sgclaw.audit_report_ask import back_from

    if (given.out is None) == (given.otlp is None):
        raise UsageError("export_nowhere")
    if given.content and given.otlp is None:
        raise UsageError("export_content_needs_otlp")
    now = utc_now()
    choice = Choice(
        tuple(given.trace),
        moment(back_from(given.since, now), option="--since"),
        moment(back_from(given.until, now), option="--until"),
    )
    if given.otlp is not None:
        return _send(given, choice, printer)
    return _write(Path(given.out), choice, printer)


def _write(out: Path, choice: Any, printer: Printer) -> int:
    from sgclaw.audit_bundle import Source, export_bundle
    from sgclaw.install import install_id, signing_key
    from sgclaw.paths import data_dir

    data = data_dir()
    store = _store()
    try:
        source = Source(data, store, install_id(data), signing_key(data))
        manifest = export_bundle(out, source, choice, cli_language(), utc_now)
    finally:
        store.close()
    if printer.as_json:
        printer.document({"out": str(out), "manifest": manifest})
    else:
        for line in _told(out, manifest):
            printer.line(line)
    return EXIT_OK


def _told(out: Path, manifest: dict[str, Any]) -> list[str]:
    lang = cli_language()
    totals = {
        name: sum(stream[name] for stream in manifest["streams"].values())
        for name in ("events", "links", "heads", "after_last_head")
    }
    facts = {"out": out, "traces": len(manifest["traces"]), "key": manifest["key_sha256"]}
    lines = [words("export_done", lang, **facts, **totals)]
    if totals["links"]:
        lines.append(words("export_among_others", lang, links=totals["links"]))
    if totals["after_last_head"]:
        lines.append(words("export_after_head", lang, events=totals["after_last_head"]))
    return lines


def _send(given: argparse.Namespace, choice: Any, printer: Printer) -> int:
    from sgclaw.audit_bundle_choice import chosen_traces
    from sgclaw.install import install_id
    from sgclaw.otel import send_traces
    from sgclaw.paths import data_dir

    store = _store()
    try:
        install = install_id(data_dir())
        traces = chosen_traces(store, install, choice)
        spans = send_traces(given.otlp, store, install, traces, with_content=given.content)
    finally:
        store.close()
    if printer.as_json:
        printer.document({"url": given.otlp, "traces": list(traces), "spans": spans})
    else:
        facts = {"spans": spans, "traces": len(traces), "url": given.otlp}
        printer.line(words("otel_done", cli_language(), **facts))
    return EXIT_OK


def _store() -> Store:
    from sgclaw.ledgers import store_here

    try:
        return store_here()
    except LedgerError as error:
        if error.code == "ledger_missing":
            raise UsageError("export_empty") from error
        raise

"""`sgclaw chart export`: a chart for auditors and their tools; as SVG also with one run on it."""

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.chart.declaration import Chart
from sgclaw.commands.chart_source import load_source
from sgclaw.errors import EXIT_OK, UsageError
from sgclaw.printer import Printer, cli_language
from states.catalogue import Lang, words

FORMATS = ("svg", "mermaid", "scxml", "xstate", "dot", "table")
EXAMPLES = """examples:
  sgclaw chart export task --format svg --out task.svg
  sgclaw chart export task --format svg --trace sgclaw-20261129-0123456789abcdef --out run.svg
  sgclaw chart export task --format table --lang zh-CN > task.md"""


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `export` under `chart`."""
    export = verbs.add_parser(
        "export",
        help="write a chart for auditors and tools, or a picture of one run",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    export.add_argument("chart", help="a name or a YAML file")
    export.add_argument(
        "--format",
        choices=FORMATS,
        help="mermaid (default), or svg with --trace",
    )
    export.add_argument("--trace", metavar="T", help="svg: draw this run; a trace id or its ledger")
    export.add_argument(
        "--lang", choices=("en", "zh-CN"), help="language of the descriptions (default: yours)"
    )
    export.add_argument("--out", metavar="FILE", help="write the file instead of printing it")
    export.add_argument("--json", action="store_true", help="print one JSON document")
    export.set_defaults(run=_export)


def _export(given: argparse.Namespace, printer: Printer) -> int:
    form = given.format or ("mermaid" if given.trace is None else "svg")
    if given.trace is not None and form != "svg":
        raise UsageError("chart_trace_needs_svg", form=form)
    lang: Lang = given.lang or cli_language()
    chart = load_source(given.chart)
    text = exported(chart, form, lang) if given.trace is None else _run(chart, given.trace, lang)
    document: dict[str, Any] = {"id": chart.id, "format": form, "lang": lang}
    if given.out is not None:
        _write(Path(given.out), text)
        document["file"] = given.out
        said = words("chart_exported", cli_language(), chart=chart.id, file=given.out)
    else:
        document["text"] = text
        said = text.rstrip("\n")
    if printer.as_json:
        printer.document(document)
    else:
        printer.line(said)
    return EXIT_OK


def exported(chart: Chart, form: str, lang: Lang) -> str:
    """Return *chart* in one of `FORMATS`."""
    # Each emitter is imported only when asked for: a start may not pay for the others.
    emitter = import_module(f"engine.chart.export.{form}")
    emit: Callable[[Chart, Lang], str] = getattr(emitter, form)
    return emit(chart, lang)


def _run(chart: Chart, trace: str, lang: Lang) -> str:
    from engine.chart.export.svg import lifecycle_svg
    from sgclaw.ledgers import rows_of

    return lifecycle_svg(chart, rows_of(trace), lang)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError("chart_unwritable", file=path, why=error.strerror) from error

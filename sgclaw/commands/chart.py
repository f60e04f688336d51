"""`sgclaw chart`: list, show, check and export the declared statecharts (L2, L10)."""

import argparse
from pathlib import Path

from engine.chart.declaration import Chart
from engine.chart.load import Names, load_chart, problems_of
from sgclaw.errors import EXIT_FAILED, EXIT_OK, UsageError
from sgclaw.printer import Printer, cli_language
from statecharts import chart_names, chart_text
from states.catalogue import words

EXAMPLES = """examples:
  sgclaw chart list
  sgclaw chart show task
  sgclaw chart check statecharts/task.yaml
  sgclaw chart export task --format mermaid > task.mmd"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `chart` and what stands under it."""
    parser = commands.add_parser(
        "chart",
        help="the declared statecharts: list, show, check, export",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="name each chart", epilog="example: sgclaw chart list")
    listing.set_defaults(run=_list)
    show = verbs.add_parser(
        "show", help="print a chart as an outline", epilog="example: sgclaw chart show task"
    )
    show.add_argument("chart", help="name of a chart (see `chart list`), or a YAML file")
    show.set_defaults(run=_show)
    check = verbs.add_parser(
        "check",
        help="lint a chart: every problem with file, line and fix",
        epilog="example: sgclaw chart check statecharts/task.yaml",
    )
    check.add_argument("chart", nargs="?", help="a name or a YAML file (default: every chart)")
    check.set_defaults(run=_check)
    export = verbs.add_parser(
        "export",
        help="write a chart for auditors",
        epilog="example: sgclaw chart export task --format table > task.md",
    )
    export.add_argument("chart", help="a name or a YAML file")
    export.add_argument(
        "--format",
        choices=("mermaid", "table"),
        default="mermaid",
        help="mermaid (default) or a Markdown table",
    )
    export.set_defaults(run=_export)
    for verb in (listing, show, check, export):
        verb.add_argument("--json", action="store_true", help="print one JSON document")


def _list(given: argparse.Namespace, printer: Printer) -> int:
    del given
    charts = [_load(name) for name in chart_names()]
    if printer.as_json:
        printer.document([{"id": c.id, "version": c.version, "sha256": c.sha256} for c in charts])
        return EXIT_OK
    for chart in charts:
        text = chart.description.text(cli_language())
        printer.line(f"{chart.id}  v{chart.version}  {chart.sha256[:12]}  {text}")
    return EXIT_OK


def _show(given: argparse.Namespace, printer: Printer) -> int:
    from engine.chart.export.outline import outline

    chart = _load(given.chart)
    if printer.as_json:
        printer.document(
            {"id": chart.id, "sha256": chart.sha256, "outline": outline(chart, cli_language())}
        )
    else:
        printer.line(outline(chart, cli_language()))
    return EXIT_OK


def _check(given: argparse.Namespace, printer: Printer) -> int:
    names = [given.chart] if given.chart else list(chart_names())
    found: list[dict[str, object]] = []
    for name in names:
        source, text = _source(name)
        problems = problems_of(text, source=source, names=_names())
        lang = cli_language()
        found += [
            {"file": p.file, "line": p.line, "text": p.text(lang), "what": p.what, "fix": p.fix}
            for p in problems
        ]
        if not printer.as_json:
            for problem in problems:
                printer.line(problem.text(lang))
            if not problems:
                printer.line(words("chart_passes", lang, chart=source))
    if printer.as_json:
        printer.document({"charts": names, "problems": found})
    return EXIT_FAILED if found else EXIT_OK


def _export(given: argparse.Namespace, printer: Printer) -> int:
    from engine.chart.export.mermaid import mermaid
    from engine.chart.export.table import table

    chart = _load(given.chart)
    lang = cli_language()
    text = mermaid(chart, lang) if given.format == "mermaid" else table(chart, lang)
    if printer.as_json:
        printer.document({"id": chart.id, "format": given.format, "text": text})
    else:
        printer.line(text.rstrip("\n"))
    return EXIT_OK


def _load(name: str) -> Chart:
    source, text = _source(name)
    return load_chart(text, source=source, names=_names())


def _names() -> Names:
    from sgclaw.charts import NAMES

    return NAMES


def _source(name: str) -> tuple[str, str]:
    if name in chart_names():
        return f"statecharts/{name}.yaml", chart_text(name)
    path = Path(name)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        try:
            return str(path), path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError("chart_file_unreadable", path=path, why=str(error)) from error
    raise UsageError("chart_unknown", chart=name, known=", ".join(chart_names()))

"""`sgclaw chart`: list, show, check and export the declared statecharts (L2, L10)."""

import argparse

from sgclaw.commands import chart_check, chart_export, chart_replay, chart_scenarios
from sgclaw.commands.chart_source import load_source
from sgclaw.errors import EXIT_OK
from sgclaw.printer import Printer, cli_language
from statecharts import chart_names

EXAMPLES = """examples:
  sgclaw chart list
  sgclaw chart show task
  sgclaw chart check
  sgclaw chart test
  sgclaw chart coverage task
  sgclaw chart export task --format svg --out task.svg
  sgclaw chart replay sgclaw-20261129-0123456789abcdef"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `chart` and what stands under it."""
    parser = commands.add_parser(
        "chart",
        help="the declared statecharts: list, show, check, export, test, record, replay, coverage",
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
    chart_check.add(verbs)
    chart_export.add(verbs)
    chart_scenarios.add(verbs)
    chart_replay.add(verbs)
    for verb in (listing, show):
        verb.add_argument("--json", action="store_true", help="print one JSON document")


def _list(given: argparse.Namespace, printer: Printer) -> int:
    del given
    charts = [load_source(name) for name in chart_names()]
    if printer.as_json:
        printer.document([{"id": c.id, "version": c.version, "sha256": c.sha256} for c in charts])
        return EXIT_OK
    for chart in charts:
        text = chart.description.text(cli_language())
        printer.line(f"{chart.id}  v{chart.version}  {chart.sha256[:12]}  {text}")
    return EXIT_OK


def _show(given: argparse.Namespace, printer: Printer) -> int:
    from engine.chart.export.outline import outline

    chart = load_source(given.chart)
    if printer.as_json:
        printer.document(
            {"id": chart.id, "sha256": chart.sha256, "outline": outline(chart, cli_language())}
        )
    else:
        printer.line(outline(chart, cli_language()))
    return EXIT_OK

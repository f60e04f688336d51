"""`sgclaw chart check`: the lint, then the model checker over all that the chart can do."""

import argparse
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.chart.errors import Problem
from sgclaw.commands.chart_source import source_of
from sgclaw.errors import EXIT_FAILED, EXIT_OK
from sgclaw.printer import Printer, cli_language
from statecharts import chart_names
from states.catalogue import Lang, words

if TYPE_CHECKING:
    from engine.chart.check import Report
    from engine.chart.probe import Stimulus


class _Checked(NamedTuple):
    """One chart: what the lint found, or else what the model checker did."""

    name: str
    file: str
    problems: tuple[Problem, ...]
    report: "Report | None"
    monitors: int
    seconds: float


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `chart check`."""
    parser = verbs.add_parser(
        "check",
        help="prove a chart: every problem with file, line, fix and the shortest way to it",
        epilog="example: sgclaw chart check statecharts/task.yaml",
    )
    parser.add_argument("chart", nargs="?", help="a name or a YAML file (default: every chart)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace, printer: Printer) -> int:
    names = [given.chart] if given.chart else list(chart_names())
    checked = [_checked(name) for name in names]
    lang = cli_language()
    for each in checked:
        for line in _lines(each, lang):
            if not printer.as_json:
                printer.line(line)
    problems = [problem for each in checked for problem in _problems(each, lang)]
    if printer.as_json:
        told = [_figures(each) for each in checked]
        printer.document({"charts": names, "problems": problems, "checked": told})
    return EXIT_FAILED if problems else EXIT_OK


def _checked(name: str) -> _Checked:
    from engine.chart.load import load_chart, problems_of
    from sgclaw.charts import names_for

    began = perf_counter()
    file, text = source_of(name)
    names = names_for(text)
    problems = problems_of(text, source=file, names=names)
    if problems:
        return _Checked(name, file, problems, None, 0, perf_counter() - began)
    from engine.chart.check import check
    from sgclaw.proof.charts import claims_of, probe_for

    chart = load_chart(text, source=file, names=names)
    claims = claims_of(chart.id)
    report = check(probe_for(chart), claims)
    found = tuple(violation.problem for violation in report.violations)
    return _Checked(name, file, found, report, len(claims.monitors), perf_counter() - began)


def _lines(checked: _Checked, lang: Lang) -> list[str]:
    report, lines = checked.report, []
    for number, problem in enumerate(checked.problems):
        lines.append(problem.text(lang))
        trace = report.violations[number].trace if report else ()
        if trace:
            lines.append(words("check_way", lang))
            lines += [f"    {at}. {_told(step)}" for at, step in enumerate(trace, 1)]
    if report is None:
        return lines
    walk = report.exploration
    facts = {
        "file": checked.file,
        "states": len(walk.nodes),
        "events": walk.events,
        "rows": len(walk.taken_rows),
        "monitors": checked.monitors,
        "count": len(checked.problems),
        "seconds": f"{checked.seconds:.2f}",
    }
    return [*lines, words("check_fails" if checked.problems else "check_passes", lang, **facts)]


def _told(step: "Stimulus") -> str:
    return " ".join([step.type, *(f"{name}={value}" for name, value in step.fields.items())])


def _problems(checked: _Checked, lang: Lang) -> list[dict[str, Any]]:
    report = checked.report
    return [
        {
            "file": problem.file,
            "line": problem.line,
            "code": problem.code,
            "text": problem.text(lang),
            "what": problem.what,
            "fix": problem.fix,
            "trace": [
                {"event": step.type, "with": dict(step.fields)}
                for step in (report.violations[number].trace if report else ())
            ],
        }
        for number, problem in enumerate(checked.problems)
    ]


def _figures(checked: _Checked) -> dict[str, Any]:
    """Return what was walked; without a report the lint had found problems first."""
    told = {"chart": checked.name, "file": checked.file, "seconds": round(checked.seconds, 3)}
    if checked.report is None:
        return told
    walk = checked.report.exploration
    return told | {
        "states": len(walk.nodes),
        "events": walk.events,
        "feeds": walk.feeds,
        "rows_taken": len(walk.taken_rows),
        "overlaps": len(walk.overlaps),
        "monitors": checked.monitors,
    }

"""`sgclaw chart test | record | coverage`: scripted transition tests of the charts (L9)."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgclaw.errors import EXIT_FAILED, EXIT_OK, UsageError
from sgclaw.printer import Printer, cli_language
from statecharts import chart_names
from states.catalogue import Lang, words

if TYPE_CHECKING:
    from engine.chart.coverage import Coverage
    from engine.chart.errors import Problem

TEST_EXAMPLES = """examples:
  sgclaw chart test
  sgclaw chart test tests/scenarios/reports my_case.yaml

exit codes: 0 all passed, 1 a scenario failed, 2 a file cannot be read or says what the chart
does not know (each line is named)

a file:
  chart: task
  scenarios:
    - name: a text answer that claims nothing ends the task
      steps:
        - {send: submit_task, state: planning}
        - send: done.invoke.plan
          with: {reply: text, claims: false}
          state: completed
          effects: [cancel model_seconds, cancel task_seconds, do report]
          context: {control.evidence: none}
        - {send: done.invoke.plan, late: true, dropped: stale}"""
RECORD_EXAMPLES = """examples:
  sgclaw chart record sgclaw-20261129-0123456789abcdef > tests/scenarios/my_run.yaml
  sgclaw chart record out/last/ledger.jsonl --out tests/scenarios/my_run.yaml"""
COVERAGE_EXAMPLES = """examples:
  sgclaw chart coverage
  sgclaw chart coverage task --json
  sgclaw chart coverage task --write tests/scenarios/generated"""


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `test`, `record` and `coverage` under `chart`."""
    raw = argparse.RawDescriptionHelpFormatter
    test = verbs.add_parser(
        "test", help="run scenario files", epilog=TEST_EXAMPLES, formatter_class=raw
    )
    test.add_argument(
        "files", nargs="*", type=Path, help="files or folders (default: tests/scenarios)"
    )
    test.set_defaults(run=_test)
    record = verbs.add_parser(
        "record", help="turn a run into a scenario", epilog=RECORD_EXAMPLES, formatter_class=raw
    )
    record.add_argument("trace", metavar="TRACE", help="a trace id, or a ledger file")
    record.add_argument("--out", type=Path, help="write the file here instead of printing it")
    record.set_defaults(run=_record)
    coverage = verbs.add_parser(
        "coverage",
        help="rows, overlap pairs and mutants that the scenarios hold fast",
        epilog=COVERAGE_EXAMPLES,
        formatter_class=raw,
    )
    coverage.add_argument("chart", nargs="?", help="a chart's name (default: every chart)")
    coverage.add_argument(
        "--scenarios", type=Path, metavar="DIR", help="where they are (default: tests/scenarios)"
    )
    coverage.add_argument(
        "--write", type=Path, metavar="DIR", help="make the generated files anew in DIR, and end"
    )
    coverage.set_defaults(run=_coverage)
    for verb in (test, record, coverage):
        verb.add_argument("--json", action="store_true", help="print one JSON document")


def _test(given: argparse.Namespace, printer: Printer) -> int:
    from engine.chart.scenario.model import ScenarioError
    from engine.chart.scenario.report import document, failure_lines, summary
    from engine.chart.scenario.run import run_scenario
    from sgclaw.proof.charts import probe_of
    from sgclaw.proof.scenarios import read_file, scenario_paths

    files, problems = [], []
    for path in scenario_paths(given.files):
        try:
            files.append(read_file(path))
        except ScenarioError as error:
            problems += list(error.problems)
    if problems:
        raise BrokenScenariosError(tuple(problems))
    outcomes = [
        run_scenario(scenario, probe_of(file.chart))
        for file in files
        for scenario in file.scenarios
    ]
    failed = [outcome for outcome in outcomes if not outcome.passed]
    if printer.as_json:
        printer.document(document(outcomes))
        return EXIT_FAILED if failed else EXIT_OK
    for outcome in failed:
        for line in failure_lines(outcome, cli_language()):
            printer.line(line)
        printer.line()
    printer.line(summary(outcomes, cli_language()))
    return EXIT_FAILED if failed else EXIT_OK


class BrokenScenariosError(UsageError):
    """Scenario files that say what their chart does not know: nothing was run."""

    def __init__(self, problems: "tuple[Problem, ...]") -> None:
        self.problems = problems
        super().__init__("scenarios_broken", count=len(problems))

    def text(self, lang: Lang = "en") -> str:
        """Return the sentence and below it each problem on a line of its own."""
        lines = [words(self.code, lang, **self.facts)]
        return "\n".join([*lines, *(each.text(lang) for each in self.problems)])


def _record(given: argparse.Namespace, printer: Printer) -> int:
    from engine.chart.scenario.record import scenario_of
    from engine.chart.scenario.script import written
    from sgclaw.ledgers import rows_of
    from sgclaw.past_run import records_of
    from sgclaw.proof.charts import probe_of

    records = records_of(rows_of(given.trace))
    chart = records[0].chart if records else ""
    if chart not in chart_names():
        raise UsageError("record_empty", name=given.trace)
    probe = probe_of(chart)
    text = written(probe, [scenario_of(probe, _title(given.trace), records)])
    if given.out is not None:
        _write(given.out, text)
    if printer.as_json:
        printer.document({"chart": chart, "events": len(records), "text": text})
    elif given.out is None:
        printer.line(text.rstrip("\n"))
    else:
        printer.line(words("record_written", cli_language(), path=given.out, count=len(records)))
    return EXIT_OK


def _title(trace: str) -> str:
    path = Path(trace)
    return f"recorded from {path.stem if path.suffix else trace}"


def _coverage(given: argparse.Namespace, printer: Printer) -> int:
    from engine.chart.scenario.model import ScenarioError
    from sgclaw.proof.scenarios import FOLDER, coverage_in, generated

    if given.chart is not None and given.chart not in chart_names():
        raise UsageError("chart_unknown", chart=given.chart, known=", ".join(chart_names()))
    charts = [given.chart] if given.chart else list(chart_names())
    if given.write is not None:
        made = {name: text for chart in charts for name, text in generated(chart).items()}
        for name, text in made.items():
            _write(given.write / name, text, "coverage_unwritable")
        if printer.as_json:
            printer.document({"written": [str(given.write / name) for name in made]})
        for name in () if printer.as_json else made:
            printer.line(str(given.write / name))
        return EXIT_OK
    try:
        found = [coverage_in(given.scenarios or FOLDER, chart) for chart in charts]
    except ScenarioError as error:
        raise BrokenScenariosError(error.problems) from error
    if printer.as_json:
        printer.document([_document(each) for each in found])
    for each in () if printer.as_json else found:
        for line in _lines(each):
            printer.line(line)
    return EXIT_OK if all(each.whole for each in found) else EXIT_FAILED


def _lines(coverage: "Coverage") -> list[str]:
    lang = cli_language()
    counts = {end: coverage.ended(end) for end in ("killed", "lint", "equal", "alive")}
    lines = [
        words("coverage_head", lang, chart=coverage.chart, count=coverage.scenarios),
        words("coverage_rows", lang, met=coverage.rows.met, of=coverage.rows.of),
        words("coverage_overlaps", lang, met=coverage.overlaps.met, of=coverage.overlaps.of),
        words("coverage_mutants", lang, of=len(coverage.fates), **counts),
    ]
    open_ends = (
        ("coverage_failed", coverage.failed),
        ("coverage_row_missing", coverage.rows.missing),
        ("coverage_overlap_missing", coverage.overlaps.missing),
        ("coverage_survivor", [fate.mutant for fate in coverage.unlisted]),
        ("coverage_overtaken", coverage.overtaken),
    )
    lines += [f"  {words(key, lang, name=name)}" for key, names in open_ends for name in names]
    return lines


def _document(coverage: "Coverage") -> dict[str, Any]:
    return {
        "chart": coverage.chart,
        "scenarios": coverage.scenarios,
        "failed": list(coverage.failed),
        "rows": {"met": coverage.rows.met, "of": coverage.rows.of,
                 "missing": list(coverage.rows.missing)},
        "overlaps": {"met": coverage.overlaps.met, "of": coverage.overlaps.of,
                     "missing": list(coverage.overlaps.missing)},
        "mutants": {
            "of": len(coverage.fates),
            **{end: coverage.ended(end) for end in ("killed", "lint", "equal", "alive")},
            "survivors": [
                {"mutant": fate.mutant, "kind": fate.kind, "end": fate.end,
                 "states_compared": fate.states}
                for fate in coverage.fates if fate.end in {"equal", "alive"}
            ],
            "unlisted": [fate.mutant for fate in coverage.unlisted],
            "overtaken": list(coverage.overtaken),
        },
        "whole": coverage.whole,
    }  # fmt: skip


def _write(path: Path, text: str, otherwise: str = "chart_unwritable") -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(otherwise, file=path, why=error.strerror) from error

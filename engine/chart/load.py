"""Load a chart: parse, read, lint; all problems at once, or a `Chart`."""

import hashlib

from engine.chart.declaration import Action, Chart, State
from engine.chart.errors import ChartError, Problem, problem
from engine.chart.lint import Names, lint
from engine.chart.read import ChartReader
from engine.chart.yaml12 import parse, plain

__all__ = ["Names", "load_chart", "problems_of"]


def load_chart(text: str, *, source: str, names: Names) -> Chart:
    """Return the chart that *text* declares; *source* names the file in messages.

    Raises:
        ChartError: with every problem found, each with its line and what to write instead.
    """
    chart, problems = _read(text, source, names)
    if chart is None or problems:
        raise ChartError(tuple(problems), file=source)
    return chart


def problems_of(text: str, *, source: str, names: Names) -> tuple[Problem, ...]:
    """Return what `load_chart` would raise, and what the JSON Schema alone would find.

    For the command line and for tests: importing jsonschema is too slow for a start.
    """
    problems = _read(text, source, names)[1]
    return tuple(problems) or schema_problems(text, source)


def schema_problems(text: str, source: str) -> tuple[Problem, ...]:
    """Return where *text* breaks `statecharts/schema.json`."""
    import json

    import jsonschema

    from statecharts import schema_text

    root, problems = parse(text, source)
    if root is None:
        return tuple(problems)
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    return tuple(
        problem(source, 1, "chart_schema", where=error.json_path, cause=error.message)
        for error in validator.iter_errors(plain(root))
    )


def _read(text: str, source: str, names: Names) -> tuple[Chart | None, list[Problem]]:
    root, problems = parse(text, source)
    if root is None:
        return None, problems
    reader = ChartReader(source)
    chart = reader.chart(root, hashlib.sha256(text.encode()).hexdigest())
    problems += reader.problems
    if chart is None:
        return None, problems
    problems += lint(chart, names)
    return _resolved(chart, names), sorted(problems, key=lambda each: each.line)


def _resolved(chart: Chart, names: Names) -> Chart:
    """Return *chart* with each named action marked as the reducer or effect it is."""

    def resolve(actions: tuple[Action, ...]) -> tuple[Action, ...]:
        return tuple(
            action._replace(kind="reduce")
            if action.kind == "do" and action.name in names.reducers
            else action
            for action in actions
        )

    def state_of(state: State) -> State:
        rows = tuple(row._replace(actions=resolve(row.actions)) for row in state.rows)
        return state._replace(entry=resolve(state.entry), exit=resolve(state.exit), rows=rows)

    return chart._replace(states={path: state_of(state) for path, state in chart.states.items()})

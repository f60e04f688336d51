"""The quick walk at load and the JSON Schema say the same about keys, types and spellings."""

import json
import random
from typing import Any

import jsonschema
import pytest

from engine.chart.load import schema_problems
from engine.chart.read import ChartReader
from engine.chart.yaml12 import parse, plain
from statecharts import chart_names, chart_text, schema_text
from tests.engine.chart.sample import CHARTS

TEXT = (CHARTS / "loan.yaml").read_text("utf-8")
ODD: tuple[Any, ...] = (
    *(None, 7, -1, 1.5, True, "", "Upper", "a__b", "a.b", "fine", "no good", [], {}, [[]]),
    *([None], ["fine", 3], {"and": []}, {"not": "fine"}, {"or": ["fine", {"not": []}]}),
    *({"spawn": "fine"}, {"spawn": 3}, {"spawn": "a", "stop": "b"}, {"en": "x"}, {"fr": "x"}),
    *({"target": "a.b"}, {"guard": 3}, {"id": "fine", "src": "fine"}, {"id": "fine"}),
)


def _document() -> Any:
    node = parse(TEXT, "loan.yaml")[0]
    assert node is not None
    return plain(node)


def _spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    pairs = enumerate(value) if isinstance(value, list) else ()
    for key, child in value.items() if isinstance(value, dict) else pairs:
        found += _spots(child, (*path, key))
    return found


def test_the_schema_is_a_valid_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schema_text()))


@pytest.mark.parametrize("name", chart_names())
def test_the_shipped_charts_fit_the_schema(name: str) -> None:
    assert schema_problems(chart_text(name), name) == ()


@pytest.mark.parametrize("text", ["states: {}", "[]", "3", "{}"])
def test_the_walk_refuses_what_is_no_chart(text: str) -> None:
    root, _ = parse(text, "loan.yaml")
    assert root is not None
    reader = ChartReader("loan.yaml")
    assert reader.chart(root, "") is None
    assert reader.problems


def test_walk_and_schema_agree_on_damaged_charts() -> None:
    dice = random.Random(20)  # noqa: S311
    schema = jsonschema.Draft202012Validator(json.loads(schema_text()))
    spots = _spots(_document())
    verdicts = {True: 0, False: 0}
    for _ in range(250):
        document = _document()
        *way, last = dice.choice(spots)
        at = document
        for key in way:
            at = at[key]
        damage = dice.randrange(3)
        if damage == 0:
            at[last] = dice.choice(ODD)
        elif damage == 1:
            del at[last]
        elif isinstance(at, dict):
            at[dice.choice(["extra", "on", "initial", "type", "and", "spawn"])] = dice.choice(ODD)
        # JSON is YAML: this is the damaged chart as a file.
        root, problems = parse(json.dumps(document), "loan.yaml")
        assert root is not None
        reader = ChartReader("loan.yaml")
        reader.chart(root, "")
        walked = not (problems or reader.problems)
        assert walked == schema.is_valid(plain(root)), (way, last, reader.problems)
        verdicts[walked] += 1
    assert min(verdicts.values()) > 25

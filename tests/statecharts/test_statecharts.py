"""The charts reach the program byte for byte."""

import json
from pathlib import Path

import pytest

import statecharts
from statecharts import ChartMissingError, chart_names, chart_text, schema_text

FOLDER = Path(statecharts.__file__).parent


def test_every_yaml_file_of_the_folder_is_a_chart() -> None:
    assert chart_names() == ("erp_write", "task")
    for name in chart_names():
        assert chart_text(name).encode() == (FOLDER / f"{name}.yaml").read_bytes()


@pytest.mark.parametrize("name", ["", "tusk", "../statecharts/task", "task.yaml", "schema"])
def test_an_unknown_chart_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(ChartMissingError, match="task") as caught:
        chart_text(name)
    assert "没有名为" in caught.value.text("zh-CN")


def test_the_schema_is_json() -> None:
    assert json.loads(schema_text())["$schema"].startswith("https://json-schema.org/")

"""The files of docs/statecharts are those of the charts; what is stale is noticed."""

import re
from pathlib import Path

import pytest

from engine.chart.load import load_chart
from sgclaw.chart_files import chart_files, main, shipped_files, stale_files, write_files
from sgclaw.charts import NAMES, load_named
from statecharts import chart_names, chart_text

FOLDER = Path(__file__).parent.parent.parent / "docs" / "statecharts"


def test_the_committed_files_are_those_of_the_charts() -> None:
    stale = stale_files(FOLDER, shipped_files())
    assert stale == [], "run: python -m sgclaw.chart_files docs/statecharts"


@pytest.mark.parametrize("name", chart_names())
def test_every_form_of_a_chart_is_there(name: str) -> None:
    found = {path.name.removeprefix(name) for path in FOLDER.glob(f"{name}.*")}
    worded = {f".{lang}.{end}" for lang in ("en", "zh-CN") for end in ("md", "svg", "mmd", "dot")}
    assert found == worded | {".scxml", ".xstate.json"}


def test_every_link_of_the_index_leads_to_a_file() -> None:
    index = (FOLDER / "README.md").read_text("utf-8")
    links = set(re.findall(r"\]\(([^)]+)\)", index))
    assert links == {path.name for path in FOLDER.iterdir()} - {"README.md"}


def test_a_changed_chart_makes_its_files_stale() -> None:
    text = chart_text("task").replace(
        "actions: [take_abort]", "actions: [take_abort, take_abort]", 1
    )
    assert text != chart_text("task")
    changed = load_chart(text, source="statecharts/task.yaml", names=NAMES)
    others = [load_named(name) for name in chart_names() if name != "task"]
    stale = stale_files(FOLDER, chart_files([*others, changed]))
    assert {name for name in stale if name != "README.md"} == {
        path.name for path in FOLDER.glob("task.*")
    }


def test_a_missing_a_foreign_and_an_edited_file_are_noticed_and_mended(tmp_path: Path) -> None:
    wanted = {"a.md": "one\n", "b.md": "two\n"}
    write_files(tmp_path, wanted)
    assert stale_files(tmp_path, wanted) == []
    (tmp_path / "a.md").unlink()
    (tmp_path / "b.md").write_text("three\n", "utf-8")
    (tmp_path / "c.md").write_text("", "utf-8")
    assert stale_files(tmp_path, wanted) == ["a.md", "b.md", "c.md"]
    write_files(tmp_path, wanted)
    assert stale_files(tmp_path, wanted) == []


def test_the_command_writes_checks_and_says_what_is_stale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new"
    assert main(["--check", str(folder)]) == 1
    assert "stale: task.scxml" in capsys.readouterr().err
    assert main([str(folder)]) == 0
    assert main(["--check", str(folder)]) == 0
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err

"""`sgclaw chart export` writes every form, a run's picture too, and says what is wrong plainly."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from engine.chart.core import Core
from engine.chart.export.svg import lifecycle_svg, svg
from sgclaw.charts import bindings_of, table_of, task_chart
from sgclaw.commands.chart_export import FORMATS, exported
from statecharts import chart_names
from states.catalogue import Lang
from states.task import Context
from tests.engine.chart.export.told import TRACE, told
from tests.sgclaw.commands.conftest import Cli
from tests.support.ledger_lab import TraceLedger

LANGS: tuple[Lang, ...] = ("en", "zh-CN")


def rows() -> list[dict[str, Any]]:
    core = Core(task_chart(), table_of("task"), bindings_of("task"))
    sends: list[tuple[str, dict[str, Any]]] = [
        ("submit_task", {"record": {"instruction": "x"}}),
        ("abort", {}),
    ]
    return told(core, Context(), sends)


def ledger(path: Path, written: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in written), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", chart_names())
def test_each_form_of_each_chart_is_printed_and_written(
    cli: Cli, tmp_path: Path, name: str, form: str
) -> None:
    printed = cli("chart", "export", name, "--format", form)
    assert (printed.code, printed.err) == (0, "")
    assert len(printed.out) > 1000
    file = tmp_path / "chart"
    said = cli("chart", "export", name, "--format", form, "--out", str(file))
    assert said.out == f"{name} written to {file}\n"
    assert file.read_text("utf-8").strip() == printed.out.strip()
    document = cli("chart", "export", name, "--format", form, "--json").document
    assert document.pop("text") == file.read_text("utf-8")
    assert document == {"id": name, "format": form, "lang": "en"}


def test_the_language_is_the_persons_unless_another_is_named(cli: Cli) -> None:
    command = ("chart", "export", "task", "--format", "svg")
    english, chinese = svg(task_chart(), "en"), svg(task_chart(), "zh-CN")
    assert cli(*command).out == english
    assert cli(*command, "--lang", "zh-CN").out == chinese
    cli.env["SGCLAW_LANG"] = "zh-CN"
    assert cli(*command).out == chinese
    assert cli(*command, "--lang", "en").out == english


@pytest.mark.parametrize("lang", LANGS)
def test_a_run_is_drawn_from_its_trace_or_its_ledger_file(
    cli: Cli, tmp_path: Path, lang: Lang
) -> None:
    TraceLedger(Path(cli.env["SGCLAW_DATA_DIR"]), TRACE).write(rows())
    copy = ledger(tmp_path / "copy.jsonl", rows())
    command = ("chart", "export", "task", "--lang", lang, "--trace")
    drawn = cli(*command, TRACE)
    assert drawn.code == 0
    assert drawn.out == lifecycle_svg(task_chart(), rows(), lang)
    assert cli(*command, str(copy), "--format", "svg").out == drawn.out
    ElementTree.fromstring(drawn.out)  # noqa: S314 - our own picture
    assert drawn.out != exported(task_chart(), "svg", lang)


def test_without_a_format_it_is_mermaid_and_with_a_run_it_is_svg(cli: Cli, tmp_path: Path) -> None:
    assert cli("chart", "export", "task", "--json").document["format"] == "mermaid"
    copy = ledger(tmp_path / "copy.jsonl", rows())
    said = cli("chart", "export", "task", "--trace", str(copy), "--json").document
    assert (said["format"], said["text"][:5]) == ("svg", "<svg ")


def test_a_run_has_no_other_form_than_svg(cli: Cli, tmp_path: Path) -> None:
    copy = str(ledger(tmp_path / "copy.jsonl", rows()))
    said = cli("chart", "export", "task", "--format", "dot", "--trace", copy)
    assert (said.code, said.out) == (2, "")
    assert "A run can be drawn as svg only, not as dot" in said.err


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", "The ledger holds no event of a chart"),
        ('{"seq":', "The ledger holds no event of a chart"),
        ('{"seq":1}\n', "Row 1 of the ledger has no readable at"),
        ("5\n", "Line 1 of the ledger"),
        ("x\n{}\n", "ledger"),
    ],
)
def test_an_empty_or_broken_ledger_is_a_plain_error(
    cli: Cli, tmp_path: Path, written: str, says: str
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(written, encoding="utf-8")
    said = cli("chart", "export", "task", "--trace", str(path))
    assert said.code != 0
    assert said.out == ""
    assert says in said.err
    assert "Traceback" not in said.err


def test_a_ledger_of_another_version_is_refused(cli: Cli, tmp_path: Path) -> None:
    older = [{**row, "chart_sha256": "0" * 64} for row in rows()]
    path = str(ledger(tmp_path / "older.jsonl", older))
    said = cli("chart", "export", "task", "--trace", path)
    assert (said.code == 0, said.out) == (False, "")
    assert "has been changed since the run" in said.err
    said = cli("chart", "export", "erp_write", "--trace", path)
    assert "The ledger is of the chart task, not of erp_write" in said.err


@pytest.mark.parametrize(
    ("trace", "says"),
    [
        ("nonsense", "is no trace id"),
        ("no/such.jsonl", "is no trace id"),
        ("sgclaw-20200101-0123456789abcdef", "There is no run"),
    ],
)
def test_an_unknown_trace_is_a_usage_error(cli: Cli, trace: str, says: str) -> None:
    said = cli("chart", "export", "task", "--trace", trace)
    assert (said.code, said.out) == (2, "")
    assert says in said.err


def test_a_file_that_cannot_be_written_is_named(cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "missing" / "task.svg"
    said = cli("chart", "export", "task", "--format", "svg", "--out", str(target))
    assert (said.code, said.out) == (2, "")
    assert str(target) in said.err
    assert not target.exists()

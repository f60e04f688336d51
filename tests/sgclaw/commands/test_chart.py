"""`sgclaw chart` tells a person or an auditor the whole chart, and what is wrong with one."""

import re
from pathlib import Path

import pytest

from sgclaw.charts import load_named, task_chart
from statecharts import chart_names
from tests.sgclaw.commands.conftest import Cli, broken_chart

# Design section 2: the states of a task, as a person is told them.
STATES = (
    "idle", "active", "planning", "executing", "thinking", "deciding", "waiting", "observing",
    "confirm", "evaluate", "completed", "failed", "aborted",
)  # fmt: skip


def test_the_list_names_each_chart_with_its_digest(cli: Cli) -> None:
    said = cli("chart", "list")
    assert said.code == 0
    listed = cli("chart", "list", "--json").document
    assert [entry["id"] for entry in listed] == list(chart_names())
    for entry in listed:
        assert re.search(rf"^{entry['id']} +v1 +{entry['sha256'][:12]} ", said.out, re.MULTILINE)
        assert entry["sha256"] == load_named(entry["id"]).sha256


def test_the_outline_holds_every_state(cli: Cli) -> None:
    said = cli("chart", "show", "task")
    assert (said.code, said.err) == (0, "")
    shown = {line.split(":")[0].split(" (")[0].strip() for line in said.out.splitlines()}
    assert set(STATES) <= shown
    document = cli("chart", "show", "task", "--json").document
    assert document["outline"].strip() == said.out.strip()


def test_the_outline_speaks_the_persons_language(cli: Cli) -> None:
    cli.env["SGCLAW_LANG"] = "zh-CN"
    assert "一个浏览器任务" in cli("chart", "show", "task").out
    cli.env["SGCLAW_LANG"] = "en"
    assert "一个浏览器任务" not in cli("chart", "show", "task").out


def test_a_diagram_holds_every_state_and_its_file_is_what_is_printed(cli: Cli) -> None:
    said = cli("chart", "export", "task", "--format", "mermaid")
    assert said.code == 0
    assert "stateDiagram-v2" in said.out
    drawn = {name.rpartition("__")[2] for name in re.findall(r'state ".*" as (\w+)', said.out)}
    assert drawn == set(STATES)
    document = cli("chart", "export", "task", "--format", "mermaid", "--json").document
    assert (document["format"], document["text"].strip()) == ("mermaid", said.out.strip())


def test_the_table_holds_every_state_and_numbers_the_alternatives(cli: Cli) -> None:
    said = cli("chart", "export", "task", "--format", "table")
    assert said.code == 0
    cells = [
        [c.strip() for c in line.split(" | ")] for line in said.out.splitlines() if "|" in line
    ]
    states = {row[0].removeprefix("| ").rpartition(".")[2] for row in cells}
    assert set(STATES) <= states
    numbers: dict[tuple[str, str], list[int]] = {}
    for row in cells:
        if len(row) > 1 and (found := re.fullmatch(r"(.+) #(\d+)", row[1])):
            numbers.setdefault((row[0], found[1]), []).append(int(found[2]))
    assert len(numbers[("| active.confirm", "done.invoke.ask")]) > 2
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())
    document = cli("chart", "export", "task", "--format", "table", "--json").document
    assert (document["format"], document["text"].strip()) == ("table", said.out.strip())


@pytest.mark.parametrize("form", ["mermaid", "table"])
def test_each_export_numbers_every_way_out_of_deciding_in_order(cli: Cli, form: str) -> None:
    text = cli("chart", "export", "task", "--format", form).out
    ways = [row for row in task_chart().rows() if row.source.endswith("deciding")]
    assert len(ways) > 4
    lines = [line for line in text.splitlines() if "deciding" in line and "always #" in line]
    told = [[int(number) for number in re.findall(r"always #(\d+)\b", line)] for line in lines]
    # Mermaid draws one arrow a target: in each the ways stand in their order.
    assert all(numbers == sorted(numbers) for numbers in told)
    assert sorted(number for numbers in told for number in numbers) == [r.number for r in ways]


@pytest.mark.parametrize("verb", ["show", "export", "check"])
def test_an_unknown_chart_names_the_known_ones(cli: Cli, verb: str) -> None:
    said = cli("chart", verb, "tusk")
    assert said.code == 2
    assert "task" in said.err
    as_json = cli("chart", verb, "tusk", "--json")
    assert as_json.document["exit_code"] == as_json.code == 2
    assert as_json.document["error"]["code"] == "chart_unknown"


@pytest.mark.parametrize("verb", ["show", "export"])
def test_a_broken_chart_is_not_shown(cli: Cli, tmp_path: Path, verb: str) -> None:
    path, line = broken_chart(tmp_path)
    said = cli("chart", verb, str(path))
    assert said.code == 1
    assert said.out == ""
    assert f"{path}:{line}" in said.err

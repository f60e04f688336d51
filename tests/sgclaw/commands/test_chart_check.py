"""`sgclaw chart check` tells a developer what is wrong with a chart, where, and the way to it."""

import re
from pathlib import Path

import pytest

from statecharts import chart_names, chart_text
from tests.sgclaw.commands.conftest import Cli, broken_chart


def test_the_charts_of_the_product_pass(cli: Cli) -> None:
    said = cli("chart", "check")
    assert said.code == 0
    for name in chart_names():
        assert re.search(rf"{name}.yaml: no problem found \(\d+ states, \d+ events", said.out)
    document = cli("chart", "check", "--json").document
    assert (document["charts"], document["problems"]) == (list(chart_names()), [])
    for told in document["checked"]:
        assert told["states"] > 10
        assert told["events"] > told["feeds"] > 100
        assert told["monitors"] > 3


def test_each_chart_is_checked_with_its_own_names_by_name_and_by_file(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "change.yaml"
    text = chart_text("erp_write")
    path.write_text(text, encoding="utf-8")
    assert cli("chart", "check", "erp_write").code == 0
    assert cli("chart", "check", str(path)).code == 0
    assert "100: waits for the ERP" in cli("chart", "show", "erp_write").out
    path.write_text(text.replace("guard: claim_won", "guard: no_loop"), encoding="utf-8")
    said = cli("chart", "check", str(path))
    assert said.code == 1
    assert "no_loop" in said.out


def test_a_broken_chart_is_told_with_file_line_and_fix(cli: Cli, tmp_path: Path) -> None:
    path, line = broken_chart(tmp_path)
    said = cli("chart", "check", str(path))
    assert said.code == 1
    assert said.out.startswith(f"{path}:{line}: ")
    assert "reply_is_txt" in said.out
    assert "reply_is_text" in said.out
    as_json = cli("chart", "check", str(path), "--json")
    assert as_json.code == 1
    [problem] = as_json.document["problems"]
    assert (problem["file"], problem["line"]) == (str(path), line)
    assert "reply_is_txt" in problem["what"]
    assert "reply_is_text" in problem["fix"]


def test_the_same_file_without_the_mistake_passes(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "good.yaml"
    path.write_text(chart_text("task"), encoding="utf-8")
    assert cli("chart", "check", str(path)).code == 0
    assert cli("chart", "check", str(path), "--json").document["problems"] == []


@pytest.mark.parametrize(
    ("broken", "line"),
    [("states: [\n", 2), ("id: a\nid: b\n", 2), ("id: a\n\tb: c\n", 2)],
    ids=["not closed", "key twice", "tab"],
)
def test_what_is_no_yaml_is_told_with_its_line(
    cli: Cli, tmp_path: Path, broken: str, line: int
) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(broken, encoding="utf-8")
    said = cli("chart", "check", str(path))
    assert said.code == 1
    assert said.out.startswith(f"{path}:{line}: ")


def test_an_unknown_key_is_told_with_its_own_line(cli: Cli, tmp_path: Path) -> None:
    text = chart_text("task")
    at = text[: text.index("      abort: {target: aborted")].count("\n") + 1
    path = tmp_path / "broken.yaml"
    wrong = text.replace("      abort: {target: aborted", "      abort: {tarqet: aborted", 1)
    path.write_text(wrong, encoding="utf-8")
    said = cli("chart", "check", str(path))
    assert said.code == 1
    assert f"{path}:{at}: " in said.out


def retrying_chart(folder: Path) -> Path:
    """Write the task chart with a row that sends a failed command again; the lint passes it."""
    old = "error.invoke.act: {target: active.observing, actions: [take_act_error]}"
    new = old.replace("observing", "executing.waiting").replace("error]", "error, {spawn: act}]")
    text = chart_text("task")
    assert text.count(old) == 1
    path = folder / "retrying.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_a_violation_is_told_with_line_fix_and_the_shortest_way(cli: Cli, tmp_path: Path) -> None:
    path = retrying_chart(tmp_path)
    line = next(
        n
        for n, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "error.invoke.act: {" in text
    )
    said = cli("chart", "check", str(path))
    assert said.code == 1
    lines = said.out.splitlines()
    assert lines[0].startswith(f"{path}:{line}: error.invoke.act in active.executing.waiting")
    assert "never sends again" in lines[0]
    steps = [text.split() for text in lines[2:5]]
    assert [step[:2] for step in steps] == [
        ["1.", "submit_task"], ["2.", "done.invoke.plan"], ["3.", "error.invoke.act"],
    ]  # fmt: skip
    assert "reply=call" in steps[1]
    assert re.search(r"1 problem\(s\) \(\d+ states", lines[5])


def test_a_violation_as_json_holds_its_way(cli: Cli, tmp_path: Path) -> None:
    path = retrying_chart(tmp_path)
    said = cli("chart", "check", str(path), "--json")
    assert said.code == 1
    [problem] = said.document["problems"]
    assert problem["code"] == "check_task_sent_twice"
    assert [step["event"] for step in problem["trace"]] == [
        "submit_task", "done.invoke.plan", "error.invoke.act",
    ]  # fmt: skip
    assert problem["trace"][1]["with"]["reply"] == "call"


def test_a_violation_speaks_the_persons_language(cli: Cli, tmp_path: Path) -> None:
    path = retrying_chart(tmp_path)
    cli.env["SGCLAW_LANG"] = "zh-CN"
    said = cli("chart", "check", str(path)).out
    assert "最短的触发路径" in said
    assert "从不自行重发" in said
    assert "shortest" not in said


def test_events_without_their_payloads_are_told_and_no_traceback(cli: Cli, tmp_path: Path) -> None:
    text = chart_text("task")
    cut = text.index("  done.invoke.act:\n")
    path = tmp_path / "bare.yaml"
    bare = text[:cut] + "  done.invoke.act: {}\n" + text[text.index("  done.invoke.observe:\n") :]
    path.write_text(bare, encoding="utf-8")
    said = cli("chart", "check", str(path))
    assert said.code == 1
    assert f"{path}:" in said.out


def test_a_task_chart_without_model_payloads_blames_the_reducer(cli: Cli, tmp_path: Path) -> None:
    text = chart_text("task")
    start, end = text.index("  done.invoke.plan:\n"), text.index("  done.invoke.think:\n")
    path = tmp_path / "bare.yaml"
    path.write_text(text[:start] + "  done.invoke.plan: {}\n" + text[end:], encoding="utf-8")
    said = cli("chart", "check", str(path))
    assert said.code == 1
    assert "The reducer take_plan fails here (KeyError" in said.out

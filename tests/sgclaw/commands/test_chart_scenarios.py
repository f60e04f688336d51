"""`sgclaw chart test | record | coverage`: what a tester sees, and honest exit codes."""

import json
import re
from pathlib import Path

import pytest

from sgclaw.proof.scenarios import FOLDER
from tests.sgclaw.commands.conftest import Cli
from tests.sgclaw.recorded import recorded, rows, write_rows

GENERATED = Path(__file__).parents[3] / FOLDER / "generated"
GOOD = """
chart: task
scenarios:
  - name: an answer that claims nothing
    steps:
      - {send: submit_task, state: planning}
      - {send: done.invoke.plan, with: {reply: text}, state: completed}
"""


def written(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_scenarios_that_hold_end_with_0(cli: Cli, tmp_path: Path) -> None:
    written(tmp_path / "some" / "deep" / "a.yaml", GOOD)
    written(tmp_path / "some" / "b.yml", GOOD)
    said = cli("chart", "test", str(tmp_path / "some"))
    assert (said.code, said.out) == (0, "2 scenarios in 2 files, 4 steps: 2 passed, 0 failed\n")


def test_a_scenario_that_fails_ends_with_1_and_a_diff(cli: Cli, tmp_path: Path) -> None:
    path = written(tmp_path / "a.yaml", GOOD.replace("completed", "failed"))
    said = cli("chart", "test", path)
    assert said.code == 1
    assert f"{path}:7: step 2, done.invoke.plan: - wanted, + got" in said.out
    assert "    - failed\n    + completed\n" in said.out
    document = cli("chart", "test", path, "--json")
    assert (document.code, document.document["failed"]) == (1, 1)


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("submit_task", "submit_tusk", ":6: The chart has no event submit_tusk"),
        ("reply: text", "reply: txt", ":7: txt is no value of reply"),
        ("state: planning", "stat: planning", ":6: A scenario has no key stat here. Write state."),
        ("chart: task", "chart: tusk", ":2: There is no chart tusk. Write task."),
        ("scenarios:", "scenarios: [", "not YAML"),
    ],
)
def test_a_typo_ends_with_2_and_nothing_is_run(
    cli: Cli, tmp_path: Path, right: str, wrong: str, says: str
) -> None:
    good = written(tmp_path / "a.yaml", GOOD)
    bad = written(tmp_path / "b.yaml", GOOD.replace(right, wrong))
    said = cli("chart", "test", good, bad)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    cli.env["SGCLAW_LANG"] = "zh-CN"
    assert "场景文件有" in cli("chart", "test", bad).err


def test_a_file_that_is_not_there_or_not_text_or_nothing_ends_with_2(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe")
    (tmp_path / "empty").mkdir()
    for name, says in (("no.yaml", "no scenario file"), ("bytes.yaml", "bytes.yaml"),
                       ("empty", "no scenario file in")):  # fmt: skip
        said = cli("chart", "test", str(tmp_path / name))
        assert said.code == 2
        assert says in said.err
        assert "Traceback" not in said.err


async def test_a_run_becomes_a_scenario_that_passes_at_once(cli: Cli, tmp_path: Path) -> None:
    ledger = await recorded(tmp_path / "data")
    said = cli("chart", "record", ledger.trace)
    assert said.code == 0
    path = written(tmp_path / "run.yaml", said.out)
    assert cli("chart", "test", path).code == 0
    assert [line.split()[-1] for line in said.out.splitlines() if "- send:" in line] == [
        row["event"]["type"] for row in rows(ledger)
    ]
    to_file = tmp_path / "other" / "run.yaml"
    assert cli("chart", "record", ledger.trace, "--out", str(to_file)).code == 0
    assert to_file.read_text("utf-8") == said.out


async def test_nothing_that_was_said_or_seen_goes_into_the_scenario(
    cli: Cli, tmp_path: Path
) -> None:
    ledger = await recorded(tmp_path / "data")
    told = json.dumps(ledger.rows())
    text = cli("chart", "record", ledger.trace).out
    for personal in ("void", "#sum", "invoice"):
        assert personal in told
        assert personal not in text


async def test_a_ledger_of_another_way_is_not_made_a_scenario(cli: Cli, tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path / "data"))
    kept[2]["state"] = "failed"
    said = cli("chart", "record", str(write_rows(tmp_path / "edited.jsonl", kept)))
    assert said.code == 1
    assert "row 3" in said.err
    kept[2]["event"]["payload"]["outcome"] = "odd"
    said = cli("chart", "record", str(write_rows(tmp_path / "odd.jsonl", kept)))
    assert said.code == 1
    assert "outcome" in said.err
    assert cli("chart", "record", str(write_rows(tmp_path / "none.jsonl", []))).code == 2
    assert cli("chart", "record", "nonsense").code == 2


def test_coverage_tells_what_is_open(cli: Cli, tmp_path: Path) -> None:
    for kind in ("rows", "overlaps"):
        text = (GENERATED / f"erp_write_{kind}.yaml").read_text("utf-8")
        kept = re.sub(r'  - name: "idle: abort #1"\n(    .*\n)+', "", text)
        written(tmp_path / f"{kind}.yaml", kept)
    written(tmp_path / "equivalent.yaml", 'erp_write: {"idle: abort #9: delete": "no such row"}')
    said = cli("chart", "coverage", "erp_write", "--scenarios", str(tmp_path), "--json")
    [document] = said.document
    assert (said.code, document["whole"]) == (1, False)
    assert document["rows"]["missing"] == ["idle: abort #1"]
    assert document["rows"]["met"] == document["rows"]["of"] - 1
    mutants = document["mutants"]
    assert mutants["overtaken"] == ["idle: abort #9: delete"]
    assert "idle: abort #1: drop take_cancel" in mutants["unlisted"]
    assert (
        mutants["killed"] + mutants["lint"] + mutants["equal"] + mutants["alive"] == mutants["of"]
    )
    survivor = next(each for each in mutants["survivors"] if each["end"] == "equal")
    assert survivor["states_compared"] > 0


def test_coverage_of_an_unknown_chart_or_a_broken_list_is_refused(cli: Cli, tmp_path: Path) -> None:
    assert cli("chart", "coverage", "tusk").code == 2
    written(tmp_path / "a.yaml", GOOD)
    written(tmp_path / "equivalent.yaml", "task: {a: 3}")
    said = cli("chart", "coverage", "task", "--scenarios", str(tmp_path))
    assert said.code == 2
    assert "equivalent.yaml:1: a must be a reason" in said.err


@pytest.mark.parametrize("verb", ["test", "record", "coverage"])
def test_each_verb_shows_examples(cli: Cli, verb: str) -> None:
    said = cli("chart", verb, "--help")
    assert said.code == 0
    assert f"sgclaw chart {verb}" in said.out.partition("examples:")[2]


def test_a_folder_that_cannot_be_written_is_told_with_the_option_that_named_it(
    cli: Cli, tmp_path: Path
) -> None:
    written(tmp_path / "taken", "")
    said = cli("chart", "coverage", "erp_write", "--write", str(tmp_path / "taken"))
    assert said.code == 2
    assert "cannot be written" in said.err
    assert "--write" in said.err
    assert "--out" not in said.err
    assert cli("chart", "coverage", "erp_write", "--write", str(tmp_path / "free")).code == 0

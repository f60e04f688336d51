"""`--resume` takes the options that may be given with it as `run` does."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sgclaw.cli import build_parser
from sgclaw.errors import UsageError
from sgclaw.paths import host_journal_path
from sgclaw.run_plan import plan_of
from sgclaw.saved_plan import RunPlan, plan_row
from tests.sgclaw.recorded import write_rows
from tests.sgclaw.task_stage import TRACE
from tests.sgclaw.test_interrupted_run import PLAN, interrupted


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """Let the data folder of the command line be the test's own."""
    before = dict(os.environ)
    os.environ["SGCLAW_DATA_DIR"] = str(tmp_path)
    yield tmp_path
    os.environ.clear()
    os.environ.update(before)


def resumed(*options: str) -> RunPlan:
    """Return the plan of a resumption; its journal is left to the next one."""
    plan = plan_of(
        build_parser().parse_args(["run", "--resume", TRACE, "--approve", "deny", *options])
    )
    assert plan.journal is not None
    plan.journal.close()
    return plan


@pytest.mark.parametrize("arguments", [["--demo", "x"], ["--resume", "sgclaw-20261129-01234567"]])
def test_an_empty_folder_for_results_is_refused_with_and_without_it(arguments: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        plan_of(build_parser().parse_args(["run", *arguments, "--out", ""]))
    assert caught.value.code == "out_dir_empty"


async def test_a_task_goes_on_with_what_it_was_started_with(data: Path) -> None:
    await interrupted(data, 3)
    plan = resumed()
    assert (plan.resume, plan.trace_id, plan.instruction) == (True, TRACE, PLAN["instruction"])
    assert plan.provider.kind == "offline"
    assert plan.past


async def test_a_script_that_lies_elsewhere_by_now_may_be_named_anew(data: Path) -> None:
    await interrupted(data, 3)
    script = data / "moved.jsonl"
    script.write_text('{"text":"x"}\n', encoding="utf-8")
    plan = resumed("--provider", f"scripted:{script}")
    assert (plan.provider.kind, plan.provider.script) == ("scripted", str(script))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["do it"], "INSTRUCTION"), (["--demo"], "--demo"), (["--url", "https://a/"], "--url"),
        (["--headed"], "--headed"), (["--step"], "--step"), (["--max-steps", "3"], "--max-steps"),
        (["--max-seconds", "3"], "--max-seconds"),
    ],
)  # fmt: skip
async def test_what_a_task_was_started_with_is_not_changed_on_the_way(
    data: Path, options: list[str], named: str
) -> None:
    await interrupted(data, 3)
    with pytest.raises(UsageError, match=named) as caught:
        resumed(*options)
    assert caught.value.code == "resume_fixed"


async def test_files_may_be_handed_over_anew(data: Path) -> None:
    await interrupted(data, 3)
    assert resumed().files is None
    assert resumed("--files", str(data)).files == data


async def test_a_key_is_read_anew_and_stands_in_no_row(data: Path) -> None:
    await interrupted(data, 3)
    os.environ["ANTHROPIC_API_KEY"] = "sk-ant-canary-of-the-first-run"
    first = plan_of(build_parser().parse_args(["run", "--demo", "x", "--provider", "claude"]))
    assert first.provider.api_key == "sk-ant-canary-of-the-first-run"
    row = plan_row(first)
    assert "canary" not in repr(row)
    kept = [{"v": 1, "seq": 1, **PLAN, "provider": row["provider"]}]
    write_rows(host_journal_path(data, TRACE), kept)
    os.environ["ANTHROPIC_API_KEY"] = ""
    with pytest.raises(UsageError) as caught:
        resumed()
    assert caught.value.code == "key_missing"
    os.environ["ANTHROPIC_API_KEY"] = "sk-ant-canary-of-today"
    plan = resumed()
    assert plan.provider.api_key == "sk-ant-canary-of-today"
    assert plan.provider.model == first.provider.model
    assert plan.provider.model in plan.model_told
    assert resumed("--model", "m2").provider.model == "m2"

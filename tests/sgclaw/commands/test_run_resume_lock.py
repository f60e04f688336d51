"""`run --resume` holds the host's journal from its first look on; a refusal lets go of it (L8)."""

import argparse
import os
from pathlib import Path

import pytest

from memory.errors import LedgerError
from memory.ledger import JsonLinesLedger
from sgclaw.cli import build_parser
from sgclaw.paths import host_journal_path
from sgclaw.run_plan import plan_of
from tests.sgclaw.commands.conftest import Cli
from tests.sgclaw.task_stage import TRACE
from tests.sgclaw.test_interrupted_run import intent, interrupted, journal
from tests.support.ledger_lab import TraceLedger


def given(*words: str) -> argparse.Namespace:
    return build_parser().parse_args(["run", "--resume", TRACE, *words])


async def test_a_plan_that_goes_on_holds_the_journal(cli: Cli, tmp_path: Path) -> None:
    data = await interrupted(tmp_path / "data", 3)
    before = dict(os.environ)
    os.environ.update(cli.env)
    try:
        plan = plan_of(given("--approve", "deny"))
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert plan.resume
    assert plan.journal is not None
    path = host_journal_path(data, TRACE)
    with pytest.raises(LedgerError, match="another process"):
        JsonLinesLedger(path)
    said = cli("run", "--resume", TRACE, "--approve", "deny")
    assert (said.code, "runs already" in said.err) == (4, True)
    plan.journal.append({"kind": "note"}, durable=True)
    plan.journal.close()


@pytest.mark.parametrize(("option", "code"), [("--approve", 2), ("--policy", 4)])
async def test_a_wrong_option_lets_go_of_the_journal(
    cli: Cli, tmp_path: Path, option: str, code: int
) -> None:
    data = await interrupted(tmp_path / "data", 3)
    said = cli("run", "--resume", TRACE, option, str(tmp_path / "nowhere.jsonl"))
    assert said.code == code, said
    JsonLinesLedger(host_journal_path(data, TRACE), create=False).close()


async def test_cut_off_rows_are_refused_with_what_to_do(cli: Cli, tmp_path: Path) -> None:
    data = await interrupted(tmp_path / "data", 3)
    journal(data, intent())
    before = TraceLedger(data, TRACE).rows()
    said = cli("run", "--resume", TRACE, "--approve", "deny")
    assert said.code == 4
    assert "cut off" in said.err
    assert "start a new run" in said.err
    assert TraceLedger(data, TRACE).rows() == before


async def test_a_task_that_its_host_saw_end_is_a_usage_error(cli: Cli, tmp_path: Path) -> None:
    data = await interrupted(tmp_path / "data", 3)
    journal(data, {"kind": "ended", "state": "aborted", "reason": "aborted"})
    said = cli("run", "--resume", TRACE)
    assert said.code == 2
    assert "had ended (aborted)" in said.err

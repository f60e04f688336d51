"""A run whose ledger cannot be opened starts nothing: its agent could do nothing (M7)."""

import os
from pathlib import Path

import pytest

from sgclaw.cli import build_parser
from sgclaw.errors import RefusedError
from sgclaw.paths import database_path
from sgclaw.run_plan import plan_of
from tests.sgclaw.commands.conftest import Cli
from tests.support.ledger_lab import TraceLedger

TRACE = "sgclaw-20261129-0123456789abcdef"
WORDS = ("run", "--demo", "导出本月合规报表", "--approve", "deny")


def spoil_text(data: Path) -> None:
    path = database_path(data)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database\n" * 100)


def spoil_version(data: Path) -> None:
    ledger = TraceLedger(data, TRACE).write([])
    ledger.tamper("UPDATE schema_version SET version = 99")


@pytest.mark.parametrize(
    ("spoil", "said"), [(spoil_text, "is no ledger"), (spoil_version, "newer sgclaw")]
)
def test_a_ledger_that_cannot_be_opened_starts_nothing(
    cli: Cli, tmp_path: Path, spoil: object, said: str
) -> None:
    data = Path(cli.env["SGCLAW_DATA_DIR"])
    assert callable(spoil)
    spoil(data)
    before = database_path(data).read_bytes()
    run = cli(*WORDS, "--out", str(tmp_path / "out"))
    assert (run.code, run.out) == (4, ""), run
    assert said in run.err
    assert database_path(data).read_bytes() == before
    assert not (tmp_path / "out").exists()
    assert not list((data / "host").glob("*.jsonl"))


def test_a_server_that_is_not_there_starts_nothing_and_no_password_is_told(
    cli: Cli, tmp_path: Path
) -> None:
    cli.env["SGCLAW_DATABASE_URL"] = "postgresql://u:geheim42@127.0.0.1:1/x"
    run = cli(*WORDS, "--out", str(tmp_path / "out"))
    assert run.code == 4
    assert "cannot be reached" in run.err
    assert "geheim42" not in run.err
    assert not (tmp_path / "out").exists()


def test_with_a_good_ledger_the_same_words_make_a_plan(cli: Cli, tmp_path: Path) -> None:
    before = dict(os.environ)
    os.environ.update(cli.env)
    try:
        plan = plan_of(build_parser().parse_args([*WORDS, "--out", str(tmp_path / "out")]))
    except RefusedError as error:
        pytest.fail(str(error))
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert plan.demo

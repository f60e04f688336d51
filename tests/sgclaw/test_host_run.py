"""How a run ends when nothing was served: it is told whole, and the journal knows of it."""

import json
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from browser.host.approver import DenyApprover
from memory.ledger import JsonLinesLedger, read_rows
from sgclaw.errors import RefusedError
from sgclaw.host_run import run_plan
from sgclaw.paths import host_journal_path, host_log_dir
from sgclaw.printer import Printer
from sgclaw.saved_plan import RunPlan, plan_row
from states.policy import HostRule, Policy
from states.settings import Settings
from states.wire import CommandReport, ProviderSpec
from tests.support.ledger_lab import TraceLedger

TRACE = "sgclaw-20261129-0123456789abcdef"
POLICY = Policy(version=1, hosts=(HostRule(host="erp.example.com", allow=("*",)),))


@pytest.fixture(autouse=True)
def no_browser() -> Iterator[None]:
    """Let every run end because there is no browser; leave the tests' signals as they were."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    environ = dict(os.environ)
    os.environ["SGCLAW_BROWSER"] = "/nowhere/chromium"
    yield
    os.environ.clear()
    os.environ.update(environ)
    for number, action in before.items():
        signal.signal(number, action)


@contextmanager
def files_of_at_most(bytes_max: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def plan(folder: Path, **parts: Any) -> RunPlan:
    given: dict[str, Any] = {
        "instruction": "x", "trace_id": TRACE, "policy": POLICY, "settings": Settings(),
        "provider": ProviderSpec(), "approver": DenyApprover("en"), "language": "en", "url": "",
        "demo": False, "headed": False, "step_mode": False, "data_dir": folder / "data",
        "out_dir": folder / "out", "agent_command": ("sleep", "60"),
    }  # fmt: skip
    return RunPlan(**{**given, **parts})


def agent_that_speaks_before_the_browser_ends(folder: Path) -> tuple[str, ...]:
    said, browser = folder / "said", folder / "browser"
    browser.write_text(f"#!/bin/sh\nuntil [ -e {said} ]; do sleep 0.02; done\n", encoding="utf-8")
    browser.chmod(0o700)
    os.environ["SGCLAW_BROWSER"] = str(browser)
    return ("sh", "-c", f"echo here >&2; touch {said}; exec sleep 60")


def journal_rows(folder: Path) -> list[dict[str, Any]]:
    return list(read_rows(host_journal_path(folder / "data", TRACE)))


def result(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "out" / "result.json").read_text("utf-8"))
    return found


async def test_a_run_that_cannot_begin_can_still_be_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run_plan(plan(tmp_path), Printer(as_json=False)) == 1
    told = result(tmp_path)
    assert (told["state"], told["path"]) == ("failed", ["idle", "failed"])
    # Nothing was done: when the browser is there again, the same trace goes on.
    assert [row["kind"] for row in journal_rows(tmp_path)] == ["plan"]
    said = capsys.readouterr()
    assert f"sgclaw run --resume {TRACE}" in said.out
    assert "incomplete" not in said.err


@pytest.mark.parametrize(("state", "ended"), [("failed", True), ("active.planning", False)])
async def test_only_a_ledger_that_ended_ends_the_task(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], state: str, ended: bool
) -> None:
    TraceLedger(tmp_path / "data", TRACE).write([{"state": state}])
    assert await run_plan(plan(tmp_path), Printer(as_json=False)) == 1
    kinds = [row["kind"] for row in journal_rows(tmp_path)]
    assert kinds == (["plan", "ended"] if ended else ["plan"])
    assert ("--resume" in capsys.readouterr().out) is not ended


async def test_a_run_that_goes_on_and_fails_at_once_still_tells_what_was_done(
    tmp_path: Path,
) -> None:
    done = CommandReport(seq=3, action="click", params={"selector": "#a"}, success=True)
    going_on = plan(tmp_path, resume=True, past=("planning", "observing"))
    journal = JsonLinesLedger(host_journal_path(tmp_path / "data", TRACE))
    journal.append(plan_row(going_on), durable=True)
    journal.append({"kind": "outcome", "command": done.model_dump(mode="json")}, durable=True)
    journal.close()
    assert await run_plan(going_on, Printer(as_json=False)) == 1
    told = result(tmp_path)
    assert told["path"] == ["idle", "planning", "observing", "failed"]
    assert [(c["seq"], c["action"]) for c in told["commands"]] == [(3, "click")]


async def test_a_plan_that_cannot_be_written_down_starts_nothing(tmp_path: Path) -> None:
    with files_of_at_most(0), pytest.raises(RefusedError) as caught:
        await run_plan(plan(tmp_path), Printer(as_json=False))
    assert (caught.value.code, caught.value.exit_code) == ("ledger_unwritable", 4)
    assert not (tmp_path / "out").exists()


async def test_a_log_that_could_not_be_written_is_told_once_at_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = host_log_dir(tmp_path / "data") / f"{TRACE}.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"x" * 200_000)
    log.chmod(0o600)
    agent = agent_that_speaks_before_the_browser_ends(tmp_path)
    with files_of_at_most(200_000):
        code = await run_plan(plan(tmp_path, agent_command=agent), Printer(as_json=False))
    assert (code, result(tmp_path)["state"]) == (1, "failed")
    assert capsys.readouterr().err.count(f"{TRACE}.log is incomplete") == 1


async def test_log_files_that_cannot_be_written_stop_nothing_and_are_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "logs").write_text("a file")
    agent = agent_that_speaks_before_the_browser_ends(tmp_path)
    code = await run_plan(plan(tmp_path, agent_command=agent), Printer(as_json=False))
    assert (code, result(tmp_path)["state"]) == (1, "failed")
    assert capsys.readouterr().err.count("operation.jsonl is incomplete") == 1
    assert (tmp_path / "data" / "logs").read_text() == "a file"


async def test_the_operation_log_has_what_both_sides_said(tmp_path: Path) -> None:
    agent = agent_that_speaks_before_the_browser_ends(tmp_path)
    await run_plan(plan(tmp_path, agent_command=agent), Printer(as_json=False))
    rows = read_lines(tmp_path / "data" / "logs" / "operation.jsonl")
    assert [row["data"] for row in rows if row["module"] == "agent.stderr"] == [{"text": "here"}]
    assert {row["trace_id"] for row in rows} == {TRACE}


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_no_secret_of_a_plan_is_written_down(tmp_path: Path) -> None:
    key = "sk-abcdefghijklmnopqrst"
    row = plan_row(
        plan(
            tmp_path,
            instruction=f"log in with {key}",
            url="https://anna:hunter2@erp.example.com/",
            provider=ProviderSpec(base_url="https://anna:hunter2@m.example/", api_key=key),
        )
    )
    written = json.dumps(row)
    assert key not in written
    assert "hunter2" not in written
    assert "log in with" in written
    assert row["settings"] == Settings().model_dump(mode="json")

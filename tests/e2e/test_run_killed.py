"""Whatever is killed, and whenever: it goes on or ends honestly, and nobody is left (L4, L8)."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import INVOICES, Desk, call
from tests.support.ledger_lab import text_in

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]
SLOW = {"delay_s": 60, "text": "never"}
WAIT = call("waitForSelector", {"selector": "#never", "timeout_ms": 30000})


def pids(desk: Desk, *needles: str) -> list[int]:
    """Return the processes of the desk's run whose command line holds all *needles*."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            environ = (entry / "environ").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        ours = f"SGCLAW_DATA_DIR={desk.folder}" in environ or str(desk.folder) in words
        if ours and all(needle in words for needle in needles):
            found.append(int(entry.name))
    return found


def ledger_has(desk: Desk, text: str) -> bool:
    return text in text_in(desk.folder / "data")


@pytest.mark.parametrize("moment", ["start", "browser", "agent", "model", "skill"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_at_any_moment_is_aborted(desk: Desk, moment: str, number: signal.Signals) -> None:
    if moment == "skill":
        child = desk.start("run", "--demo", "导出本月合规报表", "--out", "out")
    else:
        script = desk.script(INVOICES, SLOW)
        child = desk.start("run", "--demo", "x", "--out", "out", "--provider", script)
    reached = {
        "start": lambda: (desk.folder / "out").exists(),
        "browser": lambda: bool(pids(desk, "--remote-debugging-pipe")),
        "agent": lambda: ledger_has(desk, "submit_task"),
        "model": lambda: ledger_has(desk, "done.invoke.observe"),
        "skill": lambda: ledger_has(desk, "skill_asked"),
    }
    desk.until(reached[moment])
    os.kill(child.pid, number)
    run = desk.finish(child)
    assert run.code == 3, run.stdout + run.stderr
    assert run.result["state"] == "aborted"
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("pause_s", [0.02, 0.1, 0.4])
def test_a_nervous_hand_on_ctrl_c_is_one_abort(desk: Desk, pause_s: float) -> None:
    script = desk.script(INVOICES, SLOW)
    child = desk.start("run", "--demo", "x", "--out", "out", "--provider", script)
    desk.until(lambda: ledger_has(desk, "done.invoke.observe"))
    for _ in range(10):
        if child.poll() is None:
            os.kill(child.pid, signal.SIGINT)
        time.sleep(pause_s)
    run = desk.finish(child)
    assert run.code == 3, run.stdout + run.stderr
    assert list((desk.folder / "data" / "profiles").rglob("Default")) == []


@pytest.mark.parametrize("victim", ["agent", "browser"])
def test_who_dies_while_the_model_thinks_is_followed_by_another(desk: Desk, victim: str) -> None:
    script = desk.script(INVOICES, {"delay_s": 4, "text": "looked"})
    child = desk.start("run", "--demo", "x", "--out", "out", "--provider", script)
    desk.until(lambda: ledger_has(desk, "done.invoke.observe"))
    kill(desk, victim)
    run = desk.finish(child)
    assert (run.code, run.result["answer"]) == (0, "looked"), run.stdout + run.stderr
    assert f"the {victim} was killed; a new one goes on" in run.stdout
    assert run.result["path"].count("planning") == (2 if victim == "browser" else 1)


@pytest.mark.parametrize("victim", ["agent", "browser"])
def test_a_read_that_was_under_way_is_told_and_may_be_repeated(desk: Desk, victim: str) -> None:
    look = call("getText", {"selector": "body"})
    child = waiting(desk, look, {"text": "looked"})
    kill(desk, victim)
    run = desk.finish(child)
    assert (run.code, run.result["answer"]) == (0, "looked"), run.stdout + run.stderr
    assert "it changes nothing and may be repeated" in run.stdout
    assert [c["success"] for c in run.result["commands"]] == [True, False, True]


@pytest.mark.parametrize("victim", ["agent", "browser"])
def test_without_restarts_the_task_fails_and_goes_on_by_hand(desk: Desk, victim: str) -> None:
    desk.env["SGCLAW_TASK_RESTARTS_MAX"] = "0"
    child = waiting(desk, call("getText", {"selector": "body"}), {"text": "looked"})
    kill(desk, victim)
    run = desk.finish(child)
    assert (run.code, run.result["reason"]) == (1, f"{victim}_lost"), run.stdout + run.stderr
    assert run.result["path"][-1] == "failed"
    trace = run.result["trace_id"]
    assert f"sgclaw run --resume {trace}" in run.stdout
    again = desk.run("run", "--resume", trace)
    assert (again.code, again.result["answer"]) == (0, "looked"), again.stdout + again.stderr


def test_an_agent_that_dies_more_often_than_the_settings_let_it_ends_the_task(desk: Desk) -> None:
    desk.env["SGCLAW_TASK_RESTARTS_MAX"] = "1"
    child = waiting(desk, WAIT, WAIT, {"text": "x"})
    kill(desk, "agent")
    desk.until(lambda: ledger_has(desk, '"type":"resumed"'))
    kill(desk, "agent")
    run = desk.finish(child)
    assert (run.code, run.result["reason"]) == (1, "agent_lost"), run.stdout + run.stderr
    assert run.stdout.count("a new one goes on") == 1


def test_an_agent_killed_in_a_skill_begins_the_skill_again(desk: Desk) -> None:
    child = desk.start("run", "--demo", "导出本月合规报表", "--out", "out")
    desk.until(lambda: ledger_has(desk, "skill_asked"))
    kill(desk, "agent")
    run = desk.finish(child)
    assert run.code == 0, run.stdout + run.stderr
    assert "技能 erp-monthly-report 被中断" in run.stdout
    assert len(run.result["downloads"]) == 1


def waiting(desk: Desk, *replies: dict[str, Any]) -> "subprocess.Popen[str]":
    """Start a task and return it when a command waits in the page; *replies* come after."""
    script = desk.script(INVOICES, WAIT, *replies)
    child = desk.start("run", "--demo", "x", "--out", "out", "--provider", script)
    desk.until(lambda: ledger_has(desk, "#never"))
    # The row is written before the command is sent: it is under way when the host has it.
    logs = desk.folder / "data" / "host"
    desk.until(lambda: any("selector=#never" in p.read_text() for p in logs.glob("*.log")))
    return child


def kill(desk: Desk, victim: str) -> None:
    """Kill the newest process of that kind."""
    needles = {"agent": ("sgclaw", " agent"), "browser": ("--remote-debugging-pipe",)}[victim]
    for pid in pids(desk, *needles):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_a_host_that_is_killed_takes_everything_with_it(desk: Desk) -> None:
    child = desk.start(
        "run", "--demo", "x", "--out", "out", "--provider", desk.script(INVOICES, SLOW)
    )
    desk.until(lambda: ledger_has(desk, "done.invoke.observe"))
    os.kill(child.pid, signal.SIGKILL)
    desk.finish(child)
    desk.until(lambda: desk.left_over() == [], seconds=10)
    run = desk.demo("导出本月合规报表")
    assert run.code == 0
    assert list((desk.folder / "data" / "profiles").rglob("Default")) == []


def test_a_killed_host_is_followed_at_once_though_its_agent_still_ends(desk: Desk) -> None:
    child = waiting(desk, call("getText", {"selector": "body"}), {"text": "looked"})
    os.kill(child.pid, signal.SIGKILL)
    [journal] = (desk.folder / "data" / "host").glob("sgclaw-*.jsonl")
    run = desk.run("run", "--resume", journal.stem, "--out", "out")
    assert desk.finish(child).code == -signal.SIGKILL
    assert (run.code, run.result["answer"]) == (0, "looked"), run.stdout + run.stderr

"""Whatever is killed, and whenever: an honest end, and no process left behind (L4, P1)."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.conftest import INVOICES, Desk, Run

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]
SLOW = {"delay_s": 60, "text": "never"}


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
    return any(text in p.read_text() for p in (desk.folder / "data" / "ledger").glob("*.jsonl"))


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


def test_a_browser_killed_while_the_model_thinks_fails_the_task(desk: Desk) -> None:
    script = desk.script(INVOICES, SLOW)
    child = desk.start("run", "--demo", "x", "--out", "out", "--provider", script)
    desk.until(lambda: ledger_has(desk, "done.invoke.observe"))
    for pid in pids(desk, "--remote-debugging-pipe"):
        os.kill(pid, signal.SIGKILL)
    run = desk.finish(child)
    assert (run.code, run.result["reason"]) == (1, "browser_lost")
    assert run.result["path"][-1] == "failed"


def test_a_browser_killed_mid_step_fails_the_task(desk: Desk) -> None:
    run = killed_when_waiting(desk, "--remote-debugging-pipe")
    assert (run.code, run.result["state"]) == (1, "failed")
    assert run.result["reason"] == "browser_lost"


def test_an_agent_killed_mid_step_fails_the_task(desk: Desk) -> None:
    run = killed_when_waiting(desk, "sgclaw", " agent")
    assert (run.code, run.result["reason"]) == (1, "agent_lost")


def killed_when_waiting(desk: Desk, *needles: str) -> Run:
    """Kill what *needles* name while a command waits in the page."""
    wait = {"tool_calls": [{"id": "1", "name": "browser_action", "input": {
        "action": "waitForSelector", "expected_domain": "erp.example.com",
        "params": {"selector": "#never", "timeout_ms": 30000}}}]}  # fmt: skip
    script = desk.script(INVOICES, wait, {"text": "x"})
    child = desk.start("run", "--demo", "x", "--out", "out", "--provider", script)
    desk.until(lambda: ledger_has(desk, "#never"))
    for pid in pids(desk, *needles):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return desk.finish(child)


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

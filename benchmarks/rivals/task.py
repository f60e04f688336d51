"""A task of 20 steps from start to end, and what is left when a side is killed in the middle.

sgclaw runs it as a person would (`sgclaw run` with a scripted model: chart, ledger and all). The
rivals get the same steps from a small client, each followed by the look that their agent takes.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.rivals.pages import write_pages
from benchmarks.rivals.peers import BrowserUsePeer, McpPeer, Peer
from benchmarks.rivals.processes import Process, alive, pss_mib, tree_of
from benchmarks.rivals.steps import served

STEPS = 20
ROUNDS = 3
_POLL_S = 0.02
_GONE_S = 15.0
_KILL_AFTER_S = 3.0
_SGCLAW = Path(sys.executable).parent / "sgclaw"
_PEERS = ("sgclaw", "mcp", "browser_use")


def measure() -> dict[str, float]:
    """Return seconds, CPU seconds and memory of the task, and ms from a kill to no process."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        pages = folder / "pages"
        pages.mkdir()
        write_pages(pages)
        with served(pages) as port:
            for _ in range(ROUNDS):
                for peer in _PEERS:
                    for row, value in _task(peer, folder, port).items():
                        figures[row] = min(value, figures.get(row, value))
            for peer in _PEERS:
                for side in ("tool", "client"):
                    row = f"kill_{side}_to_none_ms.{peer}"
                    figures[row] = _kill(peer, side, folder, port)
    return figures


def _task(peer: str, folder: Path, port: int) -> dict[str, float]:
    """Return what one whole task took."""
    started = time.perf_counter()
    child = _start(peer, folder, port)
    memory = 0.0
    while True:
        pid, status, used = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        memory = max(memory, pss_mib(_tool(peer, child.pid)))
        time.sleep(_POLL_S)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"{peer} ended with {child.returncode}"
    return {
        f"task20_s.{peer}": time.perf_counter() - started,
        f"task20_cpu_s.{peer}": used.ru_utime + used.ru_stime,
        f"memory_mib.{peer}": memory,
    }


def _kill(peer: str, side: str, folder: Path, port: int) -> float:
    """Kill the tool's process, or what drives it, in the middle; return ms until all is gone."""
    child = _start(peer, folder, port, pause_s=0.5)
    time.sleep(_KILL_AFTER_S)
    tree = tree_of(child.pid)
    # A killed agent is started again by its host, unless that is forbidden.
    victim = child.pid if side == "client" else _tool_side(peer, tree)
    os.kill(victim, signal.SIGKILL)
    killed = time.perf_counter()
    rest = tree if side == "client" else [each for each in tree if each.pid != child.pid]
    while alive(rest) and time.perf_counter() - killed < _GONE_S:
        child.poll()
        time.sleep(_POLL_S / 4)
    took = (time.perf_counter() - killed) * 1_000
    for process in alive(tree):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    child.wait()
    return took


def _tool(peer: str, root: int) -> list[Process]:
    """Return the processes of the tool itself: without the browser, without the bench's client."""
    tree = [each for each in tree_of(root) if not each.is_browser]
    return tree if peer == "sgclaw" else [each for each in tree if each.pid != root]


def _tool_side(peer: str, tree: list[Process]) -> int:
    mark = {"sgclaw": " agent", "mcp": "cli.js", "browser_use": "browser_use_side"}[peer]
    return next(each.pid for each in tree if mark in each.command and not each.is_browser)


def _start(peer: str, folder: Path, port: int, pause_s: float = 0.0) -> "subprocess.Popen[bytes]":
    if peer == "sgclaw":
        command = _own_command(folder, port, pause_s)
    else:
        module = [sys.executable, "-m", "benchmarks.rivals.task"]
        command = [*module, peer, str(folder), str(port), str(pause_s)]
    environ = {
        **os.environ,
        "SGCLAW_DATA_DIR": str(folder / "data"),
        "SGCLAW_TASK_RESTARTS_MAX": "0",
    }
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, env=environ, stdin=quiet, stdout=quiet, stderr=quiet)


def _own_command(folder: Path, port: int, pause_s: float) -> list[str]:
    domain = "127.0.0.1"
    rule = {"host": domain, "scheme": "http", "port": port, "allow": ["*"]}
    policy, script = folder / "policy.yaml", folder / "script.jsonl"
    policy.write_text(json.dumps({"version": 1, "hosts": [rule]}), encoding="utf-8")
    lines: list[dict[str, object]] = []
    for number in range(STEPS):
        if pause_s:
            lines.append({"delay_s": pause_s})
        lines.append({"text": "", "tool_calls": [_call(number, domain)]})
    lines.append({"text": "20 steps are done"})
    script.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    url = f"http://{domain}:{port}/small.html"
    out = folder / f"out{time.monotonic_ns()}"
    return [
        str(_SGCLAW), "run", "--provider", f"scripted:{script}", "--policy", str(policy),
        "--url", url, "--out", str(out), "fill and press",
    ]  # fmt: skip


def _call(number: int, domain: str) -> dict[str, object]:
    typing = {"action": "type", "params": {"selector": "#n", "text": f"SO-{number}"}}
    pressing = {"action": "click", "params": {"selector": "#go"}}
    step = typing if number % 2 else pressing
    return {
        "id": str(number),
        "name": "browser_action",
        "input": {**step, "expected_domain": domain},
    }


async def _client(name: str, folder: Path, port: int, pause_s: float) -> None:
    """Drive a rival through the task."""
    peer: Peer = McpPeer(folder) if name == "mcp" else BrowserUsePeer(folder)
    await peer.start()
    await peer.navigate(f"http://127.0.0.1:{port}/small.html")
    await peer.snapshot()
    for number in range(STEPS):
        await asyncio.sleep(pause_s)
        if number % 2:
            await peer.type("n", f"SO-{number}")
        else:
            await peer.click("go")
        await peer.snapshot()
    await peer.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(_client(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
    else:
        for row, value in sorted(measure().items()):
            print(f"{row:<40} {value:10.2f}")

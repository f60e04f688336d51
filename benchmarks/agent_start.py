"""Spawn to ready of the agent, beside a bare Python, interleaved; and what both ends weigh."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 9
SGCLAW = Path(sys.executable).parent / "sgclaw"


def measure() -> dict[str, float]:
    """Return median milliseconds of both, their ratio, and the agent's resident memory."""
    ready_ms, bare_ms, rss = [], [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            took, rss = _ready(folder)
            ready_ms.append(took)
            bare_ms.append(_bare())
    ready, bare = statistics.median(ready_ms), statistics.median(bare_ms)
    return {
        "agent_ready_ms": ready,
        "bare_python_ms": bare,
        "agent_ready_ratio": ready / bare,
        "agent_rss_mib": rss,
    }


def _ready(folder: str) -> tuple[float, float]:
    init = {
        "type": "init", "protocol": 1, "trace_id": "sgclaw-20261129-0123456789abcdef",
        "session_id": "bench-session", "key": "0" * 64, "data_dir": folder,
        "policy": {"version": 1, "hosts": []},
    }  # fmt: skip
    started = time.perf_counter()
    child = subprocess.Popen(
        [str(SGCLAW), "agent"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(init).encode() + b"\n")
    child.stdin.flush()
    line = child.stdout.readline()
    took = 1000 * (time.perf_counter() - started)
    assert b'"ready"' in line, line
    rss = rss_mib(child.pid)
    child.stdin.close()
    child.stdout.close()
    child.wait(10)
    return took, rss


def _bare() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return 1000 * (time.perf_counter() - started)


def rss_mib(pid: int) -> float:
    """Return the resident memory of *pid* in MiB, 0 where /proc is not there."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    for line in text.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0

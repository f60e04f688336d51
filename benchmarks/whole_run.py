"""The demo run as a person starts it: its time, and the memory of host and agent meanwhile."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.agent_start import rss_mib

SGCLAW = Path(sys.executable).parent / "sgclaw"
POLL_S = 0.05


def measure() -> dict[str, float]:
    """Return seconds of one demo run, and the largest memory seen of host and agent (MiB)."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "SGCLAW_DATA_DIR": folder}
        started = time.perf_counter()
        child = subprocess.Popen(
            [str(SGCLAW), "run", "--demo", "导出本月合规报表", "--out", f"{folder}/out"],
            env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        host = agent = 0.0
        while child.poll() is None:
            host = max(host, rss_mib(child.pid))
            agent = max([agent, *(rss_mib(pid) for pid in _agents_of(child.pid))])
            time.sleep(POLL_S)
        assert child.returncode == 0
        took = time.perf_counter() - started
    return {"demo_run_s": took, "host_rss_mib": host, "agent_in_task_rss_mib": agent}


def _agents_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if parent == pid and b"agent" in words:
            found.append(int(entry.name))
    return found

"""Run `sgclaw run` as a subprocess in a folder of its own, and read what it leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SGCLAW = Path(sys.executable).parent / "sgclaw"
RUN_SECONDS = 120


@dataclass
class Run:
    """What a finished run left."""

    code: int
    stdout: str
    stderr: str
    out: Path

    @property
    def result(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.out / "result.json").read_text(encoding="utf-8"))
        return found

    @property
    def ledger(self) -> list[dict[str, Any]]:
        text = (self.out / "ledger.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]


@dataclass
class Desk:
    """A folder with files, and the command line to run there."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def script(self, *replies: dict[str, Any], name: str = "replies.jsonl") -> str:
        lines = "".join(json.dumps(reply, ensure_ascii=False) + "\n" for reply in replies)
        return f"scripted:{self.write(name, lines)}"

    def approvals(self, *decisions: str) -> str:
        lines = "".join(json.dumps({"decision": d}) + "\n" for d in decisions)
        return str(self.write("approvals.jsonl", lines))

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(SGCLAW), *arguments],
            cwd=self.folder, env=self.env, text=True, encoding="utf-8",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip

    def run(self, *arguments: str) -> Run:
        return self.finish(self.start(*arguments))

    def demo(self, instruction: str, *arguments: str) -> Run:
        return self.run("run", "--demo", instruction, "--out", "out", *arguments)

    def finish(self, child: "subprocess.Popen[str]") -> Run:
        try:
            stdout, stderr = child.communicate(timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        return Run(child.returncode, stdout, stderr, self.folder / "out")

    def left_over(self) -> list[str]:
        """Return the command lines of processes that still name this desk's folder."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                environ = (entry / "environ").read_bytes().decode("utf-8", "replace")
            except (OSError, UnicodeDecodeError):
                continue
            if int(entry.name) != os.getpid() and (
                str(self.folder) in words or f"SGCLAW_DATA_DIR={self.folder}" in environ
            ):
                found.append(words)
        return found

    def until(self, reached: Callable[[], bool], seconds: float = 60) -> None:
        ends = time.monotonic() + seconds
        while not reached():
            assert time.monotonic() < ends, "never happened"
            time.sleep(0.02)


def desk_in(folder: Path) -> Desk:
    """Return a desk of its own in *folder*, which is made."""
    folder.mkdir(exist_ok=True)
    env = {**os.environ, "SGCLAW_DATA_DIR": str(folder / "data"), "SGCLAW_LANG": "en"}
    return Desk(folder, env)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = desk_in(tmp_path)
    yield desk
    # No process is left behind, whatever the run met (design section 1).
    desk.until(lambda: desk.left_over() == [], seconds=10)


def call(action: str, params: dict[str, Any], *, id_: str = "1", **more: Any) -> dict[str, Any]:
    """Return one scripted browser_action."""
    wanted = {"action": action, "params": params, "expected_domain": "erp.example.com", **more}
    return {"tool_calls": [{"id": id_, "name": "browser_action", "input": wanted}]}


def skill_call(name: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return one scripted run_skill."""
    return {
        "tool_calls": [{"id": "s", "name": "run_skill", "input": {"name": name, "params": params}}]
    }


INVOICES = call("navigate", {"url": "https://erp.example.com/invoices"})
VOID = call("click", {"selector": "#void-FP0001"})

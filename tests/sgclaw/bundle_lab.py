"""A data folder with runs in its ledger, signed heads and host logs, and a stranger to verify."""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sgclaw.head_log import signing_log
from sgclaw.identity import ledger_spec
from sgclaw.ledgers import open_ledger
from states.settings import AuditLimits

TRACE = "sgclaw-20261129-0123456789abcdef"
OTHER = "sgclaw-20261129-fedcba9876543210"
SECRET_OF_OTHER = "canary-of-the-other-run"
_GOLDEN = Path(__file__).parent.parent / "golden" / "0.1.0"


def golden_rows(name: str, trace: str) -> list[dict[str, Any]]:
    """Return the rows of a real run, as that of *trace*."""
    lines = (_GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [{**json.loads(line), "trace_id": trace} for line in lines]
    return [{k: v for k, v in row.items() if k not in ("v", "seq")} for row in rows]


def with_canary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *rows* with the other run's words in each."""
    return [{**row, "canary": SECRET_OF_OTHER} for row in rows]


class Runs:
    """Ledgers of several runs below *data*, written a row at a time in any order."""

    def __init__(self, data: Path, database: str = "", limits: AuditLimits | None = None) -> None:
        self.data = data
        self._spec = ledger_spec(data).model_copy(update={"database": database})
        self._limits = limits or AuditLimits()
        self._ledgers: dict[str, Any] = {}

    def write(self, trace: str, rows: Iterable[dict[str, Any]], *, signed: bool = True) -> None:
        """Append *rows* to *trace*; have the host sign what it came to then, if *signed*."""
        if trace not in self._ledgers:
            self._ledgers[trace] = open_ledger(self.data, trace, self._spec, self._limits)
        ledger = self._ledgers[trace]
        ledger.append_all(rows, durable=False)
        log = signing_log(self.data)
        for head in ledger.heads() if signed else ():
            assert log.take(head, trace)

    def host_log(self, trace: str, text: str) -> None:
        """Be the host's log of *trace*."""
        path = self.data / "host" / f"{trace}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def close(self) -> None:
        """Close every ledger."""
        for ledger in self._ledgers.values():
            ledger.close()


def two_runs(data: Path, database: str = "") -> None:
    """Leave two runs whose events stand among each other in both chains."""
    runs = Runs(data, database)
    ours, theirs = golden_rows("approved", TRACE), with_canary(golden_rows("looping", OTHER))
    runs.write(OTHER, theirs[:5])
    runs.write(TRACE, ours[:6], signed=False)
    runs.write(OTHER, theirs[5:9], signed=False)
    runs.write(TRACE, ours[6:])
    runs.write(OTHER, theirs[9:])
    runs.host_log(TRACE, "[2026-11-29 08:00:00.000] [sgclaw] [trace:x] CONFIRM: APPROVED\n")
    runs.host_log(OTHER, f"{SECRET_OF_OTHER}\n")
    runs.close()


class Verdict(NamedTuple):
    """What a stranger was told, and how the program ended."""

    code: int
    text: str


def as_stranger(arguments: Sequence[str], folder: Path) -> Verdict:
    """Run Python without this product, any package or any environment."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", *arguments], cwd=folder, env={}, timeout=50,
        capture_output=True, check=False, text=True, encoding="utf-8",
    )  # fmt: skip
    return Verdict(done.returncode, done.stdout + done.stderr)


def verify(bundle: Path) -> Verdict:
    """Have a stranger verify *bundle* with the program in it."""
    return as_stranger(["verify.py"], bundle)

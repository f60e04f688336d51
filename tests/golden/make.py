"""Write the golden ledgers of this version: `python -m tests.golden.make`.

Done once a release, never again for it: from then on each later version must replay them.
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sgclaw import __version__
from statecharts import chart_text
from states.wire import ConfirmRequest
from tests.sgclaw.recorded import REPLIES, host, recorded, rows, write_rows
from tests.sgclaw.task_stage import Answer, Request, TaskStage, asks, call, done, says
from tests.support.ledger_lab import TraceLedger

HERE = Path(__file__).parent
TRACE = "sgclaw-20261129-0123456789abcdef"


def _refusing(request: Request) -> Answer:
    if isinstance(request, ConfirmRequest):
        return says(request.seq, "rejected")
    return asks(request.seq) if getattr(request, "action", "") == "click" else done(request.seq)


async def _run(folder: Path, replies: Sequence[dict[str, Any]], answer: Any) -> TraceLedger:
    stage = TaskStage(folder, replies, answer)
    await stage.run()
    return stage.ledger


async def _resumed(folder: Path) -> TraceLedger:
    """Kill a run in the middle of its approved click, and go on."""
    kept = rows(await recorded(folder / "first"))
    cut = next(n for n, row in enumerate(kept, 1) if row["event"]["type"] == "done.invoke.ask")
    TraceLedger(folder / "second", TRACE).write(kept[:cut])
    stage = TaskStage(folder / "second", REPLIES, host(), "same")
    await stage.run()
    return stage.ledger


CASES: dict[str, Callable[[Path], Any]] = {
    "approved": recorded,
    "refused": lambda folder: _run(
        folder, (call("click", {"selector": "#void"}), {"text": "It was refused."}), _refusing
    ),
    "broken_output": lambda folder: _run(
        folder, ({"raw": "{"}, {"raw": "{"}, {"raw": "{"}), lambda request: done(request.seq)
    ),
    "looping": lambda folder: _run(
        folder, [call("getText", {"selector": "#a"}, str(n)) for n in range(6)],
        lambda request: done(request.seq),
    ),
    "resumed": _resumed,
}  # fmt: skip


def make(into: Path) -> None:
    """Write one ledger for each case, and the chart beside them."""
    into.mkdir()
    (into / "task.yaml").write_text(chart_text("task"), encoding="utf-8")
    for name, case in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            write_rows(into / f"{name}.jsonl", asyncio.run(case(Path(folder))).rows())


if __name__ == "__main__":
    release = HERE / __version__
    if release.exists():
        sys.exit(f"{release.name} is there; the ledgers of a release are never written again")
    make(release)

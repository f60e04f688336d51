"""Prepare `run --resume TRACE`: what was it, how far did it come, and may it go on at all (L8)."""

import re
import time
from pathlib import Path
from typing import Any, NamedTuple

from browser.host.task_memory import NoJournal, TaskMemory
from engine.chart.errors import ReplayError
from memory.errors import LedgerError
from memory.ledger import JsonLinesLedger, read_rows
from sgclaw.errors import RefusedError, UsageError
from sgclaw.paths import host_journal_path, ledger_path
from sgclaw.saved_plan import KIND, saved_in
from sgclaw.task_run import PREFIX, resumable
from states.settings import TaskLimits

TRACE = re.compile(r"sgclaw-\d{8}-[0-9a-f]{8,32}")
_PAUSE_S = 0.05


class Interrupted(NamedTuple):
    """A run that can go on: what it was started with, and the states it went through."""

    saved: dict[str, Any]
    path: tuple[str, ...]


def interrupted_run(data: Path, trace: str, wait_seconds: float) -> Interrupted:
    """Return the run *trace*, for another host to go on with.

    An agent whose host was killed ends by itself; it is waited for at most *wait_seconds*.

    Raises:
        UsageError: there is no such trace, or its task had ended.
        RefusedError: it runs now, its ledger is damaged, or a replay of it comes out differently.
    """
    if not TRACE.fullmatch(trace):
        raise UsageError("trace_malformed", trace=trace)
    journal = host_journal_path(data, trace)
    if not journal.is_file():
        raise UsageError("trace_unknown", trace=trace, folder=journal.parent)
    try:
        saved = _saved(journal, trace)
        _until_free(journal, 0)
        ledger = ledger_path(data, trace)
        if not ledger.is_file():
            return Interrupted(saved, ())
        _until_free(ledger, wait_seconds)
        past = resumable(ledger)
    except (LedgerError, ReplayError) as error:
        raise RefusedError(error.code, **error.facts) from error
    if past.is_over:
        state = past.replayed.snapshot.state
        raise UsageError("resume_ended", trace=trace, state=state)
    # The first state is the task's beginning, which every record of it has.
    path = tuple(leaf.removeprefix(PREFIX) for leaf in past.replayed.path[1:])
    return Interrupted(saved, path)


def _saved(journal: Path, trace: str) -> dict[str, Any]:
    """Return the plan in *journal*, every row of which is one that a host can take up.

    Raises:
        UsageError: there is none; the run was killed before it began.
        LedgerError: a row is damaged.
    """
    saved: dict[str, Any] | None = None
    for row in read_rows(journal):
        try:
            if row.get("kind") == KIND:
                saved = saved or saved_in(row)
            else:
                TaskMemory(TaskLimits(), time.monotonic, NoJournal()).restore([row])
        except (KeyError, ValueError) as error:
            raise LedgerError("ledger_unreadable", path=journal, line=row["seq"]) from error
    if saved is None:
        raise UsageError("trace_unknown", trace=trace, folder=journal.parent)
    return saved


def _until_free(path: Path, seconds: float) -> None:
    """Return when nobody writes *path*.

    Raises:
        LedgerError: somebody still does after *seconds*, or it is damaged.
    """
    ends = time.monotonic() + seconds
    while True:
        try:
            JsonLinesLedger(path).close()
        except LedgerError as error:
            if error.code != "ledger_locked" or time.monotonic() >= ends:
                raise
            time.sleep(_PAUSE_S)
        else:
            return

"""Prepare `run --resume TRACE`: what was it, how far did it come, and may it go on at all (L8).

The rule: what only looks writes nothing. The host's journal stays locked from the first look to
the end of the run that goes on, so that two of them never begin.
"""

import contextlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from browser.host.task_memory import NoJournal, TaskMemory
from engine.chart.errors import ReplayError
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from memory.ledger import JsonLinesLedger
from memory.prune import is_cut
from sgclaw.errors import RefusedError, UsageError
from sgclaw.identity import ledger_spec
from sgclaw.install import install_id
from sgclaw.ledgers import has_rows, open_ledger
from sgclaw.past_run import PREFIX, RESUMED, PastRun, resumable
from sgclaw.paths import database_path, host_journal_path
from sgclaw.saved_plan import KIND, saved_in
from sgclaw.trace import is_trace
from states.policy import REPEATABLE
from states.settings import AuditLimits, TaskLimits
from states.task import Record

_PAUSE_S = 0.05
_ACT = "act"
# After these the record holds the command that was under way; after others the task is over.
_RECORDED = frozenset(
    f"{end}.invoke.{service}" for end in ("done", "error") for service in (_ACT, "skill")
)
_Rows = Sequence[Mapping[str, Any]]


class Interrupted(NamedTuple):
    """A run that can go on: what it was started with, and the states it went through.

    *journal* is the host's, open and locked; whoever takes the run closes it.
    """

    saved: dict[str, Any]
    path: tuple[str, ...]
    journal: JsonLinesLedger


def interrupted_run(data: Path, trace: str, wait_seconds: float) -> Interrupted:
    """Return the run *trace*, for another host to go on with.

    An agent whose host was killed ends by itself; it is waited for at most *wait_seconds*.

    Raises:
        UsageError: there is no such trace, or its task had ended.
        RefusedError: it runs now, its ledger is damaged or misses what the host's journal tells,
            or a replay of it comes out differently.
    """
    if not is_trace(trace):
        raise UsageError("resume_malformed", trace=trace)
    path = host_journal_path(data, trace)
    if not path.is_file():
        raise UsageError("trace_unknown", trace=trace, folder=path.parent)
    with contextlib.ExitStack() as open_files:
        try:
            journal = JsonLinesLedger(path, create=False)
            open_files.callback(journal.close)
            rows = journal.rows()
            saved = _saved(rows, path, trace)
            leaves = _leaves(data, trace, saved, rows, wait_seconds)
        except (LedgerError, ReplayError) as error:
            raise _refused(error, path) from error
        open_files.pop_all()
    return Interrupted(saved, leaves, journal)


def _refused(error: LedgerError | ReplayError, journal: Path) -> RefusedError:
    """Return *error* as a refusal; of the host's journal no copy lies anywhere."""
    damaged = error.code in ("ledger_unreadable", "ledger_gap")
    if damaged and error.facts.get("path") == journal:
        return RefusedError("journal_damaged", path=journal, line=error.facts["line"])
    return RefusedError(error.code, **error.facts)


def _saved(rows: _Rows, journal: Path, trace: str) -> dict[str, Any]:
    """Return the plan in *rows*, each of which is one that a host can take up.

    Raises:
        UsageError: there is none, so the run was killed before it began; or the task had ended.
        LedgerError: a row is damaged.
    """
    saved: dict[str, Any] | None = None
    for row in rows:
        kind = row.get("kind")
        if kind == "ended":
            raise UsageError("resume_ended", trace=trace, state=str(row.get("state", ""))[:20])
        try:
            if kind == KIND:
                saved = saved or saved_in(row)
            else:
                TaskMemory(TaskLimits(), time.monotonic, NoJournal()).restore([row])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise LedgerError("ledger_unreadable", path=journal, line=row["seq"]) from error
    if saved is None:
        raise UsageError("trace_unknown", trace=trace, folder=journal.parent)
    return saved


def _leaves(
    data: Path, trace: str, saved: Mapping[str, Any], rows: _Rows, wait_seconds: float
) -> tuple[str, ...]:
    """Return the states that the ledger in *data* tells, in order.

    Raises:
        UsageError: the task had ended.
        LedgerError: somebody writes the ledger, it is damaged, or it is behind the host's journal.
        ReplayError: a replay of it comes out differently.
    """
    intents = [str(row["command"]["action"]) for row in rows if row.get("kind") == "intent"]
    past = _past(data, trace, saved, wait_seconds)
    intended = sum(action not in REPEATABLE for action in intents)
    known = _known(past) if past is not None else 0
    # Before any intent the agent had written what led to it.
    is_empty = past is None or not past.records
    if intended > known or (intents and is_empty):
        raise LedgerError(
            "ledger_behind",
            path=database_path(data),
            known=known,
            intended=intended or len(intents),
        )
    if past is None:
        return ()
    if past.is_over:
        raise UsageError("resume_ended", trace=trace, state=past.replayed.snapshot.state)
    # The first state is the task's beginning, which every record of it has.
    return tuple(leaf.removeprefix(PREFIX) for leaf in past.replayed.path[1:])


def _past(data: Path, trace: str, saved: Mapping[str, Any], wait_seconds: float) -> PastRun | None:
    if not has_rows(data, trace):
        return None
    ledger = _when_free(data, trace, saved["settings"].audit, wait_seconds)
    try:
        if is_cut(ledger.store, install_id(data), trace):
            raise LedgerError("ledger_pruned", trace=trace)
        return resumable(ledger.rows(), trace, saved["settings"])
    finally:
        ledger.close()


def _known(past: PastRun) -> int:
    """Return how many commands that may act the agent can have sent, as its ledger tells."""
    snapshot = past.replayed.snapshot
    record: Record = snapshot.context.record
    sent = sum(command.action not in REPEATABLE for command in record.commands)
    live = {name for name, _ in snapshot.live}
    under_way = int(_ACT in live and record.request.action not in REPEATABLE)
    # A command may also end unanswered, with the task that had sent it.
    cut_off = sum(
        1
        for row in past.records
        if row.event.type not in (RESUMED, *_RECORDED)
        for effect in row.effects
        if effect[:2] == ["cancel", _ACT]
    )
    return sent + under_way + cut_off


def _when_free(data: Path, trace: str, limits: AuditLimits, seconds: float) -> DatabaseLedger:
    """Return the ledger of *trace*, taken, once nobody writes it.

    Raises:
        LedgerError: somebody still does after *seconds*, or it is damaged.
    """
    ends = time.monotonic() + seconds
    while True:
        try:
            return open_ledger(data, trace, ledger_spec(data), limits)
        except LedgerError as error:
            if error.code != "ledger_locked" or time.monotonic() >= ends:
                raise
            time.sleep(_PAUSE_S)

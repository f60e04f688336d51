"""The model's context as a projection of the ledger: what the next model call is given (M5).

The rules:
1. The same chart, guards and reducers fold the rows, and the same function puts the request
   together as in the live agent (`actions.think.request_of`): there is no second composition.
2. It is pure, and a fold: row by row gives what all at once give, after any row.
3. A row that does not come to what it says itself is refused, and the rows before it stand: a
   model is never given a context that no agent had. Contexts' digests are not compared here;
   that is the replay's business (`sgclaw chart replay`).

The panel's history is the other projection (`memory.projection`). Pictures are not in the
ledger: in their place stands "", as for an agent that goes on after a kill.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from actions.llm.provider import ModelRequest
from actions.think import request_of
from engine.chart.core import Core
from engine.chart.errors import ChartError, ReplayError
from engine.chart.records import recorded_from
from engine.chart.replay import check_chart
from engine.chart.step import Snapshot, Step
from memory.projection import PanelHistory, panel_history
from sgclaw.charts import bindings_of, task_chart, task_table
from states.events import Event
from states.task import Context

__all__ = ["ModelContext", "PanelHistory", "model_context", "panel_history"]


def model_context(rows: Iterable[Mapping[str, Any]]) -> ModelRequest | None:
    """Return what the model would be asked next after *rows*, None before there is a task.

    Raises:
        ReplayError: a row is broken, of another chart version, or does not follow.
    """
    folded = ModelContext()
    for row in rows:
        folded.feed(row)
    return folded.request


class ModelContext:
    """The context of one trace so far; `feed` it each row in its order."""

    def __init__(self) -> None:
        self._core = _core()
        self._snapshot = self._core.initial(Context())
        self._trace_id = ""

    @property
    def context(self) -> Context:
        """Return the task's context after the rows so far."""
        found: Context = self._snapshot.context
        return found

    @property
    def request(self) -> ModelRequest | None:
        """Return what the model is asked next, None before there is a task."""
        record = self.context.record
        if not record.conversation:
            return None
        return request_of(record, self._trace_id, record.language, {})

    def feed(self, row: Mapping[str, Any]) -> None:
        """Take the next row.

        Raises:
            ReplayError: it is broken, of another trace or chart, or does not follow. The context
                stays that of the rows before.
        """
        record = recorded_from(row)
        check_chart(self._core, record)
        trace = str(row.get("trace_id", ""))
        if self._trace_id and trace != self._trace_id:
            raise ReplayError(
                "replay_other_trace", seq=record.seq, theirs=trace[:60], ours=self._trace_id
            )
        result, step = _fed(self._core, self._snapshot, record.event)
        came = (result, step.path, step.snapshot.state)
        if came != (record.result, record.path, record.state):
            raise ReplayError("replay_differs", seq=record.seq, part="path")
        self._trace_id, self._snapshot = trace, step.snapshot


def _fed(core: Core, snapshot: Snapshot, event: Event) -> tuple[str, Step]:
    """Return what *event* does; when a guard or reducer fails, it is faulted and does nothing."""
    try:
        step = core.feed(snapshot, event)
    except ChartError:
        return "faulted", Step(snapshot)
    return step.result, step


@cache
def _core() -> Core:
    """Return the task's core; what its timers are set to is no part of a context."""
    return Core(task_chart(), task_table(), bindings_of("task"))

"""The two projections of a ledger are what the live agent asked the model, and told the panel."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions.llm.chunks import Hear, nobody
from actions.llm.provider import ModelRequest, Provider
from actions.think import request_of
from engine.chart.errors import ReplayError
from sgclaw.projection import ModelContext, model_context, panel_history
from states.messages import ModelTurn
from states.task import Context
from states.wire import ConfirmRequest
from tests.memory.walks import TRACE, Walked, walk
from tests.sgclaw.recorded import REPLIES, host
from tests.sgclaw.task_stage import TaskStage, asks, call, done, says
from tests.sgclaw.told import check_panel, struck

WALKS = st.lists(st.integers(min_value=0, max_value=2**40), max_size=40).map(walk)


# --- the model's context


@settings(max_examples=60, deadline=None)
@given(WALKS)
def test_after_each_row_the_context_is_that_of_the_live_agent(walked: Walked) -> None:
    folded = ModelContext()
    for row, snapshot in zip(walked.rows, walked.snapshots, strict=True):
        folded.feed(row)
        live: Context = snapshot.context
        asked = request_of(live.record, TRACE, live.record.language, {})
        assert struck(folded.request) == struck(asked)
        assert folded.context.control == live.control


@settings(max_examples=40, deadline=None)
@given(WALKS)
def test_row_by_row_and_all_at_once_give_the_same_context_each_time(walked: Walked) -> None:
    folded = ModelContext()
    for number, row in enumerate(walked.rows, start=1):
        folded.feed(row)
        if number % 5 == 0 or number == len(walked.rows):
            assert folded.request == model_context(walked.rows[:number])
    assert model_context(walked.rows) == model_context(iter(walked.rows))


def test_before_the_first_row_there_is_nothing_to_ask() -> None:
    assert model_context(()) is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda row: row.update(state="active.confirm"), "replay_differs"),
        (lambda row: row["event"].update(type="abort"), "replay_differs"),
        (lambda row: row.update(trace_id="sgclaw-20261129-00"), "replay_other_trace"),
        (lambda row: row.update(chart_sha256="0" * 64), "replay_other_chart"),
        (lambda row: row.pop("verdicts"), "replay_row"),
    ],
)
def test_a_row_that_does_not_follow_is_refused_and_the_rows_before_stand(
    change: Callable[[Any], Any], code: str
) -> None:
    rows = walk([1, 2 * 16, 3 * 16 + 1]).rows
    folded = ModelContext()
    folded.feed(rows[0])
    before = folded.request
    change(rows[1])
    with pytest.raises(ReplayError) as refused:
        folded.feed(rows[1])
    assert refused.value.code == code
    assert folded.request == before is not None


# --- both, on runs of the real task code


class Heard:
    """A provider that notes what it was asked, and after how many rows."""

    def __init__(self, inner: Provider, rows: Callable[[], int]) -> None:
        self.name = inner.name
        self.runs_lists = inner.runs_lists
        self.asked: list[tuple[int, ModelRequest]] = []
        self._inner, self._rows = inner, rows

    def skip(self, calls: int) -> None:
        self._inner.skip(calls)

    async def close(self) -> None:
        await self._inner.close()

    async def complete(self, request: ModelRequest, hear: Hear = nobody) -> ModelTurn:
        self.asked.append((self._rows(), request))
        return await self._inner.complete(request, hear)


def refusing(request: Any) -> Any:
    if isinstance(request, ConfirmRequest):
        return says(request.seq, "rejected")
    return asks(request.seq) if getattr(request, "action", "") == "click" else done(request.seq)


def failing(request: Any) -> Any:
    return done(request.seq).model_copy(update={"success": False})


SKILL = {
    "tool_calls": [{"id": "s", "name": "run_skill", "input": {"name": "erp-export", "params": {}}}]
}
LOGIN = call("navigate", {"url": "https://elsewhere.example.net/?token=canary"}, "n")
RUNS: dict[str, tuple[Any, Any]] = {
    "approved": (REPLIES, host()),
    "rejected": ((call("click", {"selector": "#void"}), {"text": "It was refused."}), refusing),
    "refused twice": ([call("click", {"selector": "#void"}, str(n)) for n in range(3)], refusing),
    "broken output": (({"raw": "{"}, {"raw": "{"}, {"raw": "{"}), lambda r: done(r.seq)),
    "loop": ([call("getText", {"selector": "#a"}, str(n)) for n in range(6)],
             lambda r: done(r.seq)),
    "breaker": ([call("getText", {"selector": f"#a{n}"}, str(n)) for n in range(7)], failing),
    "policy": ((LOGIN, {"text": "I may not open it."}), lambda r: done(r.seq)),
    "no skill": ((SKILL, {"text": "There is no such skill."}), lambda r: done(r.seq)),
    "model gone": ((call("getText", {}, "1"),), lambda r: done(r.seq)),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
async def test_of_a_run_the_ledger_gives_what_model_and_panel_were_given(
    name: str, tmp_path: Path
) -> None:
    stage = TaskStage(tmp_path, *RUNS[name])
    ports: Any = stage.task._ports
    heard = ports.provider = Heard(ports.provider, lambda: stage.task.ledger.seq)
    end = await stage.run()
    rows = stage.ledger.rows()
    assert heard.asked
    for number, request in heard.asked:
        assert struck(model_context(rows[:number])) == struck(request)
    check_panel(rows, stage.states, end)


async def test_a_resumed_run_tells_both_lives(tmp_path: Path) -> None:
    first = TaskStage(tmp_path / "first", REPLIES, host())
    await first.run()
    kept = first.ledger.rows()
    cut = next(n for n, row in enumerate(kept, 1) if row["event"]["type"] == "done.invoke.ask")
    second = TaskStage(tmp_path / "second", REPLIES, host(), "")
    second.task.ledger.close()
    second.ledger.write(kept[:cut])
    second = TaskStage(tmp_path / "second", REPLIES, host(), "same")
    end = await second.run()
    rows = second.ledger.rows()
    told = [change for change in first.states if change.elapsed_ms >= 0][: _leaves(kept[:cut])]
    check_panel(rows, [*told, *second.states], end)
    kinds = [item.kind for item in panel_history(rows)]
    assert kinds.count("resumed") == 1
    assert [i.status for i in panel_history(rows) if i.action == "click" and i.kind == "step"] == [
        "unknown"
    ]


def _leaves(rows: list[dict[str, Any]]) -> int:
    return sum(len(row["path"]) for row in rows)

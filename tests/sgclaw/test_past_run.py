"""A ledger comes to the same run again, and whatever is changed in it shows (L8)."""

from pathlib import Path
from typing import Any

import pytest

from engine.chart.core import Core
from engine.chart.errors import ReplayError
from engine.chart.records import document_of
from engine.chart.shell import JournalEntry
from memory.errors import LedgerError
from memory.ledger import read_rows
from sgclaw.charts import bindings_of, load_named, table_of, wiring_of
from sgclaw.context_digest import ContextDigest
from sgclaw.past_run import past_run, resumable
from states.errors import SgclawError
from states.events import Event
from states.settings import Settings, TaskLimits
from tests.sgclaw.recorded import recorded, rows, write_rows
from tests.sgclaw.task_stage import TRACE


async def test_a_whole_run_comes_out_the_same(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    past = past_run(kept)
    assert past.replayed.difference is None
    assert past.replayed.events == len(kept)
    assert past.is_over
    assert past.replayed.path[-1] == "completed"
    assert past.replayed.snapshot.context.record.answer == "The invoice is void."


async def test_every_beginning_of_a_run_comes_out_the_same_and_is_not_over(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    for count in range(len(kept)):
        past = past_run(kept[:count])
        assert (past.replayed.difference, past.replayed.events) == (None, count)
        assert not past.is_over


def _change(row: dict[str, Any], path: str, value: Any) -> None:
    *keys, last = path.split(".")
    at: Any = row
    for key in keys:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[int(last) if isinstance(at, list) else last] = value


@pytest.mark.parametrize(
    ("path", "value", "part"),
    [
        ("result", "ignored", "result"),
        ("result", "faulted", "result"),
        ("state", "completed", "state"),
        ("path", [], "path"),
        ("verdicts.0.allowed", True, "verdicts"),
        ("verdicts.0.reason", "loop", "verdicts"),
        ("effects", [], "effects"),
        ("context_sha256", "0" * 64, "context"),
        ("event.payload.effect", "deny", "path"),
        ("event.payload.record.turn.text", "another plan", "context"),
        ("event.generation", 99, "result"),
        ("event.type", "abort", "result"),
    ],
)
async def test_each_part_of_a_row_that_is_edited_is_found(
    tmp_path: Path, path: str, value: Any, part: str
) -> None:
    kept = rows(await recorded(tmp_path))
    assert kept[1]["event"]["type"] == "done.invoke.plan"
    _change(kept[1], path, value)
    difference = past_run(kept).replayed.difference
    assert difference is not None
    assert (difference.seq, difference.part) == (2, part)
    with pytest.raises(ReplayError, match="row 2"):
        resumable(kept, TRACE, Settings())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("kind", "note"),
        ("event", None),
        ("event.payload", "x"),
        ("event.generation", "one"),
        ("result", "perhaps"),
        ("path", None),
        ("chart_sha256", "0" * 64),
        ("chart", "another"),
    ],
)
async def test_a_row_that_is_no_record_of_this_chart_is_refused(
    tmp_path: Path, path: str, value: Any
) -> None:
    kept = rows(await recorded(tmp_path))
    _change(kept[3], path, value)
    with pytest.raises(ReplayError, match=r"[Rr]ow 4"):
        past_run(kept)


async def test_a_row_without_its_context_digest_is_refused(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    del kept[2]["context_sha256"]
    with pytest.raises(ReplayError, match="Row 3"):
        past_run(kept)


async def test_the_time_between_a_kill_and_going_on_does_not_count(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    for number, row in enumerate(kept):
        row["at"] = f"2026-11-29T10:00:{number:02}.000+00:00"
    assert past_run(kept).seconds == len(kept) - 1
    resumed = {**kept[2], "event": {"type": "resumed", "payload": {}, "generation": None}}
    resumed |= {"seq": 3, "at": "2026-11-30T10:00:00.000+00:00"}
    past = past_run(kept[:2])
    assert past.seconds == 1
    later = [*past.records, past.records[1]._replace(at="2026-11-30T08:00:00+00:00")]
    later[2] = later[2]._replace(event=later[2].event._replace(type="resumed"))
    assert past._replace(records=tuple(later)).seconds == 1


async def test_the_delays_a_run_was_set_to_are_read_from_it(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    [timer] = [e for e in kept[0]["effects"] if "task_seconds" in str(e[1])]
    timer[2] = 5.0
    past = past_run(kept)
    assert past.replayed.difference is None


async def test_with_its_settings_an_edited_timer_is_a_difference(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    assert resumable(kept, TRACE, Settings()).is_over
    for row in kept:
        for effect in row["effects"]:
            if effect[0] == "timer" and effect[1].endswith("task_seconds"):
                effect[2] = 1e9
    assert past_run(kept).replayed.difference is None
    difference = past_run(kept, settings=Settings()).replayed.difference
    assert difference is not None
    assert (difference.seq, difference.part) == (1, "effects")
    with pytest.raises(ReplayError, match="row 1"):
        resumable(kept, TRACE, Settings())
    set_so = Settings(task=TaskLimits(task_seconds=1e9))
    assert resumable(kept, TRACE, set_so).is_over


@pytest.mark.parametrize("seconds", [10**400, -1, True, "900", None, float("inf"), float("nan")])
async def test_a_timer_without_seconds_is_a_broken_row(tmp_path: Path, seconds: Any) -> None:
    kept = rows(await recorded(tmp_path))
    [timer] = [effect for effect in kept[0]["effects"] if effect[0] == "timer"][:1]
    timer[2] = seconds
    with pytest.raises(ReplayError, match="Row 1"):
        past_run(kept)
    assert past_run(kept, settings=Settings()).replayed.difference is not None


async def test_the_rows_are_of_one_trace_and_of_the_one_that_is_wanted(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    other = TRACE[:-1] + "0"
    assert past_run(kept, TRACE).is_over
    with pytest.raises(ReplayError, match="another run") as caught:
        past_run(kept, other)
    assert caught.value.facts["seq"] == 1
    kept[4]["trace_id"] = other
    with pytest.raises(ReplayError, match=r"Row 5 .* another run"):
        past_run(kept)
    del kept[4]["trace_id"]
    with pytest.raises(ReplayError, match="Row 5"):
        past_run(kept)


@pytest.mark.parametrize("version", [99, 0, "1", True, None])
async def test_a_row_of_another_format_is_refused(tmp_path: Path, version: Any) -> None:
    kept = rows(await recorded(tmp_path))
    kept[3]["v"] = version
    with pytest.raises(ReplayError, match=r"Row 4 .* format 1"):
        past_run(kept)


async def test_a_time_that_is_none_is_refused_at_once(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    kept[2]["at"] = "yesterday"
    with pytest.raises(ReplayError, match="Row 3"):
        past_run(kept)


@pytest.mark.parametrize(
    ("levels", "error"), [(40, None), (150, None), (300, ReplayError), (900, ReplayError),
                          (100_000, LedgerError)]
)  # fmt: skip
async def test_however_deep_a_row_is_it_is_a_difference_or_refused(
    tmp_path: Path, levels: int, error: type[SgclawError] | None
) -> None:
    kept = rows(await recorded(tmp_path))
    [answered, *_] = [row for row in kept if row["event"]["type"] == "done.invoke.act"]
    answered["event"]["payload"]["record"]["result"]["data"] = {"a": "DEEP"}
    deep = '{"a":' * levels + "1" + "}" * levels
    path = write_rows(tmp_path / "deep.jsonl", kept)
    path.write_text(path.read_text(encoding="utf-8").replace('"DEEP"', deep), encoding="utf-8")
    if error is None:
        assert past_run(list(read_rows(path))).replayed.difference is not None
    else:
        with pytest.raises(error):
            past_run(list(read_rows(path)))


async def test_another_charts_ledger_is_no_task_to_go_on_with(tmp_path: Path) -> None:
    kept = [erp_row()]
    assert past_run(kept).replayed.difference is None
    with pytest.raises(ReplayError) as caught:
        resumable(kept, TRACE, Settings())
    assert caught.value.code == "replay_other_chart"


def erp_row() -> dict[str, Any]:
    """Return the first row of a prepared ERP change, under the trace of a task."""
    core = Core(load_named("erp_write"), table_of("erp_write"), bindings_of("erp_write"))
    event = Event("no_such_event")
    snapshot = core.initial(wiring_of("erp_write").context())
    step = core.feed(snapshot, event)
    entry = JournalEntry(
        event, step.result, step.snapshot.state, step.path, step.verdicts, step.effects,
        core.chart.id, core.chart.sha256, step.snapshot.context,
    )  # fmt: skip
    return {
        "v": 1, "seq": 1, "at": "2026-11-29T00:00:00+00:00", "trace_id": TRACE, "kind": "event",
        **document_of(entry), "context_sha256": ContextDigest()(step.snapshot.context),
    }  # fmt: skip

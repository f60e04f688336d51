"""A ledger comes to the same run again, and whatever is changed in it shows (L8)."""

from pathlib import Path
from typing import Any

import pytest

from engine.chart.errors import ReplayError
from sgclaw.past_run import past_run
from sgclaw.task_run import resumable
from tests.sgclaw.recorded import recorded, rows, write_rows


async def test_a_whole_run_comes_out_the_same(tmp_path: Path) -> None:
    path = await recorded(tmp_path)
    past = past_run(path)
    assert past.replayed.difference is None
    assert past.replayed.events == len(rows(path))
    assert past.is_over
    assert past.replayed.path[-1] == "completed"
    assert past.replayed.snapshot.context.record.answer == "The invoice is void."


async def test_every_beginning_of_a_run_comes_out_the_same_and_is_not_over(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    for count in range(len(kept)):
        past = past_run(write_rows(tmp_path / "cut.jsonl", kept[:count]))
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
    difference = past_run(write_rows(tmp_path / "edited.jsonl", kept)).replayed.difference
    assert difference is not None
    assert (difference.seq, difference.part) == (2, part)
    with pytest.raises(ReplayError, match="row 2"):
        resumable(tmp_path / "edited.jsonl")


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
        past_run(write_rows(tmp_path / "broken.jsonl", kept))


async def test_a_row_without_its_context_digest_is_refused(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    del kept[2]["context_sha256"]
    with pytest.raises(ReplayError, match="Row 3"):
        past_run(write_rows(tmp_path / "broken.jsonl", kept))


async def test_the_time_between_a_kill_and_going_on_does_not_count(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    for number, row in enumerate(kept):
        row["at"] = f"2026-11-29T10:00:{number:02}.000+00:00"
    path = write_rows(tmp_path / "timed.jsonl", kept)
    assert past_run(path).seconds == len(kept) - 1
    resumed = {**kept[2], "event": {"type": "resumed", "payload": {}, "generation": None}}
    resumed |= {"seq": 3, "at": "2026-11-30T10:00:00.000+00:00"}
    past = past_run(write_rows(path, kept[:2]))
    assert past.seconds == 1
    later = [*past.records, past.records[1]._replace(at="2026-11-30T08:00:00+00:00")]
    later[2] = later[2]._replace(event=later[2].event._replace(type="resumed"))
    assert past._replace(records=tuple(later)).seconds == 1


async def test_the_delays_a_run_was_set_to_are_read_from_it(tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    [timer] = [e for e in kept[0]["effects"] if "task_seconds" in str(e[1])]
    timer[2] = 5.0
    past = past_run(write_rows(tmp_path / "short.jsonl", kept))
    assert past.replayed.difference is None

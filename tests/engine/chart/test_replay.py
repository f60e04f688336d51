"""The journal of a shell, fed to a fresh core, comes to the same run; a change of it does not."""

from typing import Any

import pytest

from engine.chart.errors import ReplayError
from engine.chart.records import NESTING_MAX, document_of, recorded_from
from engine.chart.replay import Comparison, Replayed, replay
from engine.chart.shell import JournalEntry
from tests.engine.chart.errand import Errand, at_once, faulty_core
from tests.engine.chart.sample import Loan, sample_core

BY = Comparison(digest=repr, strike=lambda document: document)


def rows_of(entries: list[JournalEntry]) -> list[dict[str, Any]]:
    return [
        {"seq": seq, "kind": "event", **document_of(entry), "context_sha256": repr(entry.context)}
        for seq, entry in enumerate(entries, start=1)
    ]


def again(errand: Errand, rows: list[dict[str, Any]]) -> Replayed:
    return replay(errand.core, Loan(), [recorded_from(row) for row in rows], BY)


async def ran(*posts: str) -> Errand:
    errand = Errand({"send_command": at_once, "work": at_once, "read_aloud": at_once})
    await errand.run("submit", *posts)
    return errand


@pytest.mark.parametrize(
    "posts",
    [("approve",), ("count", "count", "approve"), ("chat", "approve", "approve"), ("abort",),
     ("nonsense", "rest", "chat", "abort")],
)  # fmt: skip
async def test_what_a_shell_journaled_comes_out_the_same(posts: tuple[str, ...]) -> None:
    errand = await ran(*posts)
    found = again(errand, rows_of(errand.diary.entries))
    assert found.difference is None
    assert found.events == len(errand.diary.entries)
    assert found.snapshot == errand.shell.snapshot
    assert list(found.path) == ["idle", *errand.diary.path()]


async def test_a_reducer_that_failed_is_replayed_as_failed() -> None:
    errand = Errand(core=faulty_core(reducer=True))
    await errand.run("submit", "count")
    rows = rows_of(errand.diary.entries)
    assert "faulted" in [row["result"] for row in rows]
    assert again(errand, rows).difference is None
    next(row for row in rows if row["result"] == "faulted")["result"] = "handled"
    difference = again(errand, rows).difference
    assert difference is not None
    assert (difference.part, difference.replayed) == ("result", "faulted")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("path", ["open"]),
        ("state", "open"),
        ("verdicts", ["a lie"]),
        ("effects", [["start", "work", "work", 9, "open"]]),
        ("context_sha256", "0" * 64),
    ],
)
async def test_a_row_that_failed_is_held_against_the_replay_in_every_part(
    part: str, value: Any
) -> None:
    errand = Errand(core=faulty_core(reducer=True))
    await errand.run("submit", "count")
    rows = rows_of(errand.diary.entries)
    faulted = next(row for row in rows if row["result"] == "faulted")
    assert faulted[part] != value
    faulted[part] = value
    difference = again(errand, rows).difference
    assert difference is not None
    assert (difference.seq, difference.part) == (faulted["seq"], part.removesuffix("_sha256"))


@pytest.mark.parametrize("error", [RecursionError, ValueError, OverflowError, TypeError, KeyError])
async def test_a_context_that_has_no_digest_is_a_broken_row(error: type[Exception]) -> None:
    errand = await ran("approve")

    def digest(_: Any) -> str:
        raise error

    records = [recorded_from(row) for row in rows_of(errand.diary.entries)]
    with pytest.raises(ReplayError, match="Row 1"):
        replay(errand.core, Loan(), records, BY._replace(digest=digest))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("event.generation", True),
        ("event.type", 5),
        ("result", ["handled"]),
        ("seq", 1e400),
        ("state", None),
        ("path", "idle"),
        ("verdicts", {}),
        ("effects", "none"),
        ("kind", [["event"]]),
        ("at", 7),
    ],
)
async def test_a_part_of_another_kind_is_a_broken_row(path: str, value: Any) -> None:
    [row, *_] = rows_of((await ran("approve")).diary.entries)
    recorded_from(row)
    *outer, last = path.split(".")
    (row[outer[0]] if outer else row)[last] = value
    with pytest.raises(ReplayError, match="Row"):
        recorded_from(row)


@pytest.mark.parametrize("levels", [NESTING_MAX, 50_000])
async def test_a_row_that_nests_without_end_is_broken(levels: int) -> None:
    [row, *_] = rows_of((await ran("approve")).diary.entries)
    for place in ("payload", "verdicts"):
        deep: Any = {}
        for _ in range(levels):
            deep = {"a": [deep]}
        broken = {**row, "event": {**row["event"]}}
        (broken["event"] if place == "payload" else broken)[place] = (
            deep if place == "payload" else [deep]
        )
        with pytest.raises(ReplayError, match="nests"):
            recorded_from(broken)


async def test_a_row_that_is_left_out_or_told_twice_is_found() -> None:
    errand = await ran("count", "approve")
    rows = rows_of(errand.diary.entries)
    assert again(errand, [*rows[:1], *rows[2:]]).difference is not None
    twice = again(errand, [*rows[:2], *rows[1:]]).difference
    assert twice is not None
    assert twice.part == "context"  # counted once more


async def test_another_chart_is_refused_at_its_first_row() -> None:
    errand = await ran("approve")
    rows = rows_of(errand.diary.entries)
    other = sample_core("order")
    with pytest.raises(ReplayError, match="version"):
        replay(other, Loan(), [recorded_from(row) for row in rows], BY)
    rows[2]["chart_sha256"] = "0" * 64
    with pytest.raises(ReplayError, match="Row 3"):
        again(errand, rows)

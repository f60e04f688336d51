"""Every ledger of a release replays: under its own chart, and through today's."""

from pathlib import Path

import pytest

from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.load import load_chart
from engine.chart.records import Recorded, effects_of
from engine.chart.replay import Comparison, Replayed, replay
from memory.ledger import read_rows
from sgclaw.charts import bindings_of, load_named, names_of, table_of
from sgclaw.context_digest import ContextDigest
from sgclaw.past_run import records_of
from states.secrets import strike_all
from states.task import Context
from tests.golden.make import CASES

HERE = Path(__file__).parent
LEDGERS = sorted(HERE.glob("*/*.jsonl"))
# A ledger that today's chart takes another way, with the reason: `release/name` -> why.
CHANGED: dict[str, str] = {}


def by() -> Comparison:
    return Comparison(ContextDigest(), lambda document: strike_all(document, by_key=False))


def released(path: Path) -> tuple[Core, tuple[Recorded, ...]]:
    """Return today's guards and reducers on the chart of the release, and the ledger."""
    text = (path.parent / "task.yaml").read_text(encoding="utf-8")
    chart = load_chart(text, source=f"{path.parent.name}/task.yaml", names=names_of("task"))
    return Core(chart, compile_table(chart), bindings_of("task")), records_of(read_rows(path))


def through_today(records: tuple[Recorded, ...]) -> tuple[list[str], list[list[object]]]:
    """Return the path and the effects that today's chart makes of the same events."""
    core = Core(load_named("task"), table_of("task"), bindings_of("task"))
    snapshot, path, effects = core.initial(Context()), [core.initial(Context()).state], []
    for record in records:
        step = core.feed(snapshot, record.event)
        snapshot = step.snapshot
        path += step.path
        effects += effects_of(step.effects)
    return path, effects


def test_there_are_golden_ledgers_of_every_case() -> None:
    releases = {path.parent.name for path in LEDGERS}
    assert releases
    for release in releases:
        assert {path.stem for path in LEDGERS if path.parent.name == release} == set(CASES)


@pytest.mark.parametrize("path", LEDGERS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_released_ledger_replays_under_its_own_chart(path: Path) -> None:
    core, records = released(path)
    found = replay(core, Context(), records, by())
    assert found.difference is None
    assert core.is_final(found.snapshot)


@pytest.mark.parametrize("path", LEDGERS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_todays_chart_takes_a_released_ledger_the_same_way(path: Path) -> None:
    records = released(path)[1]
    told = ["idle", *(leaf for record in records for leaf in record.path)]
    effects = [effect for record in records for effect in record.effects]
    same = through_today(records) == (told, effects)
    assert same != (f"{path.parent.name}/{path.stem}" in CHANGED)


def test_a_golden_ledger_that_was_touched_is_found(tmp_path: Path) -> None:
    def first_difference(text: str) -> Replayed:
        (tmp_path / "x.jsonl").write_text(text, encoding="utf-8")
        core, _ = released(LEDGERS[0])
        return replay(core, Context(), records_of(read_rows(tmp_path / "x.jsonl")), by())

    text = LEDGERS[0].read_text(encoding="utf-8")
    assert first_difference(text).difference is None
    assert first_difference(text.replace("#void", "#vold")).difference is not None

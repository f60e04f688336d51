"""When the host is told what the ledger has come to: every N rows, T seconds, and at the end."""

from pathlib import Path

from pydantic import BaseModel

from sgclaw.ledger_heads import HeadWatch
from sgclaw.paths import database_path
from states.ledger_head import Head
from states.settings import AuditLimits
from states.wire import LedgerHead, TaskCompleted
from tests.sgclaw.recorded import REPLIES, host
from tests.sgclaw.task_stage import TaskStage
from tests.support.store_lab import outside


class Told:
    """A watch over a chain that grows by one with each row; `positions` is what was told."""

    def __init__(self, **limits: float) -> None:
        self.now, self.end = 0.0, 0
        self.sent: list[BaseModel] = []
        self.watch = HeadWatch(
            self._heads, self.sent.append, lambda: self.now, AuditLimits.model_validate(limits)
        )

    def _heads(self) -> tuple[Head, ...]:
        return (Head("i", "operation", self.end, "a" * 64, "sha256"),)

    def row(self, *, durable: bool) -> None:
        self.end += 1
        self.watch.appended(durable=durable)

    @property
    def positions(self) -> list[int]:
        return [head.position for head in self.sent if isinstance(head, LedgerHead)]


def test_the_first_row_of_a_task_is_told_so_that_none_is_ever_without_a_head() -> None:
    told = Told()
    assert told.watch.is_due()
    told.row(durable=True)
    assert told.positions == [1]
    assert not told.watch.is_due()


def test_every_n_rows_the_next_must_be_durable_and_is_told() -> None:
    told = Told(head_events_max=3)
    told.row(durable=True)
    for _ in range(2):
        assert not told.watch.is_due()
        told.row(durable=True)
    assert told.watch.is_due()
    told.row(durable=True)
    assert told.positions == [1, 4]
    assert not told.watch.is_due()


def test_after_t_seconds_too() -> None:
    told = Told(head_seconds_max=5)
    told.row(durable=True)
    told.now = 4.9
    told.row(durable=True)
    assert told.positions == [1]
    told.now = 5.0
    assert told.watch.is_due()
    told.row(durable=True)
    assert told.positions == [1, 3]


def test_a_row_that_a_power_cut_may_take_is_not_told_of() -> None:
    told = Told(head_events_max=1)
    told.row(durable=False)
    assert told.positions == []
    assert told.watch.is_due()
    told.row(durable=True)
    assert told.positions == [2]


def test_what_was_told_is_not_told_again() -> None:
    told = Told()
    told.row(durable=True)
    told.watch.tell()
    told.watch.tell()
    assert told.positions == [1]


async def test_at_its_end_a_task_tells_all_that_its_ledger_holds(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path, REPLIES, host())
    await stage.run()
    told = [m for m in stage.sent if isinstance(m, LedgerHead)]
    ends = outside(
        database_path(tmp_path), "SELECT stream, max(position) FROM event GROUP BY stream"
    )
    assert {head.stream: head.position for head in told} == dict(ends)
    assert dict(ends).keys() == {"operation", "model"}
    assert isinstance(stage.sent[-1], TaskCompleted)

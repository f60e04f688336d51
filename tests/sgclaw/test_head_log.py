"""The host signs what the ledger holds, and no other word of its agent."""

from pathlib import Path

import pytest

from sgclaw.head_log import open_head_log
from states.ledger_head import Head
from tests.support.ledger_lab import TraceLedger

TRACE = "sgclaw-20261129-0123456789abcdef"
NOTE = {"kind": "note"}


def head_of(data: Path) -> Head:
    """Return what a ledger of two rows comes to."""
    ledger = TraceLedger(data, TRACE).open()
    ledger.append_all((NOTE, NOTE), durable=True)
    [head] = ledger.heads()
    ledger.close()
    return head


def test_what_the_ledger_holds_is_signed(tmp_path: Path) -> None:
    head = head_of(tmp_path)
    heads = open_head_log(tmp_path)
    assert heads.take(head, TRACE)
    assert (heads.failure, heads.refused) == ("", None)
    assert heads.path.read_text("utf-8").count(head.hash) == 1


@pytest.mark.parametrize(
    "changes", [{"position": 2**53 - 1}, {"position": 1}, {"hash": "0" * 64}, {"stream": "model"}]
)
def test_what_it_does_not_hold_is_refused_and_spoils_nothing(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    head = head_of(tmp_path)
    made_up = head._replace(**changes)  # type: ignore[arg-type]
    heads = open_head_log(tmp_path)
    assert not heads.take(made_up, TRACE)
    assert heads.refused == made_up
    assert heads.take(head, TRACE)


def test_a_ledger_that_cannot_be_read_is_told_as_such(tmp_path: Path) -> None:
    head = head_of(tmp_path)
    heads = open_head_log(tmp_path)
    ledger = TraceLedger(tmp_path, TRACE)
    ledger.remove()
    ledger.file.write_bytes(b"no database" * 100)
    assert not heads.take(head, TRACE)
    assert "no ledger" in heads.failure
    assert heads.refused is None


def test_a_ledger_that_is_opened_again_knows_what_it_came_to(tmp_path: Path) -> None:
    head = head_of(tmp_path)
    again = TraceLedger(tmp_path, TRACE).open()
    assert again.heads() == (head,)
    again.close()

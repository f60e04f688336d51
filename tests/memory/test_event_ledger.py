"""A ledger gives back exactly what was appended, each row chained to the one before it."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory.chain import Owner
from memory.database import Store, open_store
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from memory.reader import has_trace, texts_of
from tests.support.store_lab import (
    OWNER,
    TRACE,
    a_row,
    broken_links,
    ledger_in,
    outside,
    records,
    stored,
)

ODD_TEXTS = {
    "a lone surrogate": "a\ud800b\udfffc",
    "a lone surrogate behind a backslash": "\\\ud800\\\\\udc00",
    "a NUL": "a\x00b",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x80\x9f\u2028",
    "emoji": "👩‍👩‍👧‍👦🇨🇳",
    "Chinese": "导出本月合规报表",
    "escapes that are text": "\\u0000 \\ud800 %s ? :name $1 {x}",
    "quotes and ends of statements": "'; DROP TABLE event; -- \" `",
}


def test_rows_come_back_as_they_were_appended(store: Store) -> None:
    ledger = ledger_in(store)
    rows = [a_row(number) for number in range(5)]
    for row in rows[:2]:
        ledger.append(row, durable=True)
    ledger.append_all(rows[2:], durable=False)
    expected = [{"v": 1, "seq": seq, **row} for seq, row in enumerate(rows, start=1)]
    assert ledger.rows() == expected
    assert ledger.rows() == expected, "reading twice gives the same"
    assert ledger.seq == 5


def test_a_ledger_that_is_opened_again_goes_on_with_the_next_number(
    place: Path | str, store: Store
) -> None:
    ledger_in(store).append(a_row("first"), durable=True)
    ledger = ledger_in(store)
    assert ledger.seq == 1
    ledger.append(a_row("second"), durable=True)
    assert records(ledger) == ["first", "second"]
    assert broken_links(place) == []


def test_each_trace_has_numbers_of_its_own_in_one_chain(place: Path | str, store: Store) -> None:
    one, other = ledger_in(store, "t-1"), ledger_in(store, "t-2")
    for number in range(6):
        (one if number % 2 else other).append(a_row(number), durable=False)
    assert stored(place, "t-1") == stored(place, "t-2") == [1, 2, 3]
    assert (records(one), records(other)) == ([1, 3, 5], [0, 2, 4])
    assert outside(place, "SELECT max(position), count(*) FROM event") == [(6, 6)]
    assert broken_links(place) == []
    assert has_trace(store, OWNER.install_id, "t-1")
    assert not has_trace(store, OWNER.install_id, "t-3")
    assert not has_trace(store, "another", "t-1")


def test_model_and_operation_are_two_chains_and_two_installations_four(
    place: Path | str, store: Store
) -> None:
    for install in ("a", "b"):
        ledger = DatabaseLedger(store, Owner(install, "t", "u"), TRACE)
        for event in ("submit_task", "done.invoke.plan", "step_observed", "error.invoke.think"):
            ledger.append(a_row(None, event), durable=False)
    ends = "SELECT install_id, stream, max(position) FROM event GROUP BY 1, 2 ORDER BY 1, 2"
    assert outside(place, ends) == [
        ("a", "model", 2), ("a", "operation", 2), ("b", "model", 2), ("b", "operation", 2),
    ]  # fmt: skip
    assert broken_links(place) == []


@pytest.mark.parametrize("column", ["text", "algorithm", "tenant", "user_name", "prev"])
def test_a_column_that_holds_no_text_any_more_is_a_changed_row(tmp_path: Path, column: str) -> None:
    place = tmp_path / "ledger.db"
    with closing(open_store(place)) as store:
        ledger = ledger_in(store)
        ledger.append_all([a_row(n) for n in range(3)], durable=True)
        outside(place, "DROP TRIGGER event_stays")
        outside(place, f"UPDATE event SET {column} = x'ff00' WHERE seq = 2")  # noqa: S608
        with pytest.raises(LedgerError) as caught:
            ledger.rows()
        assert (caught.value.code, caught.value.facts["seq"]) == ("ledger_changed", 2)


def test_a_row_that_is_missing_between_others_is_found(place: Path | str, store: Store) -> None:
    ledger = ledger_in(store)
    ledger.append_all([a_row(n) for n in range(4)], durable=True)
    outside(
        place, "DROP TRIGGER event_stays" + ("" if isinstance(place, Path) else " ON event")
    )  # there one trigger keeps both
    if isinstance(place, Path):
        outside(place, "DROP TRIGGER event_is_kept")
    for seq in (2, 1):
        outside(place, "DELETE FROM event WHERE seq = ?", (seq,))
        with pytest.raises(LedgerError) as caught:
            ledger.rows()
        assert (caught.value.code, caught.value.facts["expected"]) == ("ledger_gap", seq)


@pytest.mark.parametrize("algorithm", ["sha256", "sm3"])
def test_the_chain_is_what_its_rule_says(place: Path | str, store: Store, algorithm: str) -> None:
    ledger = ledger_in(store, algorithm=algorithm)
    ledger.append_all([a_row(n) for n in range(3)], durable=True)
    ledger.append(a_row(3, "done.invoke.plan"), durable=True)
    found = outside(place, "SELECT DISTINCT algorithm, length(hash) FROM event")
    assert found == [(algorithm, 64)]
    assert broken_links(place) == []


def test_a_chain_whose_digest_is_changed_in_the_settings_goes_on(
    place: Path | str, store: Store
) -> None:
    for algorithm in ("sha256", "sm3", "sha256"):
        ledger_in(store, algorithm=algorithm).append(a_row(algorithm), durable=True)
    assert outside(place, "SELECT algorithm FROM event ORDER BY position") == [
        ("sha256",), ("sm3",), ("sha256",),
    ]  # fmt: skip
    assert broken_links(place) == []


def test_heads_are_the_last_link_of_each_stream(place: Path | str, store: Store) -> None:
    ledger = ledger_in(store)
    assert ledger.heads() == ()
    ledger.append_all([a_row(1), a_row(2), a_row(3, "done.invoke.plan")], durable=True)
    ledger_in(store, "another").append(a_row(4), durable=True)
    sql = "SELECT hash FROM event WHERE stream = ? AND position = ?"
    heads = {head.stream: head for head in ledger.heads()}
    assert {name: head.position for name, head in heads.items()} == {"operation": 2, "model": 1}
    for name, head in heads.items():
        assert outside(place, sql, (name, head.position)) == [(head.hash,)]


def test_the_broken_link_of_a_changed_row_is_found(place: Path | str, store: Store) -> None:
    """The control of every `broken_links(place) == []` here."""
    ledger = ledger_in(store)
    ledger.append_all([a_row(n) for n in range(4)], durable=True)
    trigger = "DROP TRIGGER event_stays" + ("" if isinstance(place, Path) else " ON event")
    outside(place, trigger)
    outside(place, "UPDATE event SET text = replace(text, '2', '7') WHERE position = 3")
    assert broken_links(place) == [f"operation 3 ({TRACE} 3)"]
    with pytest.raises(LedgerError) as caught:
        ledger.rows()
    assert caught.value.code == "ledger_changed"


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_odd_text_comes_back_and_is_chained(place: Path | str, store: Store, text: str) -> None:
    ledger = ledger_in(store)
    ledger.append(a_row({text: [text]}, state=text, path=[text]), durable=True)
    ledger.append(a_row("next", event=text), durable=True)
    first, second = ledger.rows()
    assert first["event"]["payload"]["record"] == {text: [text]}
    assert (first["state"], second["event"]["type"]) == (text, text)
    assert broken_links(place) == []


def test_a_clock_that_was_set_back_is_kept_as_it_said(place: Path | str, store: Store) -> None:
    times = ["2026-11-30T08:00:00.000+00:00", "1999-01-01T00:00:00.000+00:00", "", "later"]
    ledger = ledger_in(store)
    for at in times:
        ledger.append(a_row(at=at), durable=True)
    assert [row["at"] for row in ledger.rows()] == times
    assert broken_links(place) == []


def test_a_record_of_ten_megabytes_comes_back_byte_for_byte(
    place: Path | str, store: Store
) -> None:
    text = '表\u0000\\"é👍x' * 700_000
    ledger = ledger_in(store)
    ledger.append(a_row(text), durable=True)
    [kept] = texts_of(store, OWNER.install_id, TRACE)
    assert len(kept.encode()) > 10_000_000
    assert json.loads(kept) == {"v": 1, "seq": 1, **a_row(text)}
    assert broken_links(place) == []


def test_a_record_above_the_limit_is_refused_and_nothing_is_written(
    place: Path | str, store: Store
) -> None:
    bytes_max = len(json.dumps({"v": 1, "seq": 1, **a_row("")}, separators=(",", ":"))) + 300
    ledger_in(store, record_bytes_max=bytes_max).append(a_row("表" * 100), durable=True)
    ledger = ledger_in(store, record_bytes_max=bytes_max)
    with pytest.raises(LedgerError) as caught:
        ledger.append_all([a_row("short"), a_row("表" * 101)], durable=True)
    assert caught.value.code == "ledger_record_too_long"
    assert (caught.value.facts["bytes"], caught.value.facts["max"]) == (bytes_max + 3, bytes_max)
    assert stored(place) == [1]


def test_what_is_no_json_is_refused_and_nothing_is_written(place: Path | str, store: Store) -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    for bad in (float("nan"), float("inf"), {1, 2}, b"bytes", cyclic, {("a", "b"): 1}, 10**5000):
        with pytest.raises(LedgerError) as caught:
            ledger_in(store).append_all([a_row("good"), a_row(bad)], durable=True)
        assert caught.value.code == "ledger_no_row"
        assert stored(place) == []
    ledger_in(store).append(a_row("good"), durable=True)
    assert stored(place) == [1]


def test_however_deep_a_row_is_it_is_kept_whole_or_refused(place: Path | str, store: Store) -> None:
    kept = []
    for depth in (100, *range(700, 1_000, 7), 5_000, 100_000):
        ledger = ledger_in(store, f"deep-{depth}")
        try:
            ledger.append(a_row(nested(depth)), durable=False)
        except LedgerError:
            assert stored(place, f"deep-{depth}") == []
        else:
            kept.append(depth)
            assert depth_of(records(ledger)[0]) == depth
    assert kept[0] == 100
    assert kept[-1] < 1_000
    assert broken_links(place) == []


def test_after_a_refusal_every_later_row_is_refused(place: Path | str, store: Store) -> None:
    ledger = ledger_in(store)
    ledger.append(a_row(1), durable=True)
    for row in (a_row(float("nan")), a_row(2), a_row(3)):
        with pytest.raises(LedgerError):
            ledger.append(row, durable=True)
    assert stored(place) == [1]


def test_an_empty_batch_writes_nothing(place: Path | str, store: Store) -> None:
    ledger = ledger_in(store)
    ledger.append_all([], durable=True)
    assert (ledger.seq, ledger.heads(), ledger.rows(), stored(place)) == (0, (), [], [])


def test_a_closed_ledger_takes_nothing_more(place: Path | str, store: Store) -> None:
    ledger = ledger_in(store)
    ledger.append(a_row(1), durable=True)
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerError) as caught:
        ledger.append(a_row(2), durable=True)
    assert caught.value.code == "ledger_closed"
    assert stored(place) == [1]


@pytest.mark.parametrize(
    "owner", [Owner("a\nb"), Owner("a", "t\n1"), Owner("a", "t", "u\x00"), Owner("a", "\r")]
)
def test_a_name_that_could_forge_a_line_of_the_hash_is_refused(store: Store, owner: Owner) -> None:
    with pytest.raises(LedgerError) as caught:
        DatabaseLedger(store, owner, TRACE)
    assert caught.value.code == "ledger_owner"
    with pytest.raises(LedgerError):
        DatabaseLedger(store, OWNER, "trace\n1")


def test_a_name_in_any_script_is_kept(place: Path | str, store: Store) -> None:
    owner = Owner("a", "租户 👍 %s ?", "o'李 \\ \ud800")
    ledger = DatabaseLedger(store, owner, TRACE)
    try:
        ledger.append(a_row(1), durable=True)
    except LedgerError:
        assert stored(place) == []
    DatabaseLedger(store, owner._replace(user="o'李"), TRACE).append(a_row(1), durable=True)
    assert outside(place, "SELECT tenant, user_name FROM event") == [("租户 👍 %s ?", "o'李")]
    assert broken_links(place) == []


def nested(depth: int) -> Any:
    """Return a list in a list, *depth* times, with 0 in the innermost."""
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


def depth_of(value: Any) -> int:
    """Return how many lists stand around the 0 in *value*."""
    depth = 0
    while isinstance(value, list):
        [value] = value
        depth += 1
    assert value == 0
    return depth

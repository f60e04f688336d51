"""What an auditor waits for: the proof of a chain, a query over a million events, and the space.

Proof and space are of tasks of twenty steps on a page of 2,000 characters. The million are events
of 16,000 such tasks with short pages, over 90 days, 50 people and 40 hosts; they are written past
the ledger, which would take minutes, but by its own columns, links and indexes.
"""

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.ledger import PAGE_TEXT, STEPS, entries_of, rows_of
from memory.audit_query import Query, find
from memory.chain import GENESIS, Owner, Place, link_hash
from memory.database import Store, open_store
from memory.event_ledger import DatabaseLedger
from memory.facts import Facts, facts_of
from memory.migrations import EVENT_COLUMNS
from memory.sizes import store_size
from memory.verify import verify
from states.settings import AuditLimits

EVENTS = 1_000_000
PROVED_TASKS = 60
ROUNDS = 5
PAGE = 100
BATCH = 10_000
HOSTS, PEOPLE, DAYS = 40, 50, 90
INSTALL = "bench"
FIRST = datetime(2026, 9, 1, tzinfo=UTC)
_INSERT = (
    f"INSERT INTO event ({', '.join(EVENT_COLUMNS)}) "  # noqa: S608 - names of our own
    f"VALUES ({', '.join('?' * len(EVENT_COLUMNS))})"
)
_TRACE, _SEQ, _AT = "@trace@", '"@seq@"', "@at@"


def measure() -> dict[str, float]:
    """Return events proved a second, the size of 1,000 events, and ms of the queries."""
    with tempfile.TemporaryDirectory() as folder:
        proved = _proved(Path(folder) / "proved.db")
        return proved | _asked(Path(folder) / "million.db")


def _proved(path: Path) -> dict[str, float]:
    rows = rows_of(entries_of(STEPS))
    for number in range(PROVED_TASKS):
        ledger = DatabaseLedger(open_store(path), Owner(INSTALL), _trace(number))
        ledger.append_all([row | {"trace_id": _trace(number)} for row in rows], durable=False)
        ledger.close()
    store = open_store(path)
    size = store_size(store)
    rounds = []
    for _ in range(ROUNDS):
        began = perf_counter()
        found = verify(store, (), install_id=INSTALL)
        rounds.append(found.events / (perf_counter() - began))
        assert found.verified, found.problem
        assert found.events == PROVED_TASKS * len(rows)
    store.close()
    size_kb = (size.bytes_per_1000_events or 0) / 1024
    return {"verify_events_per_s": statistics.median(rounds), "ledger_kb_per_1000_events": size_kb}


def _asked(path: Path) -> dict[str, float]:
    began = perf_counter()
    _fill(path)
    print(f"{EVENTS} events in {perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    store = open_store(path)
    kinds = _queries()
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, query in kinds.items():
            began = perf_counter()
            found = find(store, query, PAGE, 0, AuditLimits().query_count_events_max)
            times[name].append(1e3 * (perf_counter() - began))
            assert bool(found.matches) == (name != "absent"), name
    store.close()
    figures = {f"query_{name}_ms": statistics.median(spent) for name, spent in times.items()}
    return figures | {"query_slowest_ms": max(figures.values())}


def _queries() -> dict[str, Query]:
    day = FIRST + timedelta(days=DAYS // 2)
    since, before = _iso(day), _iso(day + timedelta(days=1))
    return {
        "newest": Query(),
        "trace": Query(trace_id=_trace(EVENTS // 200)),
        "person_day": Query(user_name="person-7", since=since, before=before),
        "host_action": Query(domain="erp7.example.com", action="click"),
        "refused": Query(verdict="denied", since=since, before=before),
        "person_approved": Query(user_name="person-7", verdict="approved"),
        "completed": Query(outcome="completed"),
        "absent": Query(domain="nowhere.example.com"),
    }


class _Template(NamedTuple):
    """A row with places for trace, number and time, and its facts."""

    text: str
    facts: Facts


def _fill(path: Path) -> None:
    """Write EVENTS rows in batches, each chained to the one before in its stream."""
    store = open_store(path)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -200000"):
        store.db.execute_sql(f"PRAGMA {pragma}")
    batch: list[tuple[Any, ...]] = []
    for values in _values(EVENTS):
        batch.append(values)
        if len(batch) == BATCH:
            _write(store, batch)
            batch.clear()
    _write(store, batch)
    store.close()


def _write(store: Store, batch: list[tuple[Any, ...]]) -> None:
    with store.db.atomic():
        store.db.connection().executemany(_INSERT, batch)


def _values(events: int) -> Iterator[tuple[Any, ...]]:
    tasks = [_templates(f"erp{number}.example.com") for number in range(HOSTS)]
    steps = len(tasks[0])
    ends = {"operation": (0, GENESIS), "model": (0, GENESIS)}
    for number in range(events):
        task, row = divmod(number, steps)
        text, facts = tasks[task % HOSTS][row]
        at = _iso(FIRST + timedelta(seconds=DAYS * 86_400 * number / events))
        trace, owner = _trace(task), Owner(INSTALL, "", f"person-{task % PEOPLE}")
        text = text.replace(_TRACE, trace).replace(_AT, at).replace(_SEQ, str(row + 1))
        position, prev = ends[facts.stream]
        place = Place(facts.stream, position + 1, trace, row + 1)
        link = link_hash(owner, place, "sha256", prev, text)
        ends[facts.stream] = (position + 1, link)
        yield (
            INSTALL, facts.stream, place.position, trace, row + 1, at, facts.kind, "", owner.user,
            facts.event, facts.state, facts.action, facts.domain, facts.verdict, facts.skill,
            facts.outcome, "sha256", text, prev, link,
        )  # fmt: skip


def _templates(host: str) -> list[_Template]:
    found = []
    for row in rows_of(entries_of(STEPS)):
        row |= {"seq": _SEQ.strip('"'), "trace_id": _TRACE, "at": _AT}
        text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        text = text.replace(PAGE_TEXT, "发票 FP0001").replace("erp.example.com", host)
        found.append(_Template(text, facts_of(json.loads(text))))
    return found


def _trace(task: int) -> str:
    return f"sgclaw-20261129-{task:016x}"


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds")


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.2f}")

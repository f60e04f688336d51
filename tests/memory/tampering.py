"""Somebody with the ledger's database, all SQL at hand and no key: each way to change it quietly.

The triggers are dropped first. Every way returns where the first thing wrong must be found.
"""

import json
import random
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from nacl.signing import SigningKey

from memory.chain import Owner, Place, link_hash
from memory.database import Store
from memory.facts import facts_of
from memory.migrations import EVENT_COLUMNS
from states.key_id import key_id_of
from states.ledger_head import STREAMS, Head, SignedHead
from tests.support.store_lab import a_row, ledger_in

KEY = SigningKey(b"\x07" * 32)
AT = "2026-11-30T09:00:00.000+00:00"
_FREE_COLUMNS = ("trace_id", "at", "kind", "tenant", "user_name", "event", "state", "action",
                 "domain", "verdict", "skill", "outcome", "algorithm", "prev")  # fmt: skip
_CLICK = {"tool": "browser_action", "action": "click", "expected_domain": "erp.example.com",
          "params": {"selector": "#作废"}}  # fmt: skip


class Spot(NamedTuple):
    """Where the first thing that is wrong may be found: between two positions of a chain."""

    stream: str
    first: int
    last: int

    @classmethod
    def at(cls, stream: str, position: int) -> "Spot":
        """Return the one place at *position*."""
        return cls(stream, position, position)


def signed(head: Head, key: SigningKey = KEY, at: str = AT) -> SignedHead:
    """Return *head* as a host with *key* keeps it."""
    bare = SignedHead(head, at, "sgclaw-20261130-0000000000000001",
                      key_id_of(bytes(key.verify_key)), "")  # fmt: skip
    return bare._replace(signature=key.sign(bare.signed_bytes()).signature.hex())


def write_ledger(store: Store, traces: int = 4, events: int = 60) -> list[SignedHead]:
    """Write *traces* of *events* in turn, a third of them the model's; return signed heads.

    One is taken every 20 events, and one of each stream at the end.
    """
    ledgers = [ledger_in(store, f"sgclaw-20261130-000000000000000{n}") for n in range(traces)]
    heads: dict[tuple[str, int], Head] = {}
    for number in range(traces * events):
        ledger = ledgers[number % traces]
        row = a_row(
            {"n": number, "text": "导出 é ∑" * (number % 3), "request": _CLICK},
            "done.invoke.think" if number % 3 == 1 else "step_observed",
            at=f"2026-11-30T08:{number // 60:02}:{number % 60:02}.000+00:00",
            trace_id=ledger.trace_id,
            verdicts=[{"guard": "policy_allows", "allowed": number % 2 == 0}],
        )
        ledger.append(row, durable=False)
        if number % 20 == 0 or number >= traces * (events - 1):
            heads |= {(h.stream, h.position): h for h in ledger.heads()}
    return [signed(head) for _, head in sorted(heads.items())]


class Attacker:
    """Changes the database at *place*; `restore` puts back what was there at first."""

    def __init__(self, place: Path | str, seed: int = 0) -> None:
        """Connect, drop the triggers and keep a copy of all events."""
        self.random = random.Random(seed)  # noqa: S311 - trials that come out the same
        self._is_sqlite = isinstance(place, Path)
        self._db: Any = (
            sqlite3.connect(place, isolation_level=None)
            if isinstance(place, Path)
            else psycopg.connect(place, autocommit=True)
        )
        if self._is_sqlite:
            self.run("PRAGMA synchronous = OFF")
        self.drop_triggers()
        self.first = self.rows()
        self.run("CREATE TABLE kept AS SELECT * FROM event")

    def drop_triggers(self) -> None:
        """Take away what keeps the ledger append-only."""
        if self._is_sqlite:
            sql = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            for (name,) in self.run(sql):
                self.run(f"DROP TRIGGER {name}")
        else:
            self.run("DROP FUNCTION sgclaw_append_only CASCADE")

    def tamper(self, way: "Way") -> Spot:
        """Change the ledger in one *way*, all at once."""
        self.run("BEGIN")
        spot = way(self)
        self.run("COMMIT")
        return spot

    def run(self, sql: str, params: Sequence[Any] = ()) -> list[Any]:
        """Run *sql*, `?` for each of *params*; return its rows."""
        if self._is_sqlite:
            return list(self._db.execute(sql, params).fetchall())
        cursor = self._db.execute(sql.replace("?", "%s"), params or None)
        return list(cursor.fetchall()) if cursor.description else []

    def restore(self) -> None:
        """Put back every event as it was."""
        self.run("BEGIN")
        self.run("DELETE FROM event")
        self.run("INSERT INTO event SELECT * FROM kept")
        self.run("COMMIT")

    def close(self) -> None:
        """Leave the database."""
        self._db.close()

    def rows(self) -> list[dict[str, Any]]:
        """Return all events in the order in which they were written (their times say it)."""
        columns = ", ".join(EVENT_COLUMNS)
        found = self.run(f"SELECT {columns} FROM event ORDER BY at, stream")  # noqa: S608
        return [dict(zip(EVENT_COLUMNS, row, strict=True)) for row in found]

    def any_row(self) -> dict[str, Any]:
        """Return one event by chance."""
        return self.random.choice(self.first)

    def chain(self, stream: str) -> list[dict[str, Any]]:
        """Return the events of *stream* by position."""
        return sorted((r for r in self.first if r["stream"] == stream), key=lambda r: r["position"])

    # --- the ways
    def flip_text(self) -> Spot:
        """Flip one bit of one event's text, or one of a character's where bytes must be text."""
        row = self.any_row()
        if self._is_sqlite:
            raw = bytearray(row["text"].encode())
            raw[self.random.randrange(len(raw))] ^= 1 << self.random.randrange(8)
            return self._set(row, "CAST(? AS TEXT)", "text", bytes(raw))
        return self._set(row, "?", "text", self._flipped(row["text"]))

    def flip_column(self) -> Spot:
        """Change one character of one column that is no text, hash or number."""
        row, column = self.any_row(), self.random.choice(_FREE_COLUMNS)
        return self._set(row, "?", column, self._flipped(row[column] or "x"))

    def flip_hash(self) -> Spot:
        """Flip one bit of one hash; it stays hexadecimal or not."""
        row = self.any_row()
        return self._set(row, "?", "hash", self._flipped(row["hash"]))

    def renumber(self) -> Spot:
        """Give one event another number in its trace."""
        row = self.any_row()
        return self._set(row, "?", "seq", row["seq"] + self.random.randint(1_000, 9_999))

    def drop(self) -> Spot:
        """Remove one event."""
        row = self.any_row()
        self.run("DELETE FROM event WHERE stream = ? AND position = ?", _key(row))
        return Spot.at(*_key(row))

    def swap(self) -> Spot:
        """Exchange two events of a chain: their places, or only what they say."""
        stream = self.random.choice(STREAMS)
        one, other = self.random.sample(self.chain(stream), 2)
        if self.random.random() < 0.5:
            self._set(one, "?", "text", other["text"])
            self._set(other, "?", "text", one["text"])
        else:
            self._set(one, "?", "position", -1)
            self._set(other, "?", "position", one["position"])
            self._set(one | {"position": -1}, "?", "position", other["position"])
        return Spot.at(stream, min(one["position"], other["position"]))

    def insert(self) -> Spot:
        """Push an event with a hash that fits between two, moving those behind it on."""
        row = self.any_row()
        stream, position = _key(row)
        self.run("UPDATE event SET position = -position WHERE stream = ? AND position >= ?",
                 (stream, position))  # fmt: skip
        self.run("UPDATE event SET position = 1 - position WHERE stream = ? AND position < 0",
                 (stream,))  # fmt: skip
        text = row["text"].replace("step", "stop")
        self.add(_linked(row | {"seq": 900_000, "text": _numbered(text, 900_000)}, row["prev"]))
        return Spot(stream, position, position + 1)

    def double(self) -> Spot:
        """Put one event in twice, in a table whose keys were taken away."""
        row = self.any_row()
        self.run("CREATE TABLE other AS SELECT * FROM event")
        self.run("DROP TABLE event")
        self.run("ALTER TABLE other RENAME TO event")
        self.add(row)
        return Spot.at(*_key(row))

    def truncate(self) -> Spot:
        """Remove all that was written since some moment."""
        cut = self.random.randrange(1, len(self.first))
        gone = self.first[-cut:]
        self.run("DELETE FROM event WHERE at >= ?", (gone[0]["at"],))
        stream = next(s for s in STREAMS if any(r["stream"] == s for r in gone))
        return Spot.at(stream, min(r["position"] for r in gone if r["stream"] == stream))

    def make_anew(self) -> Spot:
        """Change what one event says, and make its chain anew with hashes that fit."""
        row = self.any_row()
        stream, position = _key(row)
        chain = self.chain(stream)
        text = json.loads(row["text"])
        text["event"]["payload"]["record"]["n"] = -1
        chain[position - 1] = row | {"text": json.dumps(text, ensure_ascii=False)}
        prev = row["prev"]
        for each in chain[position - 1 :]:
            linked = _linked(each, prev)
            prev = linked["hash"]
            for column in ("text", "prev", "hash"):
                self._set(each, "?", column, linked[column])
        return Spot(stream, position, len(chain))

    def forge(self, text: str, **columns: Any) -> Spot:
        """Append an event that says *text* to the first chain, with a hash that fits."""
        last = self.chain("operation")[-1]
        place = {"position": last["position"] + 1, "seq": last["seq"] + 1}
        row = _linked(last | place | {"text": text} | columns, last["hash"], derive=False)
        self.add(row)
        return Spot.at(*_key(row))

    def remove(self, stream: str, positions: Iterable[int]) -> None:
        """Remove the events at *positions* of *stream*."""
        for position in positions:
            self.run("DELETE FROM event WHERE stream = ? AND position = ?", (stream, position))

    # --- parts of them
    def _set(self, row: dict[str, Any], cast: str, column: str, value: object) -> Spot:
        sql = f"UPDATE event SET {column} = {cast} WHERE stream = ? AND position = ?"  # noqa: S608
        self.run(sql, (value, *_key(row)))
        return Spot.at(*_key(row))

    def add(self, row: dict[str, Any]) -> None:
        """Add *row* as it is."""
        marks = ", ".join("?" * len(EVENT_COLUMNS))
        sql = f"INSERT INTO event ({', '.join(EVENT_COLUMNS)}) VALUES ({marks})"  # noqa: S608
        self.run(sql, [row[name] for name in EVENT_COLUMNS])

    def _flipped(self, text: str) -> str:
        at = self.random.randrange(len(text))
        char = chr(ord(text[at]) ^ (1 << self.random.randrange(1, 5)))
        return text[:at] + char + text[at + 1 :]


Way = Callable[[Attacker], Spot]
# Seen in the chain itself, and those that only a head kept elsewhere shows.
IN_THE_CHAIN: tuple[Way, ...] = (
    Attacker.flip_text, Attacker.flip_column, Attacker.flip_hash, Attacker.renumber,
    Attacker.drop, Attacker.swap, Attacker.insert, Attacker.double,
)  # fmt: skip
BY_HEADS_ALONE: tuple[Way, ...] = (Attacker.truncate, Attacker.make_anew)


def _key(row: dict[str, Any]) -> tuple[str, int]:
    return row["stream"], row["position"]


def _numbered(text: str, seq: int) -> str:
    return json.dumps(json.loads(text) | {"seq": seq}, ensure_ascii=False)


def _linked(row: dict[str, Any], prev: str, *, derive: bool = True) -> dict[str, Any]:
    """Return *row* behind *prev*, as the ledger itself would have written it."""
    place = Place(row["stream"], row["position"], row["trace_id"], row["seq"])
    owner = Owner(row["install_id"], row["tenant"], row["user_name"])
    link = link_hash(owner, place, row["algorithm"], prev, row["text"])
    facts = facts_of(json.loads(row["text"]))._asdict() if derive else {}
    return row | facts | {"prev": prev, "hash": link}

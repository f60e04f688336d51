"""The pipe and the ledger with faults: everything else about them is the product's own."""

import asyncio
import errno
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.pipe.memory_pair import MemoryPipe
from memory.chain import Owner
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from sgclaw.ledgers import store_of
from sgclaw.paths import ledger_lock_path
from states.ledger_head import Head
from states.wire import Init
from tests.sim.evidence import Evidence, Row, Sent
from tests.sim.loop import VirtualLoop
from tests.sim.plan import PipeFault, StoreFault

# What a person is only shown is no aim for a fault: it changes nothing.
_PASSING = frozenset({"log_entry", "state_changed"})
_TOLD = ("seq", "action", "purpose", "success", "decision", "state", "reason", "code")


class AgentKilledError(BaseException):
    """The agent's process ends here, as after kill -9: no code of it runs on."""


class FaultyPipe(MemoryPipe):
    """One direction of the pipe; it does to its messages what the plan says."""

    def __init__(self, evidence: Evidence, direction: str, life: int) -> None:
        super().__init__()
        self._evidence = evidence
        self._direction = direction
        self._life = life
        self._index = -1
        self._faults = {
            f.nth: f for f in evidence.plan.pipe if f.direction == direction and life == 1
        }
        self._queued: list[bytes] = []
        self._held: bytes | None = None
        self.is_dead = False

    def write(self, data: bytes) -> None:
        """Take one line and let it arrive, or not."""
        if self.is_dead:
            return
        document = json.loads(data)
        kind = document["type"]
        if kind in _PASSING:
            self._arrive(data)
            return
        self._index += 1
        what = {name: document[name] for name in _TOLD if document.get(name) not in (None, "")}
        place = self._evidence.tell("down" if self._direction == "down" else "up", kind, what)
        self._evidence.sent.append(Sent(place, self._life, self._direction, document))
        fault = self._faults.get(self._index)
        if fault is None:
            self._arrive(data)
        else:
            self._evidence.faults.append((place, fault.kind))
            self._evidence.tell("fault", f"pipe {fault.kind}", f"({self._direction})")
            self._harm(fault, data)

    def _harm(self, fault: PipeFault, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        match fault.kind:
            case "late":
                self._queued.append(data)
                loop.call_later(fault.seconds, self._release)
            case "lost":
                return
            case "twice":
                self._arrive(data)
                self._arrive(data)
            case "swapped":
                self._held = data
                loop.call_later(3.0, self._let_go)
            case "eof":
                self.close()
            case "half_line":
                self._arrive(data[: len(data) // 2])
                self.close()
            case "torn_line":
                self._arrive(data[: len(data) // 2])
            case "bad_hmac":
                self._arrive(_forged(data))
            case "garbage":
                self._arrive(b'\xff{"type":"response"\n')
                self._arrive(data)

    def _arrive(self, data: bytes) -> None:
        if self._queued:
            self._queued.append(data)
            return
        super().write(data)
        if self._held is not None:
            held, self._held = self._held, None
            super().write(held)

    def _release(self) -> None:
        queued, self._queued = self._queued, []
        for data in queued:
            self._arrive(data)

    def _let_go(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            super().write(held)


def _forged(data: bytes) -> bytes:
    """Return *data* with another proof, or with another word when it carries none."""
    document = json.loads(data)
    security = document.get("security")
    if isinstance(security, dict):
        security["hmac"] = security["hmac"][::-1]
    else:
        document["unknown_field"] = 1
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


class FaultyLedger(DatabaseLedger):
    """The product's ledger on a disk that is slow, full, or whose machine ends."""

    def __init__(
        self, init: Init, evidence: Evidence, loop: VirtualLoop, life: int, kill: Callable[[], None]
    ) -> None:
        data = Path(init.data_dir)
        store = store_of(data, create=True)
        lock = ledger_lock_path(data, init.trace_id)
        super().__init__(store, Owner(init.ledger.install_id), init.trace_id, lock)
        self._evidence = evidence
        self._loop = loop
        self._life = life
        self._kill = kill
        self._faults = {fault.nth: fault for fault in evidence.plan.store}
        self._sync_fails = self._is_torn = self._is_durable = False
        self.is_dead = False

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        """Append *row* unless the plan is against it."""
        if self.is_dead:
            raise AgentKilledError
        fault = self._faults.pop(len(self._evidence.rows) + 1, None)
        if fault is not None:
            self._before(fault)
        self._is_durable = durable
        super().append(row, durable=durable)
        event = row["event"]["type"]
        states = " -> ".join([row["result"], *row["path"]])
        place = self._evidence.tell("ledger", event, states)
        self._evidence.rows.append(Row(place, self._life, row, durable))
        if fault is not None and fault.kind == "kill_after":
            self._die()

    def _before(self, fault: StoreFault) -> None:
        place = self._evidence.tell("fault", f"store {fault.kind}")
        self._evidence.faults.append((place, fault.kind))
        match fault.kind:
            case "busy":
                self._loop.advance(fault.seconds)
            case "full":
                raise self._no(errno.ENOSPC)
            case "torn":
                self._is_torn = True
            case "sync_failed":
                self._sync_fails = True
            case "kill_before":
                self._die()

    def _die(self) -> None:
        self.is_dead = True
        self._kill()
        raise AgentKilledError

    def _insert(self, texts: list[str]) -> dict[str, Head]:
        heads = super()._insert(texts)
        if self._is_torn:  # within the transaction: what was inserted is taken back
            raise self._no(errno.ENOSPC)
        if self._sync_fails and self._is_durable:
            raise self._no(errno.EIO)
        return heads

    def _no(self, number: int) -> LedgerError:
        return LedgerError("ledger_unwritable", path="ledger.db", why=os.strerror(number))

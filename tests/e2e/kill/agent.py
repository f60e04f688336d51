"""The real agent with one change, made after a ledger row is on disk and before its effects.

`python -m tests.e2e.kill.agent row N VICTIM MARKER` kills after row N; N may be `13,14`, see
`striking`. `... skills FIRST STRIDE` kills the skill child of the first skill run after
its row FIRST, of the next after row FIRST + STRIDE, and so on. `... full N` has no room for row N.
"""

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine.pipe.stdio import capture_stdio

if TYPE_CHECKING:
    from memory.event_ledger import DatabaseLedger


def main(fds: tuple[int, int], words: list[str]) -> int:
    """Be the agent of a host that gave *words*; return the exit code."""
    import sgclaw.ledgers as opened
    from sgclaw.agent_main import main as agent_main

    kinds: dict[str, Callable[..., type[DatabaseLedger]]] = {
        "row": _at_row,
        "skills": _in_skills,
        "full": _without_room,
    }
    ledger = kinds[words[0]](*words[1:])
    vars(opened)["DatabaseLedger"] = ledger
    return agent_main(fds, ())


def _at_row(numbers: str, victim: Any, marker: str) -> "type[DatabaseLedger]":
    from tests.e2e.kill.striking import striking_ledger

    return striking_ledger(numbers, victim, os.getppid, marker)


def _without_room(number: str) -> "type[DatabaseLedger]":
    from tests.e2e.kill.striking import ledger_without_room

    return ledger_without_room(int(number))


def _in_skills(first: str, stride: str) -> "type[DatabaseLedger]":
    from memory.event_ledger import DatabaseLedger
    from tests.e2e.kill.blow import strike

    class Ledger(DatabaseLedger):
        """Counts the rows of each skill run, and kills its child after one of them."""

        run, row = -1, 0

        def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
            """Append *row*, then strike if its number in this skill run is up."""
            super().append(row, durable=durable)
            starts = any(effect[:2] == ["start", "skill"] for effect in row.get("effects", ()))
            self.run, self.row = (self.run + 1, 0) if starts else (self.run, self.row + 1)
            if self.run >= 0 and self.row == int(first) + self.run * int(stride):
                strike("skill", os.getppid())

    return Ledger


if __name__ == "__main__":
    sys.exit(main(capture_stdio(), sys.argv[1:]))

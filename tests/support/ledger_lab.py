"""The ledger of one trace in a data folder, for tests: read it, write it anew, damage it."""

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from memory.event_ledger import DatabaseLedger
from sgclaw.head_log import open_head_log
from sgclaw.identity import ledger_spec
from sgclaw.ledgers import ledger_rows, open_ledger
from sgclaw.paths import database_path
from states.settings import AuditLimits


class TraceLedger(NamedTuple):
    """The ledger of *trace* below *data*."""

    data: Path
    trace: str

    @property
    def file(self) -> Path:
        """The database's file."""
        return database_path(self.data)

    def open(self) -> DatabaseLedger:
        """Open it as an agent does."""
        return open_ledger(self.data, self.trace, ledger_spec(self.data), AuditLimits())

    def rows(self) -> list[dict[str, Any]]:
        """Return its rows; none when there is none."""
        return ledger_rows(self.data, self.trace)

    def exists(self) -> bool:
        """Tell whether it has a row."""
        return bool(self.rows())

    def remove(self) -> None:
        """Remove the database and what lies beside it."""
        for path in self.file.parent.glob(f"{self.file.name}*"):
            path.unlink()

    def write(self, rows: Iterable[Mapping[str, Any]]) -> "TraceLedger":
        """Be a database that holds *rows*, chained as an agent would, and nothing else."""
        self.remove()
        ledger = self.open()
        try:
            ledger.append_all(rows, durable=False)
        finally:
            ledger.close()
        return self

    def sign(self) -> None:
        """Have the host sign what the ledger has come to."""
        ledger = self.open()
        heads = open_head_log(self.data)
        assert all(heads.take(head, self.trace) for head in ledger.heads())
        ledger.close()

    def tamper(self, *statements: str) -> None:
        """Run *statements* as somebody with the file and no regard for triggers."""
        with sqlite3.connect(self.file) as db:
            names = db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for (name,) in names:
                db.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                db.execute(statement)
        db.close()

    def bytes(self) -> dict[str, bytes]:
        """Return the files of the database with their content."""
        beside = sorted(self.file.parent.glob(f"{self.file.name}*"))
        return {path.name: path.read_bytes() for path in beside if not path.name.endswith("-shm")}


def told_in(data: Path) -> list[tuple[str, str]]:
    """Return trace and event of every row in the ledger of *data*, while others write it."""
    return _looked_up(data, "SELECT trace_id, event FROM event ORDER BY rowid")


def text_in(data: Path) -> str:
    """Return the text of every row in the ledger of *data*, while others write it."""
    return "\n".join(text for (text,) in _looked_up(data, "SELECT text FROM event"))


def _looked_up(data: Path, sql: str) -> list[Any]:
    file = database_path(data)
    if not file.is_file():
        return []
    db = sqlite3.connect(file, timeout=10)
    try:
        return db.execute(sql).fetchall()
    except sqlite3.OperationalError:  # its tables are being made
        return []
    finally:
        db.close()


def traces_in(data: Path) -> list[str]:
    """Return the traces in the ledger of *data*, in the order in which they began."""
    return list(dict.fromkeys(trace for trace, _ in told_in(data)))

"""Where ledgers stand for this account, and how they are opened: SQLite by default, else by URL."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory.chain import Owner
from memory.database import Store, open_store
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from memory.ledger import read_rows
from memory.reader import has_trace, read_trace, texts_of
from sgclaw.errors import UsageError
from sgclaw.install import install_id
from sgclaw.paths import data_dir, database_path, ledger_lock_path
from sgclaw.trace import is_trace

if TYPE_CHECKING:
    from states.settings import AuditLimits
    from states.wire import LedgerSpec

# It may hold a password, so it is no field of the settings, which are written down.
DATABASE_URL = "SGCLAW_DATABASE_URL"


def database_url() -> str:
    """Return the URL of the ledger's database, "" for the SQLite file."""
    return os.environ.get(DATABASE_URL, "")


def store_of(data: Path, database: str = "", *, create: bool, busy_seconds: float = 10) -> Store:
    """Open the ledger's database of the data folder *data*, or the one at the URL *database*.

    Raises:
        LedgerError: it cannot be opened; without *create*, also when it is not there.
    """
    place = database or database_path(data)
    return open_store(place, create=create, busy_seconds=busy_seconds)


def store_here(*, create: bool = False) -> Store:
    """Open the ledger's database of this account.

    Raises:
        LedgerError: it cannot be opened, or is not there.
    """
    return store_of(data_dir(), database_url(), create=create)


def open_ledger(
    data: Path, trace: str, spec: "LedgerSpec", limits: "AuditLimits"
) -> DatabaseLedger:
    """Open the ledger of *trace* for this process alone, to append to.

    Raises:
        LedgerError: it cannot be opened, or another process writes it.
    """
    store = store_of(data, spec.database, create=True, busy_seconds=limits.busy_seconds)
    try:
        owner = Owner(spec.install_id, spec.tenant, spec.user)
        return DatabaseLedger(store, owner, trace, ledger_lock_path(data, trace), limits)
    except BaseException:
        store.close()
        raise


def ledger_rows(data: Path, trace: str, install: str | None = None) -> list[dict[str, Any]]:
    """Return the rows of *trace* in the ledger of *data*; none when there is none.

    Raises:
        LedgerError: it cannot be read, or a row is missing or changed.
    """
    try:
        store = store_of(data, database_url(), create=False)
    except LedgerError as error:
        if error.code == "ledger_missing":
            return []
        raise
    try:
        return read_trace(store, install or install_id(data), trace)
    finally:
        store.close()


def ledger_texts(data: Path, trace: str) -> list[str]:
    """Return the rows of *trace* as the JSON that was written.

    Raises:
        LedgerError: there is no ledger, it cannot be read, or a row is missing or changed.
    """
    store = store_of(data, database_url(), create=False)
    try:
        return texts_of(store, install_id(data), trace)
    finally:
        store.close()


def rows_of(name: str) -> list[dict[str, Any]]:
    """Return the rows of *name*: a trace id of this account's ledger, or a ledger file.

    Raises:
        UsageError: it is neither, or there is no such trace.
        LedgerError: it is damaged.
    """
    path = file_of(name)
    if path is not None:
        return list(read_rows(path))
    if not is_trace(name):
        raise UsageError("trace_malformed", trace=name)
    data = data_dir()
    rows = ledger_rows(data, name)
    if not rows:
        raise UsageError("trace_unknown", trace=name, folder=database_path(data).parent)
    return rows


def file_of(name: str) -> Path | None:
    """Return the ledger file that *name* is, None when it names no file."""
    named = Path(name)
    return named if named.suffix == ".jsonl" and named.is_file() else None


def has_rows(data: Path, trace: str) -> bool:
    """Tell whether the ledger of *data* holds a row of *trace*.

    Raises:
        LedgerError: it cannot be read.
    """
    try:
        store = store_of(data, database_url(), create=False)
    except LedgerError as error:
        if error.code == "ledger_missing":
            return False
        raise
    try:
        return has_trace(store, install_id(data), trace)
    finally:
        store.close()

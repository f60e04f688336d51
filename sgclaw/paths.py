"""Where the product keeps its files: one data folder per OS account, readable by it alone."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from sgclaw.errors import RefusedError


def data_dir() -> Path:
    """Return the data folder: `SGCLAW_DATA_DIR`, else the platform's own."""
    named = os.environ.get("SGCLAW_DATA_DIR")
    return Path(named) if named else Path(platformdirs.user_data_dir("sgclaw", appauthor=False))


def private_folder(path: Path) -> Path:
    """Make *path*, and each folder missing above it, for this account alone; return it.

    Raises:
        OSError: it cannot be made.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    return path


def own_folders(data: Path) -> None:
    """Make the folders below *data* that a run writes to; close those that stood open.

    Raises:
        RefusedError: one cannot be made or closed, so no ledger could be kept there.
    """
    try:
        for name in ("ledger", "host", "profiles", "demo"):
            folder = private_folder(data / name)
            if not folder.is_symlink() and folder.stat().st_mode & 0o077:
                folder.chmod(0o700)
    except OSError as error:
        raise RefusedError("data_dir_unwritable", folder=data, why=error.strerror) from error


@contextlib.contextmanager
def private_files() -> Iterator[None]:
    """Have all that this program and its children write in the block readable by nobody else."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def database_path(data: Path) -> Path:
    """Return the ledger's SQLite file."""
    return (data if str(data) not in ("", ".") else data_dir()) / "ledger" / "ledger.db"


def ledger_lock_path(data: Path, trace_id: str) -> Path:
    """Return the file by whose lock one process alone writes the ledger of *trace_id*."""
    return database_path(data).parent / f"{trace_id}.lock"


def host_log_dir(data: Path) -> Path:
    """Return the folder of the host's own logs."""
    return data / "host"


def host_journal_path(data: Path, trace_id: str) -> Path:
    """Return the file in which the host keeps what it did for *trace_id*."""
    return host_log_dir(data) / f"{trace_id}.jsonl"


def policy_path() -> Path:
    """Return where the policy file is looked for when none is named."""
    config = os.environ.get("SGCLAW_CONFIG_DIR")
    folder = (
        Path(config) if config else Path(platformdirs.user_config_dir("sgclaw", appauthor=False))
    )
    return folder / "policy.yaml"

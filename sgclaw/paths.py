"""Where the product keeps its files: one data folder per OS account."""

import os
from pathlib import Path

import platformdirs


def data_dir() -> Path:
    """Return the data folder: `SGCLAW_DATA_DIR`, else the platform's own."""
    named = os.environ.get("SGCLAW_DATA_DIR")
    return Path(named) if named else Path(platformdirs.user_data_dir("sgclaw", appauthor=False))


def ledger_path(data: Path, trace_id: str) -> Path:
    """Return the ledger file of *trace_id*."""
    return (data if str(data) not in ("", ".") else data_dir()) / "ledger" / f"{trace_id}.jsonl"


def host_log_dir(data: Path) -> Path:
    """Return the folder of the host's own logs."""
    return data / "host"


def policy_path() -> Path:
    """Return where the policy file is looked for when none is named."""
    config = os.environ.get("SGCLAW_CONFIG_DIR")
    folder = (
        Path(config) if config else Path(platformdirs.user_config_dir("sgclaw", appauthor=False))
    )
    return folder / "policy.yaml"

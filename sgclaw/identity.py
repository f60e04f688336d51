"""In whose name this account's ledger is kept: installation, tenant and user (M7)."""

import getpass
import os
from pathlib import Path

from sgclaw.install import install_id
from sgclaw.ledgers import database_url
from states.wire import LedgerSpec

USER = "SGCLAW_AUDIT_USER"
TENANT = "SGCLAW_AUDIT_TENANT"
_NAME_CHARS_MAX = 120


def ledger_spec(data: Path) -> LedgerSpec:
    """Return where the ledger of *data* is kept, and whose it is.

    Raises:
        SgclawError: the installation's name cannot be read or made.
    """
    return LedgerSpec(
        database=database_url(),
        install_id=install_id(data),
        tenant=_plain(os.environ.get(TENANT, "")),
        user=_plain(os.environ.get(USER, "") or account()),
    )


def account() -> str:
    """Return the name of the OS account, "" when it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container's number without a name
        return f"uid-{os.getuid()}" if hasattr(os, "getuid") else ""


def _plain(name: str) -> str:
    return "".join(c for c in name if c.isprintable())[:_NAME_CHARS_MAX]

"""The host's signed heads of this installation's ledger, opened for one run (M7)."""

from pathlib import Path

from browser.host.heads import HeadLog
from sgclaw.clock import utc_now
from sgclaw.install import heads_path, signing_key
from states.ledger_head import key_id_of


def open_head_log(data: Path) -> HeadLog:
    """Return the log of heads in *data*, which signs with the installation's key.

    Raises:
        SgclawError: the key or the file cannot be used.
    """
    key = signing_key(data)

    def sign(content: bytes) -> bytes:
        return bytes(key.sign(content).signature)

    return HeadLog(heads_path(data), sign, key_id_of(bytes(key.verify_key)), utc_now)

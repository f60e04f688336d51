"""The host's signed heads of this installation's ledger, opened for one run (M7).

The rule: the host signs no word of an agent that the ledger itself does not bear out. An agent that
made up a head far ahead would otherwise have every honest head behind it refused.
"""

from pathlib import Path

from browser.host.heads import HeadLog
from memory.lock import lock_file
from memory.reader import holds
from sgclaw.clock import utc_now
from sgclaw.install import heads_path, signing_key
from sgclaw.ledgers import database_url, store_of
from states.errors import SgclawError
from states.key_id import key_id_of
from states.ledger_head import Head


class LedgerHeads:
    """Keeps heads in *log* if the ledger below *data* holds what they say.

    `failure` says why the first head that is missing could not be kept, "" when none is;
    `refused` is the first head that contradicts the ledger or the file, None when none does.
    """

    def __init__(self, log: HeadLog, data: Path) -> None:
        self.path = log.path
        self._log = log
        self._data = data
        self._failure = ""
        self._refused: Head | None = None

    @property
    def failure(self) -> str:
        """Why a head is missing."""
        return self._failure or self._log.failure

    @property
    def refused(self) -> Head | None:
        """The first head that was not borne out."""
        return self._refused or self._log.refused

    def take(self, head: Head, trace_id: str) -> bool:
        """Keep *head*, signed; False when the ledger or the heads before it say otherwise."""
        try:
            is_there = self._is_there(head)
        except SgclawError as error:
            self._failure = self._failure or str(error)
            return False
        if not is_there:
            self._refused = self._refused or head
            return False
        return self._log.take(head, trace_id)

    def _is_there(self, head: Head) -> bool:
        store = store_of(self._data, database_url(), create=False)
        try:
            return holds(store, head)
        finally:
            store.close()


def open_head_log(data: Path) -> LedgerHeads:
    """Return the log of heads in *data* for a run, whose agent is not believed.

    Raises:
        SgclawError: the key or the file cannot be used.
    """
    return LedgerHeads(signing_log(data), data)


def signing_log(data: Path) -> HeadLog:
    """Return the log of heads in *data*, which signs with the installation's key.

    Raises:
        SgclawError: the key or the file cannot be used.
    """
    key = signing_key(data)

    def sign(content: bytes) -> bytes:
        return bytes(key.sign(content).signature)

    key_id = key_id_of(bytes(key.verify_key))
    return HeadLog(heads_path(data), sign, key_id, utc_now, lock_file)

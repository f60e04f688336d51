"""Signed heads as the reader meets them: each line held against the key before it counts (M7)."""

import os
import stat
from pathlib import Path

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from memory.errors import LedgerError
from states.key_id import key_id_of
from states.ledger_head import SignedHead, parse_head

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_LINE_BYTES_MAX = 4_096


def read_heads(path: Path, verify_key: VerifyKey) -> list[SignedHead]:
    """Return the heads that the file *path* holds, in its order; none when there is no file.

    What a kill left of the last line is no head. That lines were cut off at the end cannot be
    seen in the file itself: a copy kept elsewhere shows it.

    Raises:
        LedgerError: the file cannot be read, a line is no head, or its signature is not by
            *verify_key*.
    """
    try:
        fd = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LedgerError("ledger_heads_unreadable", path=path, why=error.strerror) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise LedgerError("ledger_heads_unreadable", path=path, why="not a regular file")
    heads: list[SignedHead] = []
    key_id = key_id_of(bytes(verify_key))
    try:
        with os.fdopen(fd, "rb") as file:
            while line := file.readline(_LINE_BYTES_MAX):
                if line.endswith(b"\n"):
                    heads.append(_checked(line[:-1], verify_key, key_id, (path, len(heads) + 1)))
                elif file.read(1):
                    raise LedgerError("ledger_head_damaged", path=path, line=len(heads) + 1)
    except OSError as error:
        raise LedgerError("ledger_heads_unreadable", path=path, why=error.strerror) from error
    return heads


def is_signed(head: SignedHead, verify_key: VerifyKey) -> bool:
    """Tell whether *head* is signed by *verify_key*."""
    try:
        verify_key.verify(head.signed_bytes(), bytes.fromhex(head.signature))
    except (BadSignatureError, ValueError):
        return False
    return True


def _checked(line: bytes, key: VerifyKey, key_id: str, where: tuple[Path, int]) -> SignedHead:
    path, number = where
    head = parse_head(line)
    if head is None:
        raise LedgerError("ledger_head_damaged", path=path, line=number)
    if head.key_id != key_id:
        facts = {"path": path, "line": number, "theirs": head.key_id, "ours": key_id}
        raise LedgerError("ledger_head_other_key", **facts)
    if not is_signed(head, key):
        raise LedgerError("ledger_head_forged", path=path, line=number, key=key_id)
    return head

"""The signed heads that segments are closed by: of many, only those that are used are verified.

The rule: a head that a segment would end with is held against the key, and so is the last one of
each chain; `sgclaw audit verify` holds all of them.
"""

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from memory.errors import LedgerError
from memory.segments import Segment
from states.key_id import key_id_of
from states.ledger_head import SignedHead, head_line, parse_head

if TYPE_CHECKING:
    from nacl.signing import VerifyKey

_LINE_BYTES_MAX = 4_096
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def needed_heads(
    path: Path, key: "VerifyKey", choose: Callable[[list[SignedHead]], Iterable[Segment]]
) -> list[SignedHead]:
    """Return the heads in the file *path* by which *choose* closes, each verified with *key*.

    Given those instead of all, *choose* closes the same.

    Raises:
        LedgerError: the file cannot be read, a line is no head, or one that is needed is not
            signed by *key*; or *choose* refuses.
    """
    # A long import, and an installation without a key has no heads.
    from memory.heads import is_signed

    heads = _heads_in(path)
    lines = {segment.signature for segment in choose([head for _, head in heads])}
    last = {head.head.stream: head for _, head in sorted(heads, key=_position)}
    lines |= {_line(head) for head in last.values()}
    needed = [(number, head) for number, head in heads if _line(head) in lines]
    for number, head in needed:
        if not is_signed(head, key):
            raise LedgerError(
                "ledger_head_forged", path=path, line=number, key=key_id_of(bytes(key))
            )
    return [head for _, head in needed]


def _position(numbered: tuple[int, SignedHead]) -> int:
    return numbered[1].head.position


def _line(head: SignedHead) -> str:
    return head_line(head).decode("ascii")


def _heads_in(path: Path) -> list[tuple[int, SignedHead]]:
    """Return each head in *path* with the number of its line; what a kill left at its end is none.

    Raises:
        LedgerError: it cannot be read, or a line is no head.
    """
    found: list[tuple[int, SignedHead]] = []
    try:
        fd = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT)
    except FileNotFoundError:
        return found
    except OSError as error:
        raise LedgerError("ledger_heads_unreadable", path=path, why=error.strerror) from error
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise LedgerError("ledger_heads_unreadable", path=path, why="not a regular file")
        while (line := file.readline(_LINE_BYTES_MAX)).endswith(b"\n"):
            head = parse_head(line[:-1])
            if head is None:
                raise LedgerError("ledger_head_damaged", path=path, line=len(found) + 1)
            found.append((len(found) + 1, head))
    return found

"""What a ledger comes to at one moment, and the bytes of it that are signed (M7).

A head held outside the ledger's own file is what shows a chain that was cut off or made anew.
"""

import json
import re
from typing import Literal, NamedTuple

Algorithm = Literal["sha256", "sm3"]
Stream = Literal["operation", "model"]
STREAMS: tuple[Stream, ...] = ("operation", "model")
_MARK = "sgclaw-ledger-head-1"
_HASH = re.compile(r"[0-9a-f]{64}")
_SIGNATURE = re.compile(r"[0-9a-f]{128}")
_FIELDS = ("install_id", "stream", "position", "hash", "algorithm", "at", "trace_id", "key_id",
           "signature")  # fmt: skip


class Head(NamedTuple):
    """The last link of one chain: *position* is its number, from 1; *hash* is lower-case hex."""

    install_id: str
    stream: str
    position: int
    hash: str
    algorithm: str


def head_bytes(head: Head, at: str, trace_id: str) -> bytes:
    """Return what a signature of *head* covers: it, when it was taken, and in which task."""
    words = (_MARK, head.install_id, head.stream, str(head.position), head.hash,
             head.algorithm, at, trace_id)  # fmt: skip
    return ("\n".join(words) + "\n").encode("utf-8")


class SignedHead(NamedTuple):
    """A head as the host keeps it: *at* is ISO 8601 in UTC, *signature* Ed25519 in hex."""

    head: Head
    at: str
    trace_id: str
    key_id: str
    signature: str

    def signed_bytes(self) -> bytes:
        """Return what the signature is to be held against."""
        return head_bytes(self.head, self.at, self.trace_id)


def head_line(signed: SignedHead) -> bytes:
    """Return *signed* as its one line of the heads file, without the line's end."""
    head, at, trace_id, key_id, signature = signed
    document = {**head._asdict(), "at": at, "trace_id": trace_id, "key_id": key_id,
                "signature": signature}  # fmt: skip
    return json.dumps(document, separators=(",", ":")).encode("ascii")


def parse_head(line: bytes) -> SignedHead | None:
    """Return the head that *line* is, None unless it is exactly what `head_line` writes.

    Whether its signature holds is for the reader to ask.
    """
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or tuple(document) != _FIELDS:
        return None
    position = document["position"]
    words = [value for name, value in document.items() if name != "position"]
    if type(position) is not int or position < 1 or not all(_is_word(word) for word in words):
        return None
    signed = SignedHead(Head(*(document[n] for n in Head._fields)), *words[-4:])
    is_hex = _HASH.fullmatch(signed.head.hash) and _SIGNATURE.fullmatch(signed.signature)
    return signed if is_hex and head_line(signed) == line else None


def _is_word(value: object) -> bool:
    # A line end in a word would let two heads have the same signed bytes.
    return isinstance(value, str) and value.isascii() and value.isprintable()

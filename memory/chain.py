"""The links of the ledger's chains, as pure functions (M7).

The rule: an event is hashed in two steps. Its content (whose it is, of which run, and its text as
it is stored) comes to one hash; that one, the place and the hash before come to the link. So a
chain can be proved with the content of some events left out.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

GENESIS = "0" * 64
_LINK, _CONTENT = "sgclaw-ledger-1", "sgclaw-event-1"


class Owner(NamedTuple):
    """Whose ledger it is: the installation, and the tenant and user it works for."""

    install_id: str
    tenant: str = ""
    user: str = ""


class Place(NamedTuple):
    """Where an event stands: *position* in its stream's chain, *seq* in its trace, both from 1."""

    stream: str
    position: int
    trace_id: str
    seq: int


def link_hash(owner: Owner, place: Place, algorithm: str, prev: str, text: str) -> str:
    """Return the hash of one link as 64 lower-case hex digits.

    *algorithm* is `sha256` or `sm3` (both 32 bytes), *prev* the hash of the link before it.

    Raises:
        ValueError: this Python's OpenSSL does not know *algorithm*.
    """
    content = content_hash(owner, place, algorithm, text)
    return link_of(owner.install_id, place.stream, place.position, algorithm, prev, content)


def content_hash(owner: Owner, place: Place, algorithm: str, text: str) -> str:
    """Return the hash of an event's content: its run and number, its owner and its *text*.

    Raises:
        ValueError: as `link_hash`.
    """
    words = (_CONTENT, place.trace_id, str(place.seq), owner.tenant, owner.user, text)
    return _hash(algorithm, words)


def link_of(
    install_id: str, stream: str, position: int, algorithm: str, prev: str, content: str
) -> str:
    """Return the hash of the link whose event has the content hash *content*.

    Raises:
        ValueError: as `link_hash`.
    """
    return _hash(algorithm, (_LINK, install_id, stream, str(position), algorithm, prev, content))


def _hash(algorithm: str, words: Sequence[str]) -> str:
    return hashlib.new(algorithm, "\n".join(words).encode("utf-8", "surrogatepass")).hexdigest()

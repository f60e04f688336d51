"""How a public key is named for short, in skills, in heads and in exports alike."""

import hashlib


def key_id_of(public: bytes) -> str:
    """Return the short name of a public key: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(public).hexdigest()[:16]

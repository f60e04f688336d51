"""Canonical bytes and digests: RFC 8785 (JCS), SHA-256."""

import hashlib
from collections.abc import Mapping

import rfc8785
from pydantic import JsonValue


def canonical_bytes(document: JsonValue | Mapping[str, object]) -> bytes:
    """Return *document* as RFC 8785 bytes: one document, one spelling.

    Raises:
        ValueError: an integer beyond 2^53-1, NaN, infinity or a lone surrogate.
    """
    try:
        return rfc8785.dumps(document)  # type: ignore[arg-type]
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise ValueError(str(error)) from error


def sha256_of(document: JsonValue | Mapping[str, object]) -> str:
    """Return the hexadecimal SHA-256 of the canonical bytes of *document*."""
    return hashlib.sha256(canonical_bytes(document)).hexdigest()

"""A signature counts with its scheme, over exactly its statement."""

import pytest
from nacl.signing import SigningKey

from skills.signature import PinnedKey, sign

KEY = SigningKey(bytes(32))
PINNED = PinnedKey(bytes(KEY.verify_key).hex())


def test_a_signature_without_or_with_another_scheme_is_none() -> None:
    signature = sign(KEY, b"statement")
    assert PINNED.signed(b"statement", signature)
    bare = signature.removeprefix("ed25519:")
    assert not PINNED.signed(b"statement", bare)
    assert not PINNED.signed(b"statement", f"ed448:{bare}")


@pytest.mark.parametrize("message", [b"", b"statement ", b"Statement"])
def test_a_signature_of_another_statement_is_none(message: bytes) -> None:
    assert not PINNED.signed(message, sign(KEY, b"statement"))

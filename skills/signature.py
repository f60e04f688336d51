"""Ed25519 over skills: one signature under each entry, one under the whole registry.

A signature of file bytes alone would serve any name, version or switch, so each covers the
statement in full, behind a tag that says what kind of statement it is.
"""

import base64
import binascii
import hashlib

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from skills.errors import SkillRegistryError
from states.canonical import canonical_bytes
from states.key_id import key_id_of
from states.skill import SkillEntry

ENTRY_TAG = b"sgclaw-skill-v1\n"
REGISTRY_TAG = b"sgclaw-registry-v1\n"
_SCHEME = "ed25519:"


class PinnedKey:
    """The public key that a library must be signed with."""

    def __init__(self, public_hex: str) -> None:
        """Take the key as 64 hexadecimal digits.

        Raises:
            SkillRegistryError: it is not that.
        """
        try:
            raw = bytes.fromhex(public_hex)
            self._key = VerifyKey(raw)
        except (ValueError, TypeError):
            raise SkillRegistryError("skill_key_invalid") from None
        self.public_hex = public_hex.lower()
        self.key_id = key_id_of(raw)

    def signed(self, message: bytes, signature: str) -> bool:
        """Return whether *signature* (`ed25519:<base64>`) stands under *message*."""
        if not signature.startswith(_SCHEME):
            return False
        try:
            # PyNaCl raises ValueError, not BadSignatureError, for a signature of another length.
            raw = base64.b64decode(signature.removeprefix(_SCHEME), validate=True)
            self._key.verify(message, raw)
        except (BadSignatureError, ValueError, binascii.Error):
            return False
        return True


def sign(key: SigningKey, message: bytes) -> str:
    """Return the signature of *message* by *key* as `ed25519:<base64>`."""
    return _SCHEME + base64.b64encode(key.sign(message).signature).decode("ascii")


def content_hash(content: bytes) -> str:
    """Return *content*'s hash as a registry writes it."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def entry_message(entry: SkillEntry) -> bytes:
    """Return the bytes that the signature of *entry* covers."""
    statement = entry.model_dump(include={"name", "file", "version", "hash", "size", "key_id"})
    return ENTRY_TAG + canonical_bytes(statement)


def registry_message(raw: bytes) -> bytes:
    """Return the bytes that the signature of the registry file *raw* covers.

    The raw bytes, not what a reader makes of them: nothing is parsed before it is verified.
    """
    return REGISTRY_TAG + raw

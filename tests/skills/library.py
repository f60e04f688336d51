"""Build small libraries in a folder, signed by a key of the test's own."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from nacl.signing import SigningKey

from skills.signature import (
    PinnedKey,
    content_hash,
    entry_message,
    registry_message,
    sign,
)
from states.key_id import key_id_of
from states.skill import SkillEntry

SOURCE = """\
/**
 * @skill {name}
 * @version {version}
 * @description 测试技能 for tests
 * @domains erp.example.com, oa.example.com
 * @params {{"type": "object"}}
 */
async function execute(params, browserAction) {{ return {{success: true}}; }}
"""


def source_of(name: str, version: str = "1.0.0") -> bytes:
    """Return a skill file."""
    return SOURCE.format(name=name, version=version).encode("utf-8")


class Signed(NamedTuple):
    """A library on disk, and the key to trust and to sign with."""

    root: Path
    key: SigningKey

    @property
    def pinned(self) -> PinnedKey:
        """The public half, as the program would pin it."""
        return PinnedKey(bytes(self.key.verify_key).hex())

    def entry(self, name: str, **changes: Any) -> dict[str, Any]:
        """Write the file of *name* and return its signed entry; *changes* are signed as well."""
        content = source_of(name)
        (self.root / "builtin").mkdir(exist_ok=True)
        (self.root / "builtin" / f"{name}.js").write_bytes(content)
        entry = {
            "name": name,
            "file": f"builtin/{name}.js",
            "version": "1.0.0",
            "size": len(content),
            "hash": content_hash(content),
            "key_id": key_id_of(bytes(self.key.verify_key)),
            "enabled": True,
            "signature": "ed25519:" + "A" * 86 + "==",
            **changes,
        }
        model = SkillEntry.model_construct(**entry)
        return {**entry, "signature": sign(self.key, entry_message(model))}

    def publish(self, entries: list[dict[str, Any]], **changes: Any) -> None:
        """Write and sign the registry over *entries*."""
        document = {
            "version": "1.1",
            "serial": 3,
            "updated_at": "2026-01-01T00:00:00Z",
            "expires_at": None,
            "skills": entries,
            **changes,
        }
        self.publish_raw(json.dumps(document).encode("utf-8"))

    def publish_raw(self, raw: bytes) -> None:
        """Write and sign *raw* as the registry."""
        (self.root / "registry.json").write_bytes(raw)
        signature = sign(self.key, registry_message(raw))
        (self.root / "registry.json.sig").write_text(signature, encoding="ascii")


def library_at(root: Path, *names: str) -> Signed:
    """Return a good library with the skills *names* at *root*."""
    signed = Signed(root, SigningKey.generate())
    signed.publish([signed.entry(name) for name in names])
    return signed

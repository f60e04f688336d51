"""Sign the built-in library with a new release key whose private half is never stored.

The public half is pinned in `skills.release_key`; `keys/release.pub` is a copy for people. Who
changes a built-in skill signs the library again: there is no old key to steal.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nacl.signing import SigningKey

from engine.pipe.errors import ProtocolViolationError
from engine.pipe.strict_json import parse_object
from skills.errors import SkillRegistryError
from skills.files import read_once
from skills.header import parse_header
from skills.registry import KEY_COPY, LIBRARY_ROOT, REGISTRY_FILE, SIGNATURE_FILE
from skills.signature import content_hash, entry_message, registry_message, sign
from states.key_id import key_id_of
from states.settings import SkillLimits
from states.skill import Registry, SkillEntry

KEY_MODULE = Path(__file__).parent / "release_key.py"
_PLACEHOLDER = "ed25519:" + "A" * 86 + "=="
_MODULE = '''"""The key that the built-in skills are signed with; written by `skills.signing`."""

PUBLIC_KEY_HEX = "{public_hex}"
'''


class SigningPlaces(NamedTuple):
    """What a signing reads and writes."""

    root: Path = LIBRARY_ROOT
    key_module: Path = KEY_MODULE
    key_copy: Path = KEY_COPY


def sign_library(now: datetime, places: SigningPlaces | None = None) -> Registry:
    """Sign every file of `builtin/` with a new key and write registry, signature and key.

    Raises:
        SkillError: a file has no valid header, or its name is not @skill; nothing was written.
    """
    places = places or SigningPlaces()
    key = SigningKey.generate()
    public = bytes(key.verify_key)
    switched_off, serial = _previous(places.root)
    entries = tuple(
        _signed_entry(places.root, path, key, enabled=path.stem not in switched_off)
        for path in sorted((places.root / "builtin").glob("*.js"))
    )
    registry = Registry(
        version="1.1",
        serial=serial + 1,
        updated_at=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        skills=entries,
    )
    raw = registry.model_dump_json(indent=2).encode("utf-8") + b"\n"
    signature = sign(key, registry_message(raw))
    places.key_copy.parent.mkdir(parents=True, exist_ok=True)
    (places.root / REGISTRY_FILE).write_bytes(raw)
    (places.root / SIGNATURE_FILE).write_bytes(signature.encode("ascii") + b"\n")
    places.key_copy.write_bytes(f"{public.hex()} {key_id_of(public)}\n".encode("ascii"))
    places.key_module.write_bytes(_MODULE.format(public_hex=public.hex()).encode("ascii"))
    return registry


def _signed_entry(root: Path, path: Path, key: SigningKey, *, enabled: bool) -> SkillEntry:
    file = f"builtin/{path.name}"
    content = read_once(root, file, SkillLimits().file_bytes_max)
    header = parse_header(content)
    if header.skill != path.stem:
        facts = {"name": path.stem, "field": "@skill", "header": header.skill, "entry": path.stem}
        raise SkillRegistryError("skill_header_differs", file=file, **facts)
    entry = SkillEntry(
        name=header.skill,
        file=file,
        version=header.version,
        size=len(content),
        hash=content_hash(content),
        key_id=key_id_of(bytes(key.verify_key)),
        signature=_PLACEHOLDER,
        enabled=enabled,
    )
    return entry.model_copy(update={"signature": sign(key, entry_message(entry))})


def _previous(root: Path) -> tuple[frozenset[str], int]:
    """Return the names that the present registry switches off, and its serial number."""
    try:
        text = (root / REGISTRY_FILE).read_text(encoding="utf-8")
    except OSError:
        return frozenset(), 0
    try:
        registry = Registry.model_validate(parse_object(text, SkillLimits().json_depth_max))
    except (ProtocolViolationError, ValueError) as error:
        raise SkillRegistryError(
            "skill_registry_invalid", where=REGISTRY_FILE, why=error
        ) from error
    return frozenset(e.name for e in registry.skills if not e.enabled), registry.serial

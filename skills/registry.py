"""The signed library: which skills may run, and exactly which bytes.

# INVARIANT: nothing is parsed before its signature is verified, and the bytes that were hashed
# are the bytes that run: each file is read once.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from engine.pipe.errors import ProtocolViolationError
from engine.pipe.strict_json import parse_object
from skills.errors import SkillError, SkillRegistryError, SkillTrustError, SkillUnknownError
from skills.files import read_once
from skills.header import parse_header
from skills.release_key import PUBLIC_KEY_HEX
from skills.signature import PinnedKey, content_hash, entry_message, registry_message
from states.settings import SkillLimits
from states.skill import Registry, Skill, SkillEntry

LIBRARY_ROOT = Path(__file__).parent / "library"
KEY_COPY = Path(__file__).parent / "keys" / "release.pub"
REGISTRY_FILE = "registry.json"
SIGNATURE_FILE = "registry.json.sig"
FOLDERS = ("builtin", "custom")
_FILE = re.compile(r"(?:builtin|custom)/([a-z0-9]+(?:-[a-z0-9]+)*)\.js")
_NAME_CHARS_MAX = 64
# Windows opens the device, whatever the suffix.
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
_SIGNATURE_BYTES_MAX = 512


class SkillProblem(NamedTuple):
    """One file or entry that was not loaded, and why."""

    name: str
    file: str
    error: SkillError


class Library(NamedTuple):
    """The verified skills, and what was left out."""

    serial: int
    skills: tuple[Skill, ...]
    problems: tuple[SkillProblem, ...]
    disabled: tuple[str, ...]

    def get(self, name: str) -> Skill:
        """Return the skill *name*.

        Raises:
            SkillError: it is not loaded; the error says why.
        """
        for skill in self.skills:
            if skill.header.skill == name:
                return skill
        for problem in self.problems:
            if problem.name == name:
                raise problem.error
        if name in self.disabled:
            raise SkillUnknownError("skill_disabled", name=name)
        known = ", ".join(skill.header.skill for skill in self.skills)
        raise SkillUnknownError("skill_unknown", name=name[:_NAME_CHARS_MAX], known=known or "-")


def load_library(
    root: Path | None = None, key: PinnedKey | None = None, limits: SkillLimits | None = None
) -> Library:
    """Return the library at *root* (the built-in one), verified against *key* (the release key).

    Raises:
        SkillRegistryError: the registry as a whole cannot be trusted; nothing is loaded.
    """
    limits = limits or SkillLimits()
    if key is None:
        key = PinnedKey(PUBLIC_KEY_HEX)
        if root is None:
            _check_key_copy(key)
    root = LIBRARY_ROOT if root is None else root
    registry = _load_registry(root, key, limits)
    skills: list[Skill] = []
    problems: list[SkillProblem] = []
    for entry in registry.skills:
        if not entry.enabled:
            continue
        try:
            skills.append(_load_skill(root, entry, key, limits))
        except SkillError as error:
            problems.append(SkillProblem(entry.name, entry.file, error))
    problems.extend(_unsigned(root, registry.skills))
    disabled = tuple(entry.name for entry in registry.skills if not entry.enabled)
    return Library(registry.serial, tuple(skills), tuple(problems), disabled)


def _check_key_copy(key: PinnedKey) -> None:
    try:
        copy = KEY_COPY.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        copy = []
    if copy[:1] != [key.public_hex]:
        raise SkillRegistryError("skill_key_copy_differs", path=KEY_COPY)


def _load_registry(root: Path, key: PinnedKey, limits: SkillLimits) -> Registry:
    path = root / REGISTRY_FILE
    try:
        raw = read_once(root, REGISTRY_FILE, limits.file_bytes_max)
    except SkillTrustError as error:
        raise SkillRegistryError("skill_registry_missing", path=path) from error
    try:
        signature = read_once(root, SIGNATURE_FILE, _SIGNATURE_BYTES_MAX).decode("ascii")
    except (SkillTrustError, UnicodeDecodeError) as error:
        raise SkillRegistryError("skill_registry_unsigned", path=root / SIGNATURE_FILE) from error
    if not key.signed(registry_message(raw), signature.strip()):
        raise SkillRegistryError("skill_registry_tampered", path=path)
    registry = _parse_registry(raw, path, limits)
    if registry.expires_at is not None:
        # Built-ins expire with the program's version; a date that nobody checks would be a lie.
        raise SkillRegistryError("skill_registry_expiry", expires_at=registry.expires_at)
    for names in ([e.name for e in registry.skills], [e.file for e in registry.skills]):
        _refuse_twins(names)
    for entry in registry.skills:
        _check_names(entry)
    return registry


def _parse_registry(raw: bytes, path: Path, limits: SkillLimits) -> Registry:
    try:
        document = parse_object(raw.decode("utf-8"), limits.json_depth_max)
    except UnicodeDecodeError as error:
        raise SkillRegistryError("skill_registry_json", path=path, why="UTF-8") from error
    except ProtocolViolationError as error:
        raise SkillRegistryError("skill_registry_json", path=path, why=error) from error
    try:
        return Registry.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SkillRegistryError("skill_registry_invalid", where=where, why=first["msg"]) from error


def _refuse_twins(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise SkillRegistryError("skill_registry_duplicate", name=name)
        seen.add(name.casefold())


def _check_names(entry: SkillEntry) -> None:
    """Match whole names: `$` in the model's patterns would let a final line break through."""
    found = _FILE.fullmatch(entry.file)
    stem = found[1] if found else ""
    wrong = found is None or stem != entry.name or len(stem) > _NAME_CHARS_MAX
    if wrong or _DEVICES.fullmatch(stem):
        where = f"{entry.name!r}, {entry.file!r}"
        raise SkillRegistryError("skill_registry_invalid", where=where, why="file name")


def _load_skill(root: Path, entry: SkillEntry, key: PinnedKey, limits: SkillLimits) -> Skill:
    if entry.key_id != key.key_id:
        raise SkillTrustError("skill_key_unknown", name=entry.name, key_id=entry.key_id)
    if not key.signed(entry_message(entry), entry.signature):
        raise SkillTrustError("skill_signature_bad", name=entry.name)
    content = read_once(root, entry.file, limits.file_bytes_max)
    if content_hash(content) != entry.hash or len(content) != entry.size:
        # Only to say what happened: converted bytes are refused all the same.
        restored = content.replace(b"\r\n", b"\n")
        converted = restored != content and content_hash(restored) == entry.hash
        code = "skill_hash_line_endings" if converted else "skill_hash_differs"
        raise SkillTrustError(code, name=entry.name, file=entry.file)
    header = parse_header(content, limits)
    for field, said, signed in (
        ("@skill", header.skill, entry.name),
        ("@version", header.version, entry.version),
    ):
        if said != signed:
            facts = {"field": field, "header": said, "entry": signed}
            raise SkillTrustError("skill_header_differs", name=entry.name, file=entry.file, **facts)
    return Skill(header=header, entry=entry, source=content.decode("utf-8"))


def _unsigned(root: Path, entries: Iterable[SkillEntry]) -> list[SkillProblem]:
    """Return the skill files that nobody signed, so that they are seen rather than ignored."""
    signed = {entry.file for entry in entries}
    found: list[SkillProblem] = []
    for folder in FOLDERS:
        for path in sorted((root / folder).glob("*.js")):
            file = f"{folder}/{path.name}"
            if file not in signed:
                error = SkillTrustError("skill_unsigned", file=ascii(file)[1:-1])
                found.append(SkillProblem(path.stem, file, error))
    return found

"""Read a bundle that `audit export` wrote, a folder or a zip, after holding it against its key.

The rule: nothing is returned of a bundle whose manifest its key did not sign, or of a file that is
not what the manifest says. Whose key it is, and whether the chains hold, is for `verify.py`.
"""

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from memory.errors import LedgerError
from sgclaw.audit_bundle import EVENTS, FORMAT, KEY, MANIFEST, SIGNATURE, public_pem

_FACTS_BYTES_MAX = 256 << 20
_KEY_BYTES = 32
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


class Bundle(NamedTuple):
    """What a bundle tells: its *manifest*, the *rows* of its runs, and the files of the host.

    *rows* are in order of run and number; *host_files* are texts by name (`TRACE.log` the host's
    log, `TRACE.jsonl` its journal).
    """

    manifest: Mapping[str, Any]
    rows: tuple[dict[str, Any], ...]
    host_files: Mapping[str, str]


class _Files(Protocol):
    def __call__(self, name: str, bytes_max: int, /) -> bytes:
        """Return the file *name*; raise OSError, KeyError or ValueError if it is none."""


def is_bundle(path: Path) -> bool:
    """Tell whether *path* looks like a bundle: a zip, or a folder with a manifest."""
    return (path / MANIFEST).is_file() or (path.is_file() and zipfile.is_zipfile(path))


def read_bundle(path: Path) -> Bundle:
    """Return what the bundle *path* tells.

    Raises:
        LedgerError: it cannot be read, or is not what was signed.
    """
    if path.is_dir():
        return _read(path, lambda name, most: _from_folder(path / name, most))
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(path, lambda name, most: _from_zip(archive, name, most))
    except (OSError, zipfile.BadZipFile) as error:
        raise LedgerError("ledger_bundle_broken", path=path, file=path.name) from error


def _read(path: Path, read: _Files) -> Bundle:
    name = MANIFEST
    try:
        text = read(MANIFEST, _FACTS_BYTES_MAX)
        _check_signature(text, read(KEY, 1_024), read(SIGNATURE, 1_024))
        manifest = json.loads(text)
        if manifest["format"] != FORMAT:
            raise ValueError(FORMAT)
        contents: dict[str, bytes] = {}
        for name, told in manifest["files"].items():
            if name == EVENTS or name.startswith("host/"):
                contents[name] = read(name, int(told["bytes"]))
                if hashlib.sha256(contents[name]).hexdigest() != told["sha256"]:
                    raise ValueError(name)
        name = EVENTS
        rows = _rows(contents.pop(EVENTS))
    except _BROKEN as error:
        raise LedgerError("ledger_bundle_broken", path=path, file=name) from error
    host = {n.removeprefix("host/"): c.decode("utf-8", "replace") for n, c in contents.items()}
    return Bundle(manifest, rows, host)


_BROKEN = (OSError, KeyError, TypeError, ValueError, AttributeError, RecursionError,
           zipfile.BadZipFile, zlib.error, NotImplementedError)  # fmt: skip


def _rows(content: bytes) -> tuple[dict[str, Any], ...]:
    lines = [json.loads(line) for line in content.splitlines()]
    told = sorted((line["trace_id"], line["seq"], line["text"]) for line in lines if "text" in line)
    rows = [json.loads(text) for _, _, text in told]
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError(EVENTS)
    return tuple(rows)


def _check_signature(text: bytes, pem: bytes, signature: bytes) -> None:
    from base64 import b64decode

    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    key = b64decode(pem.split(b"\n")[1])[-_KEY_BYTES:]
    if public_pem(key) != pem:
        raise ValueError(KEY)
    try:
        VerifyKey(key).verify(text, signature)
    except BadSignatureError as error:
        raise ValueError(SIGNATURE) from error


def _from_folder(path: Path, bytes_max: int) -> bytes:
    fd = os.open(path, os.O_RDONLY | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(fd, "rb") as file:
        return _at_most(file.read(bytes_max + 1), bytes_max)


def _from_zip(archive: zipfile.ZipFile, name: str, bytes_max: int) -> bytes:
    with archive.open(name) as file:
        return _at_most(file.read(bytes_max + 1), bytes_max)


def _at_most(content: bytes, bytes_max: int) -> bytes:
    if len(content) > bytes_max:
        raise ValueError(bytes_max)
    return content

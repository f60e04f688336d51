"""Who this installation is: an id for its ledger's rows, and the key that signs what it came to.

Both are made once and never again. A key that is gone or damaged is refused, not replaced: what
the old one signed would look forged, and a new one would sign whatever stands there now.
"""

import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sgclaw.errors import RefusedError
from sgclaw.paths import host_log_dir, private_folder
from states.key_id import key_id_of

if TYPE_CHECKING:  # a child that signs nothing does not load the library
    from nacl.signing import SigningKey, VerifyKey

_ID = re.compile(r"[0-9a-f]{32}")
_KEY = re.compile(r"[0-9a-f]{64}")
_FILE_BYTES_MAX = 1_024
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_FOR_OTHERS = 0o077


def id_path(data: Path) -> Path:
    """Return the file that holds the installation's id."""
    return data / "install"


def key_path(data: Path) -> Path:
    """Return the file that holds the private key."""
    return data / "keys" / "install.key"


def public_key_path(data: Path) -> Path:
    """Return the file that holds the public key, to be handed on."""
    return data / "keys" / "install.pub"


def heads_path(data: Path) -> Path:
    """Return the file in which the host keeps the signed heads."""
    return host_log_dir(data) / "heads.jsonl"


def install_id(data: Path) -> str:
    """Return the id of the installation at *data*, 32 hex digits; made by the first who asks.

    Raises:
        RefusedError: the file cannot be used, or is gone while signed heads still name it.
    """
    return _made_once(data, id_path(data), _ID, lambda: secrets.token_hex(16))


def known_install_id(data: Path) -> str | None:
    """Return the id of the installation at *data*, None when it has none yet; make nothing.

    Raises:
        RefusedError: the file cannot be used.
    """
    return _read(id_path(data), _ID)


def signing_key(data: Path) -> "SigningKey":
    """Return the key that signs heads and bundles; made by the first who asks.

    Raises:
        RefusedError: a key file cannot be used, the two do not belong together, or the private
            one is gone while the public one or signed heads are there.
    """
    from nacl.signing import SigningKey

    path = key_path(data)
    # In this order: the public file is written after the private one.
    was_made = _read_public(public_key_path(data)) is not None
    if was_made and _read(path, _KEY) is None:
        raise RefusedError("install_file_gone", path=path)
    key = SigningKey(bytes.fromhex(_made_once(data, path, _KEY, lambda: secrets.token_hex(32))))
    public = bytes(key.verify_key)
    if _read_public(public_key_path(data)) is None:
        _write_once(public_key_path(data), f"{public.hex()} {key_id_of(public)}\n")
    if _read_public(public_key_path(data)) != public:
        raise RefusedError("install_keys_differ", path=public_key_path(data), key=path)
    return key


def public_key(data: Path) -> "VerifyKey | None":
    """Return the public key of the installation at *data*, None when it has none yet.

    Raises:
        RefusedError: the file cannot be used.
    """
    return _as_key(_read_public(public_key_path(data)))


def read_public_key(path: Path) -> "VerifyKey | None":
    """Return the public key in the file *path* that a person named, None when there is none.

    Raises:
        RefusedError: it is a link, or holds no key.
    """
    return _as_key(_read_public(path, 0))


def _as_key(raw: bytes | None) -> "VerifyKey | None":
    from nacl.signing import VerifyKey

    return None if raw is None else VerifyKey(raw)


def _made_once(data: Path, path: Path, form: re.Pattern[str], new: Callable[[], str]) -> str:
    # In this order: no head is signed before both files are there.
    has_heads = _has_heads(data)
    found = _read(path, form)
    if found is None:
        if has_heads:
            raise RefusedError("install_file_gone", path=path)
        _write_once(path, new() + "\n")
        found = _read(path, form)  # another program may have been first
    if found is None:
        raise RefusedError("install_file_gone", path=path)
    return found


def _has_heads(data: Path) -> bool:
    try:
        return heads_path(data).stat().st_size > 0
    except FileNotFoundError:
        return False
    except OSError as error:
        raise RefusedError(
            "install_file_unusable", path=heads_path(data), why=error.strerror
        ) from error


def _read(path: Path, form: re.Pattern[str]) -> str | None:
    content = _content(path, _FOR_OTHERS)
    if content is None:
        return None
    text = content.removesuffix("\n")
    if form.fullmatch(text) is None:
        raise RefusedError("install_file_damaged", path=path)
    return text


def _read_public(path: Path, closed: int = stat.S_IWGRP | stat.S_IWOTH) -> bytes | None:
    """Return the public key in *path*: 64 hex digits and the short name they have."""
    content = _content(path, closed)
    if content is None:
        return None
    public_hex, _, key_id = content.strip().partition(" ")
    if _KEY.fullmatch(public_hex) and key_id == key_id_of(bytes.fromhex(public_hex)):
        return bytes.fromhex(public_hex)
    raise RefusedError("install_file_damaged", path=path)


def _content(path: Path, closed: int) -> str | None:
    """Return the text of *path*, None when nothing is there; *closed* are bits of no others."""
    try:
        fd = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT)
    except FileNotFoundError:
        return None
    except OSError as error:
        if path.is_symlink():
            raise RefusedError("install_file_link", path=path) from error
        raise RefusedError("install_file_unusable", path=path, why=error.strerror) from error
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        os.close(fd)
        raise RefusedError("install_file_link", path=path)
    with os.fdopen(fd, "rb") as file:
        if os.name == "posix" and found.st_mode & closed:
            raise RefusedError("install_file_open", path=path, mode=f"{found.st_mode & 0o777:o}")
        # latin-1 takes any byte: what is no hex digit is refused by the form.
        return file.read(_FILE_BYTES_MAX).decode("latin-1")


def _write_once(path: Path, text: str) -> None:
    """Put *text* at *path* as a whole, unless something is there; of several writers one wins."""
    try:
        folder = private_folder(path.parent)
        fd, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=folder)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(text.encode("ascii"))
                file.flush()
                os.fsync(fd)
            os.link(name, path)
            _sync_folder(folder)
        except FileExistsError:
            pass
        finally:
            Path(name).unlink()
    except OSError as error:
        raise RefusedError("install_file_unusable", path=path, why=error.strerror) from error


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return  # only there can a folder be opened
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)

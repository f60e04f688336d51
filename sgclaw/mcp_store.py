"""The file of MCP servers (R6): which are started, and which of their tools a person approved.

Whoever can write it chooses programs that are run: it is this account's alone. Whoever changes it
reads it anew under its lock: what another command took back meanwhile does not come back.
"""

import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.pipe.errors import ProtocolViolationError
from engine.pipe.strict_json import parse_object
from memory.lock import lock_file
from sgclaw.errors import RefusedError
from sgclaw.paths import policy_path, private_folder
from states.mcp import McpServer
from states.settings import McpLimits

BYTES_MAX = 16_777_216
_DEPTH_MAX = 64
_FOR_OTHERS = stat.S_IWGRP | stat.S_IWOTH
LOCK_SECONDS, _PAUSE_S = 5.0, 0.02
_LOCK_OPEN = (
    os.O_RDWR | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)  # fmt: skip


class McpFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    version: Literal[1] = 1
    servers: Annotated[tuple[McpServer, ...], Field(max_length=100)] = ()

    @model_validator(mode="after")
    def _names_are_distinct(self) -> Self:
        names = [server.name for server in self.servers]
        if len(set(names)) < len(names):
            raise ValueError("two servers have one name")
        return self


def mcp_path() -> Path:
    """Return where the file stands: beside the policy file."""
    return policy_path().with_name("mcp.json")


def load_servers(path: Path) -> tuple[McpServer, ...]:
    """Return the servers in *path*; none when there is no such file.

    Raises:
        RefusedError: it cannot be used as it stands: exit code 4.
    """
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            raw = file.read(BYTES_MAX + 1)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise RefusedError("mcp_file_unreadable", path=path, why=error.strerror) from error
    if os.name == "posix":
        _check_owner(path, found)
    if len(raw) > BYTES_MAX:
        raise RefusedError("mcp_file_unreadable", path=path, why=f"> {BYTES_MAX} bytes")
    try:
        document = parse_object(raw.decode("utf-8"), _DEPTH_MAX)
        return McpFile.model_validate(document).servers
    except (UnicodeDecodeError, ProtocolViolationError) as error:
        raise RefusedError("mcp_file_wrong", path=path, where="-", why=error) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "-"
        raise RefusedError("mcp_file_wrong", path=path, where=where, why=first["msg"]) from error


def save_servers(path: Path, servers: Iterable[McpServer]) -> None:
    """Put *servers* into *path* as a whole, readable by this account alone.

    Raises:
        RefusedError: it cannot be written.
    """
    text = McpFile(servers=tuple(servers)).model_dump_json(indent=2) + "\n"
    try:
        folder = private_folder(path.parent)
        fd, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=folder)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(fd)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink()
            raise
    except OSError as error:
        raise RefusedError("mcp_file_unwritable", path=path, why=error.strerror) from error


def change_servers(
    path: Path,
    change: Callable[[tuple[McpServer, ...]], Iterable[McpServer]],
    seconds: float = LOCK_SECONDS,
) -> None:
    """Put what *change* makes of the servers in *path* there, with nobody else at it meanwhile.

    Raises:
        RefusedError: another command held the file for *seconds*, or it cannot be read or written.
    """
    with _locked(path, seconds):
        save_servers(path, change(load_servers(path)))


def approved_servers(path: Path, limits: McpLimits) -> tuple[McpServer, ...]:
    """Return the servers in *path* of which a tool is approved: what a task may use.

    Raises:
        RefusedError: the file cannot be used, or names more than the settings allow.
    """
    used = tuple(server for server in load_servers(path) if server.tools)
    tools = sum(len(server.tools) for server in used)
    if len(used) > limits.servers_max or tools > limits.tools_max:
        raise RefusedError(
            "mcp_too_many", path=path, servers=len(used), servers_max=limits.servers_max,
            tools=tools, tools_max=limits.tools_max,
        )  # fmt: skip
    return used


def _check_owner(path: Path, found: os.stat_result) -> None:
    """Refuse a file that somebody else could write, or put another one in the place of."""
    if found.st_mode & _FOR_OTHERS:
        raise RefusedError("mcp_file_open", path=path, mode=f"{found.st_mode & 0o777:o}")
    if found.st_uid != os.geteuid():
        raise RefusedError("mcp_file_foreign", path=path, owner=found.st_uid)
    try:
        folder = path.parent.stat()
    except OSError as error:
        raise RefusedError("mcp_file_unreadable", path=path, why=error.strerror) from error
    if folder.st_mode & _FOR_OTHERS:
        raise RefusedError("mcp_folder_open", path=path.parent, mode=f"{folder.st_mode & 0o777:o}")
    if folder.st_uid not in (0, os.geteuid()):
        raise RefusedError("mcp_file_foreign", path=path.parent, owner=folder.st_uid)


@contextmanager
def _locked(path: Path, seconds: float) -> Iterator[None]:
    # A file of its own: the other one is replaced, and a lock would stay with the old one.
    lock = path.with_name(f".{path.name}.lock")
    ends = time.monotonic() + seconds
    try:
        private_folder(path.parent)
        fd = os.open(lock, _LOCK_OPEN, 0o600)
    except OSError as error:
        raise RefusedError("mcp_file_unwritable", path=path, why=error.strerror) from error
    try:
        while not _is_ours(fd, path):
            if time.monotonic() >= ends:
                raise RefusedError("mcp_file_busy", path=path, seconds=seconds)
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(fd)


def _is_ours(fd: int, path: Path) -> bool:
    try:
        return lock_file(fd)
    except OSError as error:
        raise RefusedError("mcp_file_unwritable", path=path, why=error.strerror) from error

"""What one place confirmed (A3): a small file, so that the next upload goes on where this ended.

Nothing of an address or a credential stands in it. A file that cannot be read is as none: sending
again does no harm, because each object has one name and one content.
"""

import contextlib
import json
import os
from pathlib import Path
from types import TracebackType

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from memory.lock import lock_file
from sgclaw.errors import RefusedError, UsageError
from sgclaw.paths import private_folder

_BYTES_MAX = 16_777_216
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


class Confirmed(BaseModel):
    """Objects by name with their size; and of the heads, up to which byte they are there.

    *heads_begun* is where the piece ends that was begun: it keeps its name when it is sent again.
    """

    model_config = ConfigDict(extra="forbid")
    v: int = 1
    files: dict[str, NonNegativeInt] = {}
    heads_end: NonNegativeInt = 0
    heads_begun: NonNegativeInt = 0


class UploadState:
    """The state of one target, locked while it is open: `with UploadState(folder, id) as state`."""

    def __init__(self, folder: Path, target_id: str) -> None:
        self._path = folder / f"{target_id}.json"
        self._lock_fd = -1
        self.confirmed = Confirmed()

    def __enter__(self) -> "UploadState":
        """Lock and read it.

        Raises:
            UsageError: another upload to the same place runs.
            RefusedError: the folder cannot be written.
        """
        lock = self._path.with_suffix(".lock")
        try:
            private_folder(self._path.parent)
            self._lock_fd = os.open(lock, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o600)
            is_locked = lock_file(self._lock_fd)
        except OSError as error:
            self._unlock()
            raise RefusedError("upload_state_unwritable", path=lock, why=error.strerror) from error
        if not is_locked:
            self._unlock()
            raise UsageError("upload_running")
        self.confirmed = read_state(self._path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let it go."""
        self._unlock()

    def save(self) -> None:
        """Write it, whole or not at all.

        Raises:
            RefusedError: it cannot be written, so nothing more is sent.
        """
        part = self._path.with_suffix(".part")
        text = self.confirmed.model_dump_json() + "\n"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
        try:
            part.unlink(missing_ok=True)
            with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._path)
        except OSError as error:
            why = error.strerror or str(error)
            raise RefusedError("upload_state_unwritable", path=self._path, why=why) from error

    def _unlock(self) -> None:
        if self._lock_fd >= 0:
            with contextlib.suppress(OSError):
                os.close(self._lock_fd)
        self._lock_fd = -1


def read_state(path: Path) -> Confirmed:
    """Return what stands in the file at *path*; nothing confirmed when there is none."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | _NO_FOLLOW), "rb") as file:
            text = file.read(_BYTES_MAX)
        return Confirmed.model_validate(json.loads(text))
    except (OSError, ValueError, ValidationError, RecursionError):
        return Confirmed()

"""The host's record of what the agent's ledger came to: one signed line a head (M7).

The ledger lies with the agent; the host holds its heads. An agent that cut its ledger off or made
it anew comes with a head that stands where another one stood, or behind where its task began.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path

from browser.host.agent_errors import HostLogError
from browser.host.host_log import WallClock
from states.ledger_head import Head, SignedHead, head_line, parse_head

# Enough for hundreds of heads of each stream; older ones are for `audit verify` to compare.
_TAIL_BYTES = 262_144
# A line is some 400 bytes: more without an end was not left by a kill.
_TORN_BYTES_MAX = 4_096
_LOCK_TRIES = 100
_LOCK_PAUSE_SECONDS = 0.01
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_Chain = tuple[str, str]


class HeadLog:
    """Signs heads into the file *path*, which several hosts may share; make one for each task.

    `failure` says why the first head that is missing could not be written, "" when none is;
    `refused` is the first head that contradicts the file, None when none does.
    """

    def __init__(
        self,
        path: Path,
        sign: Callable[[bytes], bytes],
        key_id: str,
        clock: WallClock,
        lock: Callable[[int], bool],
    ) -> None:
        """Open *path* and take what it holds as what this task starts from.

        *sign* returns the 64 bytes of an Ed25519 signature by the key that *key_id* names; *lock*
        locks an open file until it is closed, and tells whether nobody else holds it.

        Raises:
            HostLogError: it cannot be written, or a link stands in its place.
        """
        self.path = path
        self.failure = ""
        self.refused: Head | None = None
        self._sign = sign
        self._key_id = key_id
        self._clock = clock
        self._lock = lock
        self._read_to = 0
        # Hashes by position, and the last position from which each chain may only go on.
        self._hashes: dict[_Chain, dict[int, str]] = {}
        self._floors: dict[tuple[_Chain, str], int] = {}
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._opened() as fd:
                self._catch_up(fd)
        except OSError as error:
            raise HostLogError(str(path), error.strerror or str(error)) from error
        self._start = {chain: max(known) for chain, known in self._hashes.items()}

    def take(self, head: Head, trace_id: str) -> bool:
        """Sign *head* of the task *trace_id* and keep it; tell whether the file holds it now.

        It is refused when the chain did not go on from where this task found it or left it, or
        when another hash is known for its position. A host that works at the same time may have
        written a later head meanwhile; that alone is no contradiction.
        """
        try:
            with self._opened() as fd:
                self._catch_up(fd)
                if not self._goes_on(head, trace_id):
                    self.refused = self.refused or head
                    return False
                if self._known(head).get(head.position) != head.hash:
                    self._append(fd, head, trace_id)
        except OSError as error:
            self.failure = self.failure or error.strerror or str(error)
            return False
        self._floors[(head.install_id, head.stream), trace_id] = head.position
        return True

    def _known(self, head: Head) -> dict[int, str]:
        return self._hashes.setdefault((head.install_id, head.stream), {})

    def _goes_on(self, head: Head, trace_id: str) -> bool:
        if not _is_well_formed(head, trace_id):
            return False
        chain = (head.install_id, head.stream)
        same = self._known(head).get(head.position)
        if same is not None and same != head.hash:
            return False
        return head.position >= self._floors.get((chain, trace_id), self._start.get(chain, 0))

    def _append(self, fd: int, head: Head, trace_id: str) -> None:
        at = self._clock().astimezone(UTC).isoformat(timespec="milliseconds")
        unsigned = SignedHead(head, at, trace_id, self._key_id, "")
        signed = unsigned._replace(signature=self._sign(unsigned.signed_bytes()).hex())
        line = head_line(signed) + b"\n"
        try:
            if os.write(fd, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(fd)
        except OSError:
            os.ftruncate(fd, self._read_to)
            raise
        self._read_to += len(line)
        self._known(head)[head.position] = head.hash

    def _catch_up(self, fd: int) -> None:
        """Read the lines since the last look, and cut off what a kill left of a line."""
        size = os.fstat(fd).st_size
        if size < self._read_to:
            self._read_to = 0
        start = max(self._read_to, size - _TAIL_BYTES)
        os.lseek(fd, start, os.SEEK_SET)
        content = _read_all(fd, size - start)
        whole = content.rfind(b"\n") + 1
        for line in content[:whole].split(b"\n"):
            signed = parse_head(line)
            if signed is not None:
                known = self._known(signed.head)
                known.setdefault(signed.head.position, signed.head.hash)
        if len(content) - whole > _TORN_BYTES_MAX:
            raise OSError(errno.EINVAL, "it is damaged")
        self._read_to = start + whole
        if whole < len(content):
            os.ftruncate(fd, self._read_to)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """Have the file open in the block, for this host alone.

        Raises:
            OSError: it cannot be opened, is no regular file, or another host does not let go.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_FOLLOW | _NO_WAIT
        fd = os.open(self.path, flags, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            for _ in range(_LOCK_TRIES):
                if self._lock(fd):
                    break
                time.sleep(_LOCK_PAUSE_SECONDS)
            else:
                raise OSError(errno.EAGAIN, "another host holds the file")
            yield fd
        finally:
            os.close(fd)


def _is_well_formed(head: Head, trace_id: str) -> bool:
    """Tell whether *head*, which comes from the agent, is one that a reader takes."""
    tried = SignedHead(head, "", trace_id, "", "0" * 128)
    return parse_head(head_line(tried)) is not None


def _read_all(fd: int, count: int) -> bytes:
    content = b""
    while len(content) < count:
        part = os.read(fd, count - len(content))
        if not part:
            break
        content += part
    return content

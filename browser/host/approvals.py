"""The approvals of one task: each for one digest, single use, for a time (design section 2)."""

from collections.abc import Callable
from typing import NamedTuple

Clock = Callable[[], float]


class _Grant(NamedTuple):
    by: str
    expires_at: float


class Approvals:
    """What the person said yes and no to; *clock* is monotonic seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._grants: dict[str, _Grant] = {}
        self._rejected: set[str] = set()

    def grant(self, digest: str, by: str, seconds: float) -> None:
        """Let the command with *digest* pass once within *seconds*."""
        self._grants[digest] = _Grant(by, self._clock() + seconds)

    def consume(self, digest: str) -> bool:
        """Spend the approval of *digest*; False when there is none or its time ran out."""
        grant = self._grants.pop(digest, None)
        return grant is not None and self._clock() < grant.expires_at

    def reject(self, digest: str) -> None:
        """Remember that the person said no to *digest*, and take back any approval of it."""
        self._grants.pop(digest, None)
        self._rejected.add(digest)

    def was_rejected(self, digest: str) -> bool:
        """Tell whether the person already said no to *digest* in this task."""
        return digest in self._rejected

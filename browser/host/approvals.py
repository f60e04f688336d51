"""The approvals of one task: each for one command on one element, single use, for a time.

A yes is bound to more than the digest: to the element's serial number and to what its form held
when the person was asked. A no is remembered by the digest and by the mark, so that another
spelling of the same command is not put to the person again. The lasting mark outlives document and
browser: by it a command is known again whose outcome nobody learned.
"""

from collections.abc import Callable
from typing import NamedTuple

from browser.host.outcome import ResolvedCall
from states.canonical import sha256_of
from states.digest import digest_of, mark_of
from states.policy import Target

Clock = Callable[[], float]
# A selector is a way to write it, and how long a command waits changes nothing about what it does.
_SPELLING = frozenset({"selector", "timeout_ms"})


class Subject(NamedTuple):
    """What a person decides about: one resolved command, and the state of what it met."""

    digest: str
    mark: str
    serial: int = 0
    form_state: str = ""


class _Grant(NamedTuple):
    subject: Subject
    by: str
    expires_at: float


def subject_of(call: ResolvedCall, trace_id: str) -> Subject:
    """Return what a decision about *call* in the task *trace_id* is bound to."""
    target = call.target or Target()
    met = (call.action, call.params, call.origin, call.document_id, target)
    return Subject(digest_of(*met, trace_id), mark_of(*met), target.serial, target.form_state)


def lasting_of(call: ResolvedCall) -> str:
    """Return the mark of *call* that is the same in every browser: no document, no serial."""
    target = call.target or Target()
    return sha256_of(
        {
            "action": call.action,
            "params": {name: call.params[name] for name in sorted(call.params.keys() - _SPELLING)},
            "origin": call.origin,
            "target": {"role": target.role, "name": target.name, "frame": target.frame},
        }
    )


class Approvals:
    """What the person said yes and no to; *clock* is monotonic seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._grants: dict[str, _Grant] = {}
        self._rejected: set[str] = set()

    def grant(self, subject: Subject, by: str, seconds: float) -> None:
        """Let the command of exactly *subject* pass once within *seconds*."""
        self._grants[subject.digest] = _Grant(subject, by, self._clock() + seconds)

    def consume(self, subject: Subject) -> str | None:
        """Spend the approval of *subject* and return who gave it, None when there is none.

        One whose time ran out, or whose element or form is no longer what was approved, is
        spent without letting anything pass.
        """
        grant = self._grants.pop(subject.digest, None)
        if grant is None or grant.subject != subject or self._clock() >= grant.expires_at:
            return None
        return grant.by

    def void(self) -> None:
        """Take every approval back: something was done, so the page is not what was shown."""
        self._grants.clear()

    def reject(self, subject: Subject) -> None:
        """Remember that the person said no to *subject*, and take back any approval of it."""
        self._grants.pop(subject.digest, None)
        self._rejected |= {subject.digest, subject.mark}

    def was_rejected(self, subject: Subject) -> bool:
        """Tell whether the person already said no to *subject* in this task."""
        return not self._rejected.isdisjoint((subject.digest, subject.mark))

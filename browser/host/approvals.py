"""The approvals of one task: each for one command on one element, single use, for a time.

A yes is bound to more than the digest: to the element's serial number and to what its form held
when the person was asked. A no is remembered by the digest and by the mark, so that another
spelling of the same command is not put to the person again. The lasting mark outlives document and
browser: by it a command is known again whose outcome nobody learned.

One yes may be of a list: it is a yes to each command on it, in the order of the list. Whatever acts
outside that order, and whatever on the list is not as it was shown, ends the yes to the rest.
"""

from collections.abc import Callable, Sequence
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
    """A yes to *subject*, given on the card with this number, alone or *listed* with others."""

    subject: Subject
    by: str
    expires_at: float
    card: int
    listed: bool


def subject_of(call: ResolvedCall, trace_id: str) -> Subject:
    """Return what a decision about *call* in the task *trace_id* is bound to."""
    target = call.target or Target()
    met = (call.action, call.params, call.origin, call.document_id, target)
    return Subject(digest_of(*met, trace_id), mark_of(*met), target.serial, target.form_state)


def lasting_of(call: ResolvedCall) -> str:
    """Return the mark of *call* that is the same in every browser: no document, no serial."""
    target = call.target or Target()
    params = {name: call.params[name] for name in sorted(call.params.keys() - _SPELLING)}
    if isinstance(onto := params.get("onto"), dict):
        params["onto"] = {name: told for name, told in onto.items() if name != "element"}
    return sha256_of(
        {
            "action": call.action,
            "params": params,
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
        self._cards = 0
        self._running = 0

    def grant(self, subjects: Sequence[Subject], by: str, seconds: float) -> None:
        """Let the commands of exactly *subjects* pass, once each, in this order, for *seconds*."""
        self._cards += 1
        until = self._clock() + seconds
        for subject in subjects:
            # Given anew it stands where this card has it, not where an older one had.
            self._grants.pop(subject.digest, None)
            grant = _Grant(subject, by, until, self._cards, len(subjects) > 1)
            self._grants[subject.digest] = grant

    def listed(self, subject: Subject) -> str | None:
        """Return who said yes to *subject* as the next of a list, None when nobody did."""
        grant = self._grants.get(subject.digest)
        if grant is None or not grant.listed or not self._holds(grant, subject):
            return None
        return grant.by

    def consume(self, subject: Subject) -> str | None:
        """Spend the approval of *subject* and return who gave it, None when there is none.

        One whose time ran out, whose turn it is not, or whose element or form is no longer what
        was approved, is spent without letting anything pass; with it goes the rest of its list.
        """
        grant = self._grants.get(subject.digest)
        holds = grant is not None and self._holds(grant, subject)
        self._running = grant.card if grant is not None and holds else 0
        if grant is None:
            return None
        if not holds:
            self._keep(lambda other: other.card != grant.card)
            return None
        del self._grants[subject.digest]
        return grant.by

    def void(self) -> None:
        """Take every approval back: something was done, so the page is not what was shown."""
        self._grants.clear()

    def void_others(self) -> None:
        """Take back all but the rest of the list whose command was let pass just now."""
        self._keep(lambda other: other.listed and other.card == self._running)

    def void_lists(self) -> None:
        """Take back what was given for a list: a command came that is not the next on it."""
        self._keep(lambda other: not other.listed)

    def reject(self, subject: Subject) -> None:
        """Remember that the person said no to *subject*, and take back any approval of it."""
        self._grants.pop(subject.digest, None)
        self._rejected |= {subject.digest, subject.mark}

    def was_rejected(self, subject: Subject) -> bool:
        """Tell whether the person already said no to *subject* in this task."""
        return not self._rejected.isdisjoint((subject.digest, subject.mark))

    def _holds(self, grant: _Grant, subject: Subject) -> bool:
        """Tell whether *grant* is of *subject* as it is now, and it is its turn."""
        if grant.subject != subject or self._clock() >= grant.expires_at:
            return False
        first = next(other for other in self._grants.values() if other.card == grant.card)
        return first is grant

    def _keep(self, kept: Callable[[_Grant], bool]) -> None:
        self._grants = {digest: grant for digest, grant in self._grants.items() if kept(grant)}

"""Which posted forms may leave: those of a command that a person approved, and nobody else's.

The rule: what a click does is known for certain only when the page sends it. A top-level POST
that starts under a command nobody was asked about is stopped there, and the command's target
is remembered: the next time it is met, a person is asked.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from browser.host.outcome import Approval, Approve, ResolvedCall
from states.catalogue import Lang, words
from states.policy import READ_ACTIONS, Effect
from states.verdict import ALLOWED, Verdict, refused

UNAPPROVED = "form_submit_unapproved"
_KEPT = 200
_URL_CHARS_MAX = 200


class PostingCommand:
    """One command under way: its *call* as it was decided about, raised when it is known."""

    def __init__(self, posts: "FormPosts", approve: Approve, lang: Lang) -> None:
        self.call: ResolvedCall | None = None
        self.approved = False
        self._posts = posts
        self._approve = approve
        self._lang = lang

    def decide(self, call: ResolvedCall) -> Approval:
        """Have *call* decided about; one that has posted a form before needs a person."""
        if call.effect is Effect.ACT and self._posts.knows(call):
            name = call.target.name if call.target else str(call.params.get("url", ""))
            reason = words("form_submit_known", self._lang, name=name[:_URL_CHARS_MAX])
            call = call._replace(effect=Effect.CONFIRM, reason=reason)
        self.call = call
        approval = self._approve(call)
        if approval.kind == "allow" and call.action not in READ_ACTIONS:
            self.approved = call.effect is Effect.CONFIRM
            self._posts.acts(self)
        return approval


class FormPosts:
    """The posted forms of one browser; what comes *late_s* after a command is still its own.

    With *person_present* (a headed browser) what is posted while no command runs is a person's.
    """

    def __init__(
        self,
        *,
        person_present: bool,
        late_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._person_present = person_present
        self._late_s = late_s
        self._clock = clock
        self._running = 0
        self._acting: PostingCommand | None = None
        self._acting_until = 0.0
        self._known: deque[Hashable] = deque(maxlen=_KEPT)
        self._let_out: deque[str] = deque(maxlen=_KEPT)

    @contextmanager
    def command(self, approve: Approve, lang: Lang) -> Iterator[PostingCommand]:
        """Count a command as running meanwhile; have it decided by what is yielded."""
        command = PostingCommand(self, approve, lang)
        self._running += 1
        try:
            yield command
        finally:
            self._running -= 1
            if self._acting is command:
                self._acting_until = self._clock() + self._late_s

    def acts(self, command: PostingCommand) -> None:
        """Note that *command* acts from now on; a read leaves the one before in charge."""
        self._acting = command
        self._acting_until = math.inf

    def knows(self, call: ResolvedCall) -> bool:
        """Tell whether *call* posted a form before that nobody had approved."""
        return any(mark in self._known for mark in _marks(call))

    def verdict(self, network_id: str, url: str) -> Verdict:
        """Allow the top-level POST to *url*, or refuse it and remember whose it was."""
        if network_id and network_id in self._let_out:
            return ALLOWED  # the next hop of one that was let out
        command = self._acting if self._clock() < self._acting_until else None
        of_a_person = self._person_present and not self._running
        if of_a_person or (command is not None and command.approved):
            self._let_out.append(network_id)
            return ALLOWED
        if command is not None and command.call is not None:
            self._known.extend(_marks(command.call))
        return refused(UNAPPROVED, url=url[:_URL_CHARS_MAX])


def _marks(call: ResolvedCall) -> tuple[Hashable, ...]:
    """Return what *call* is recognised by: a page may draw the same element anew each time."""
    target, document = call.target, call.document_id
    if target is None:
        return ((call.action, str(call.params.get("url", ""))),)
    marks: list[Hashable] = [(document, target.role, target.name, target.frame)]
    if target.serial:
        marks.append((document, target.serial))
    return tuple(marks)

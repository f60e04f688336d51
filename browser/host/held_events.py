"""The agent's reports on their way to the person, held back while a question is open.

The rule: while the person reads a question, nothing that the agent says comes after it.
"""

import contextlib
from collections import deque
from collections.abc import Callable, Iterator

from states.wire import LogEntry, StateChanged

Report = LogEntry | StateChanged
OnEvent = Callable[[Report], None]


class HeldEvents:
    """Passes reports to *on_event*; of those held back the last *held_max* are kept."""

    def __init__(self, on_event: OnEvent, held_max: int) -> None:
        self._on_event = on_event
        self._held: deque[Report] = deque(maxlen=held_max)
        self._questions = 0

    def tell(self, report: Report) -> None:
        """Show *report*, now or after the question."""
        if self._questions:
            self._held.append(report)
        else:
            self._on_event(report)

    @contextlib.contextmanager
    def during_question(self) -> Iterator[None]:
        """Hold reports back until the block ends, however it ends."""
        self._questions += 1
        try:
            yield
        finally:
            self._questions -= 1
            while self._held and not self._questions:
                self._on_event(self._held.popleft())

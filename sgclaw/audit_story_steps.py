"""The numbers of a run's steps, counted from its rows as the agent counted them.

The rule: the reducers of `states.fold` are what is counted by; a test holds this against them. So
the numbers that an answer cites lead to the calls that they mean.
"""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

Call = TypeVar("Call")
_OBSERVED, _ASKED = "done.invoke.observe", "done.invoke.ask"
_SKILL_ENDS = frozenset({"done.invoke.skill", "error.invoke.skill"})


class Steps(Generic[Call]):
    """Counts the steps; `done` has each one that was looked at, with the call that it was.

    *before* and *after* are always the states that the chart was in before and after the event.
    """

    def __init__(self) -> None:
        self.done: dict[int, Call] = {}
        self._count = 0
        self._is_question = False
        self._call: Call | None = None
        self._skill: Call | None = None
        self._ended: Call | None = None

    def wanted(self, call: Call, *, is_question: bool) -> None:
        """Take note of *call*, which is judged now."""
        self._call, self._is_question = call, is_question

    def starts_skill(self) -> None:
        """The call that is judged starts a skill."""
        self._skill = self._call

    def took(self, event: str, payload: Mapping[str, Any], before: str, after: str) -> None:
        """Count what *event* did."""
        if event in _SKILL_ENDS:
            self._ended, self._skill = self._skill, None
        elif event == _OBSERVED:
            self._step(self._ended or self._call)
            self._ended = None
        elif event == _ASKED:
            self._answered(payload.get("decision"))
        elif event == "resumed":
            self._resumed(payload.get("lost"), before, after)

    def _step(self, call: Call | None) -> None:
        self._count += 1
        if call is not None:
            self.done[self._count] = call

    def _answered(self, decision: Any) -> None:
        """A no costs a step, and so does a question of the model."""
        if decision == "rejected" or (decision == "approved" and self._is_question):
            self._count += 1
        if decision == "rejected":
            self._skill = None

    def _resumed(self, lost: Any, before: str, after: str) -> None:
        if self._skill is None and after in ("observing", "confirm"):
            return  # what only waits for a look, or for a person, is not lost
        if self._skill is not None and before == "observing":
            self._step(self._call)
        if lost in ("read", "command"):
            self._count += 1
        self._skill = self._ended = None

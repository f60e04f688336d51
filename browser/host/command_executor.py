"""What the task loop needs of an executor; `browser.host.executor` is the real one."""

from collections.abc import Mapping
from typing import Any, Protocol

from browser.host.outcome import Approve, Outcome, ResolvedCall
from states.page import PageState


class CommandExecutor(Protocol):
    """Does one command at a time in the page.

    Before it acts it resolves the element and calls *approve* with what it found, whatever the
    effect; unless the answer is allow, nothing is done. It may be cancelled at any await.
    """

    async def execute(
        self, action: str, params: Mapping[str, Any], expected_domain: str, approve: Approve
    ) -> Outcome:
        """Do *action* if *approve* allows what it resolves to; a failure is an outcome."""

    async def answer_dialog(
        self,
        accept: bool,
        text: str,
        expected_domain: str,
        approve: Approve,
    ) -> Outcome:
        """Answer the open native dialog of the page if *approve* allows; no dialog is a failure."""

    async def page_state(self) -> PageState:
        """Return which page is open now."""

    async def picture_of_target(self, call: ResolvedCall) -> bytes | None:
        """Return a PNG of the element of *call* in its surroundings, None when none can be had."""

"""An executor over a page in memory: named elements, their effect, and what was done to them.

It ships for demonstrations and for tests of everything that stands on an executor.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from browser.host.channel import completed_params
from browser.host.errors import BrowserLostError, CommandError, wire_error
from browser.host.outcome import Approve, Dialog, Outcome, ResolvedCall
from guards.policy import effect_of
from states.page import PageState
from states.policy import Effect, Policy, Target


class MemoryExecutor:
    """Elements by selector on one page; `done` lists what was acted upon, in order."""

    def __init__(self, policy: Policy, page: PageState, elements: Mapping[str, Target]) -> None:
        self.page = page
        self.elements = dict(elements)
        self.dialog: Dialog | None = None
        self.done: list[tuple[str, dict[str, Any]]] = []
        self.lost = False
        self.pictures: dict[str, bytes] = {}
        self.entered = asyncio.Event()
        self.released = asyncio.Event()
        self.released.set()
        self.answered = asyncio.Event()
        self.answered.set()
        self._policy = policy

    async def page_state(self) -> PageState:
        """Return the page."""
        return self.page

    async def execute(
        self, action: str, params: Mapping[str, Any], expected_domain: str, approve: Approve
    ) -> Outcome:
        """Do *action* on the element `selector` names.

        A clear `released` holds it back before it acts, a clear `answered` after.
        """
        del expected_domain
        self.entered.set()
        await self.released.wait()
        if self.lost:
            raise BrowserLostError("closed")
        completed = completed_params(action, params)
        selector = completed.get("selector")
        if selector is not None and selector not in self.elements:
            return self._failed(CommandError("element_not_found", selector=selector))
        target = self.elements.get(str(selector))
        effect, verdict = effect_of(self._policy, self.page.origin, action, completed, target)
        call = self._call(action, completed, target, effect)._replace(reason=verdict.text())
        outcome = self._decided(call, approve)
        await self.answered.wait()
        return outcome

    async def answer_dialog(
        self, accept: bool, text: str, expected_domain: str, approve: Approve
    ) -> Outcome:
        """Answer `dialog`, when one is open."""
        del expected_domain
        if self.dialog is None:
            return self._failed(CommandError("no_open_dialog"))
        target = Target(role="dialog", name=self.dialog.message)
        params = {"accept": accept, "text": text}
        outcome = self._decided(
            self._call("dialog_response", params, target, Effect.CONFIRM), approve
        )
        if outcome.success:
            self.dialog = None
        return outcome

    async def picture_of_target(self, call: ResolvedCall) -> bytes | None:
        """Return `pictures` of the element that the call's selector names."""
        return self.pictures.get(str(call.params.get("selector")))

    def _decided(self, call: ResolvedCall, approve: Approve) -> Outcome:
        approval = approve(call)
        if approval.kind == "needs_confirmation":
            return Outcome(False, {}, None, self.page, confirmation=call)  # noqa: FBT003
        if approval.kind == "deny":
            return self._failed(CommandError(approval.code))
        self.done.append((call.action, call.params))
        return Outcome(True, {"done": call.action}, None, self.page)  # noqa: FBT003

    def _call(
        self, action: str, params: dict[str, Any], target: Target | None, effect: Effect
    ) -> ResolvedCall:
        page = self.page
        return ResolvedCall(action, params, page.origin, page.document_id, target, effect)

    def _failed(self, error: CommandError) -> Outcome:
        return Outcome(False, {}, wire_error(error), self.page)  # noqa: FBT003

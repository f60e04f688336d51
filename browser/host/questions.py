"""What the person is asked: as often as the settings let a task ask, each question for its time.

Here too stand the two kinds of question that are about no page: of the model, and about a tool.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager

from browser.host.approver import ApprovalCard, Approver, Decision
from browser.host.errors import CommandError, wire_error
from browser.host.host_log import NumberedLog
from browser.host.plain_answers import NO_MAC, unresolved
from browser.host.task_memory import TaskMemory
from browser.host.tool_question import answer_of, own_name, question_card, tool_subject
from states.catalogue import words
from states.settings import Settings
from states.wire import ConfirmRequest, ConfirmResponse, Init


class Questions:
    """Puts the questions of one task to *approver*; *during* is entered meanwhile."""

    def __init__(
        self,
        approver: Approver,
        settings: Settings,
        init: Init,
        during: Callable[[], AbstractContextManager[None]],
        memory: TaskMemory,
    ) -> None:
        self._approver = approver
        self._settings = settings
        self._init = init
        self._during = during
        self._memory = memory

    async def ask(self, card: ApprovalCard, log: NumberedLog) -> Decision:
        """Ask the person.

        Raises:
            CommandError: this task asked as often as the settings let it.
        """
        task = self._settings.task
        # All but the steps share one count: no kind of question is a way to ask more often.
        counted, asked_max = (
            ("step", task.steps_max) if card.purpose == "step" else ("call", task.questions_max)
        )
        if self._memory.questions[counted] >= asked_max:
            raise CommandError("questions_spent", asked_max=asked_max)
        self._memory.questions[counted] += 1
        log.note("CONFIRM: ASK", purpose=card.purpose, action=card.action, target=card.target.name)
        for item in card.also:
            log.note("CONFIRM: ASK ALSO", action=item.action, target=item.target.name,
                     digest=item.digest)  # fmt: skip
        try:
            # One second more: for an approver that keeps no time itself.
            async with asyncio.timeout(card.seconds + 1):
                with self._during():
                    decision = await self._approver.ask(card)
        except TimeoutError:
            decision = Decision("expired")
        if card.purpose == "question" and decision.decision == "approved":
            decision = decision._replace(text=answer_of(decision.text))
            if not decision.text:  # who says nothing has not answered
                decision = decision._replace(decision="rejected")
        log.note(f"CONFIRM: {decision.decision.upper()}", by=decision.by, digest=card.digest)
        return decision

    async def of_the_model(self, request: ConfirmRequest, log: NumberedLog) -> ConfirmResponse:
        """Ask what the model wants to know; return the person's own words."""
        seconds = self._settings.task.approval_seconds
        decision = await self.ask(question_card(request, self._init.trace_id, seconds), log)
        return _answered(request, decision, text=decision.text)

    async def about_tool(self, request: ConfirmRequest, log: NumberedLog) -> ConfirmResponse:
        """Ask whether one call of a tool may be made; a yes is for the call that asked alone.

        Raises:
            CommandError: it cannot be put to the person.
        """
        own = own_name(self._init.mcp, request.action)
        subject = tool_subject(request, self._init.trace_id, self._settings.mcp)
        digest = subject.digest
        if request.digest and request.digest != digest:
            log.note("CONFIRM: TARGET CHANGED", digest=digest)
            differs = CommandError("tool_digest_differs", tool=request.action)
            return unresolved(request.seq, wire_error(differs, self._init.language))
        if self._memory.approvals.was_rejected(subject):
            log.note("CONFIRM: REJECTED BEFORE", digest=digest)
            return _answered(request, Decision("rejected"), digest)
        decision = await self.ask(self._tool_card(request, own, digest), log)
        if decision.decision == "approved":
            # What a tool does, it does outside every list, and perhaps to the page.
            self._memory.approvals.void()
            self._memory.approve_tool(digest)
        elif decision.decision == "rejected":
            self._memory.reject(subject)
        return _answered(request, decision, digest)

    def _tool_card(self, request: ConfirmRequest, own: str, digest: str) -> ApprovalCard:
        is_again = self._memory.tool_approved_before(digest)
        return ApprovalCard(
            purpose="tool",
            trace_id=self._init.trace_id,
            action=request.action,
            tool=own,
            params=request.params,
            reason=words("tool_approved_before", self._init.language) if is_again else "",
            digest=digest,
            seconds=self._settings.task.approval_seconds,
        )


def _answered(
    request: ConfirmRequest, decision: Decision, digest: str = "", text: str = ""
) -> ConfirmResponse:
    is_yes = decision.decision == "approved"
    return ConfirmResponse(
        seq=request.seq,
        digest=digest,
        decision=decision.decision,
        approved_by=decision.by if is_yes else "",
        text=text if is_yes else "",
        security=NO_MAC,
    )

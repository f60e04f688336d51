"""The host's answer to each request of the agent: does it, asks the person, or says why not.

The rule: a command whose effect is confirm passes only on an approval of exactly it, computed
here from what the executor resolved, and that approval is spent by it. A card may list more than
one command; the answer is about each of them, and about no other. A command that acts takes every
other approval back, but not what was listed after it; one that fails takes that back too. What
the person said no to is neither done nor asked again, and what was sent before with an outcome
that nobody knows is sent again only on an approval.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from browser.host.approvals import Clock, Subject, subject_of
from browser.host.approver import ApprovalCard, Approver, CardItem, Decision
from browser.host.batch import as_commands, calls_to_list
from browser.host.card_pictures import pictured
from browser.host.command_executor import CommandExecutor
from browser.host.errors import BrowserLostError, CommandError, wire_error
from browser.host.head_keeping import HeadKeeper
from browser.host.host_log import HostLog, NumberedLog
from browser.host.outcome import (
    ALLOW,
    DIALOG_RESPONSE,
    NEEDS_CONFIRMATION,
    Approval,
    Approve,
    Outcome,
    ResolvedCall,
    deny,
)
from browser.host.plain_answers import NO_MAC, Answer, Request, refusal_of, unresolved
from browser.host.questions import Questions
from browser.host.seen_picture import SeenPictures
from browser.host.task_memory import TaskMemory
from engine.pipe.envelope import UNSEALED
from guards.policy import domain_of, effect_of
from states.actions import PARAMS
from states.catalogue import Lang, words
from states.errors import SgclawError
from states.page import PageState
from states.policy import READ_ACTIONS, Effect, Target
from states.settings import Settings
from states.wire import (
    Command,
    CommandSecurity,
    ConfirmationRequired,
    ConfirmRequest,
    ConfirmResponse,
    DialogResponse,
    Init,
    Response,
)

LOOK = "getAomSnapshot"
_ASK_SECONDS_MIN = 1.0


class HostPorts(NamedTuple):
    """What the host's task loop works with; *clock* is monotonic seconds.

    *heads* keeps what the agent's ledger comes to, None for a host that keeps none.
    """

    executor: CommandExecutor
    approver: Approver
    log: HostLog
    clock: Clock
    heads: HeadKeeper | None = None


class Answers:
    """Answers the requests of one task, one at a time.

    *during_question* is entered while the person is asked. `approved_by` names who approved the
    request that was answered last, None when nobody had to.
    """

    def __init__(
        self,
        ports: HostPorts,
        settings: Settings,
        init: Init,
        during_question: Callable[[], AbstractContextManager[None]],
        memory: TaskMemory,
    ) -> None:
        self._ports = ports
        self._settings = settings
        self._trace_id = init.trace_id
        self._step_mode = init.step_mode
        self._lang: Lang = init.language
        self._policy = init.policy
        self._memory = memory
        self._approvals = memory.approvals
        self._asked = Questions(ports.approver, settings, init, during_question, memory)
        self._pictures = SeenPictures(ports.executor, settings, init.provider)
        self._begun_at = ports.clock()
        self._log = NumberedLog(ports.log, 0)
        self.approved_by: str | None = None

    async def to(self, request: Request) -> Answer:
        """Return the answer to *request*, not yet sealed; whatever goes wrong is an answer too."""
        self._begun_at = started = self._ports.clock()
        self._log = NumberedLog(self._ports.log, request.seq)
        self.approved_by = None
        try:
            if isinstance(request, ConfirmRequest):
                return await self._confirm(request)
            outcome = await self._done(request, self._approve)
            outcome = await self._pictures.added(outcome, self._log)
            answer = self._answer(request.seq, outcome)
            if outcome.error is not None:
                self._broke_off(request)
        except SgclawError as error:
            failed = error
        except Exception as error:  # noqa: BLE001 - the session's edge: an agent unanswered waits
            self._log.note("HOST_FAULT", why=repr(error))
            failed = CommandError("host_fault", why=type(error).__name__)
        else:
            self._log_outcome(outcome, started)
            return answer
        self._broke_off(request)
        self._log.note(f"CMD_EXEC: FAILED {failed.code} ({self._since(started)}ms)")
        return refusal_of(request.type, request.seq, failed, self._lang)

    def _broke_off(self, request: Request) -> None:
        """A list ends with the first of its commands that fails."""
        if isinstance(request, DialogResponse) or (
            isinstance(request, Command) and request.action not in READ_ACTIONS
        ):
            self._approvals.void_lists()

    def _answer(self, seq: int, outcome: Outcome) -> Answer:
        call = outcome.confirmation
        if call is not None:
            return ConfirmationRequired(
                seq=seq,
                digest=self._subject(call).digest,
                target=_shown(call),
                reason=self._reason(call),
                security=NO_MAC,
            )
        return Response(
            seq=seq,
            success=outcome.success,
            data=outcome.data,
            error=outcome.error,
            page=outcome.page,
            aom_snapshot=outcome.snapshot,
            security=NO_MAC,
        )

    def _approve(self, call: ResolvedCall) -> Approval:
        """Give the host's last word on a command whose element is known."""
        if call.effect is Effect.DENY:
            return deny("refused", call.reason)
        subject = self._subject(call)
        if self._approvals.was_rejected(subject):
            self._log.note("REJECTED_BEFORE", digest=subject.digest)
            return deny("rejected_before", words("rejected_before", self._lang))
        acts = call.action not in READ_ACTIONS
        by = self._approvals.consume(subject)
        if by is not None:
            self._log.note("APPROVAL_USED", by=by, digest=subject.digest)
            self.approved_by = by
        else:
            if acts:
                self._approvals.void_lists()
            if call.effect is Effect.CONFIRM or call.action == DIALOG_RESPONSE:
                return NEEDS_CONFIRMATION
            if self._memory.sent_before(call):
                self._log.note("SENT_BEFORE", digest=subject.digest)
                return NEEDS_CONFIRMATION
        if acts:
            self._approvals.void_others()
            self._memory.intend(call, by, subject.digest)
        return ALLOW

    def _reason(self, call: ResolvedCall) -> str:
        """Return why a person must agree to *call*."""
        if not self._memory.sent_before(call):
            return call.reason
        return f"{words('sent_before', self._lang)} {call.reason}".rstrip()

    async def _confirm(self, request: ConfirmRequest) -> ConfirmResponse:
        if request.purpose == "question":
            return await self._asked.of_the_model(request, self._log)
        if request.purpose == "tool":
            return await self._asked.about_tool(request, self._log)
        if request.purpose == "step":
            return await self._about_step(request)
        return await self._about_call(request)

    async def _about_step(self, request: ConfirmRequest) -> ConfirmResponse:
        if not self._step_mode:
            raise CommandError("step_not_asked")
        decision = await self._asked.ask(self._step_card(request), self._log)
        return self._confirmed(request, decision)

    async def _about_call(self, request: ConfirmRequest) -> ConfirmResponse:
        outcome = await self._done(request, lambda _: NEEDS_CONFIRMATION)
        call = outcome.confirmation
        if call is None:
            code = outcome.error.code if outcome.error else "approval_target_changed"
            self._log.note(f"CONFIRM: UNRESOLVED {code}")
            said = outcome.error or wire_error(CommandError(code), self._lang)
            return unresolved(request.seq, said)
        subject = self._subject(call)
        if request.digest and request.digest != subject.digest:
            self._log.note("CONFIRM: TARGET CHANGED", digest=subject.digest)
            changed = CommandError("approval_target_changed")
            return unresolved(request.seq, wire_error(changed, self._lang))
        if self._approvals.was_rejected(subject):
            self._log.note("CONFIRM: REJECTED BEFORE", digest=subject.digest)
            return self._confirmed(request, Decision("rejected"), call)
        by = self._approvals.listed(subject)
        if by is not None:
            self._log.note("CONFIRM: LISTED BEFORE", by=by, digest=subject.digest)
            return self._confirmed(request, Decision("approved", by), call)
        calls = (call, *await self._listed(request, call))
        seconds = self._settings.browser.card_picture_seconds
        card = await pictured(self._card(*calls), calls, self._ports.executor, seconds)
        decision = await self._asked.ask(self._in_time(card), self._log)
        subjects = [self._subject(listed) for listed in calls]
        if decision.decision == "approved":
            self._approvals.grant(subjects, decision.by, self._settings.task.approval_seconds)
        elif decision.decision == "rejected":
            for refused in subjects:
                self._memory.reject(refused)
        return self._confirmed(request, decision, call)

    async def _listed(self, request: ConfirmRequest, first: ResolvedCall) -> list[ResolvedCall]:
        """Return what of the calls after *first* the person is shown with it."""
        if not request.also or first.action == DIALOG_RESPONSE:
            return []
        seen = {self._subject(first).digest}

        def wanted(call: ResolvedCall) -> bool:
            subject = self._subject(call)
            new = subject.digest not in seen and not self._approvals.was_rejected(subject)
            seen.add(subject.digest)
            return new and (call.effect is Effect.CONFIRM or self._memory.sent_before(call))

        seconds = self._settings.task.listing_seconds
        also = as_commands(request.also, self._policy)
        return await calls_to_list(also, self._met_by, wanted, seconds)

    async def _met_by(self, command: Command) -> ResolvedCall | None:
        """Return what *command* meets now; nothing is done."""
        try:
            return (await self._done(command, lambda _: NEEDS_CONFIRMATION)).confirmation
        except CommandError:
            return None

    def _card(self, call: ResolvedCall, *also: ResolvedCall) -> ApprovalCard:
        return ApprovalCard(
            trace_id=self._trace_id,
            **self._shown_on_card(call),
            also=tuple(CardItem(**self._shown_on_card(listed)) for listed in also),
            seconds=self._settings.task.approval_seconds,
        )

    def _in_time(self, card: ApprovalCard) -> ApprovalCard:
        """Return *card* with what is left of its seconds: the agent counts from its own asking."""
        spent = self._ports.clock() - self._begun_at
        return card.model_copy(update={"seconds": max(card.seconds - spent, _ASK_SECONDS_MIN)})

    def _shown_on_card(self, call: ResolvedCall) -> dict[str, Any]:
        return {
            "action": call.action,
            "params": call.params,
            "target": call.target or Target(),
            "host": call.origin,
            "reason": self._reason(call),
            "digest": self._subject(call).digest,
        }

    def _step_card(self, request: ConfirmRequest) -> ApprovalCard:
        # Nothing was resolved: of the agent's own words only a known name may reach the card.
        known = request.action in PARAMS or request.action == DIALOG_RESPONSE
        return ApprovalCard(
            purpose="step",
            trace_id=self._trace_id,
            action=request.action if known else "",
            seconds=self._settings.task.approval_seconds,
        )

    def _confirmed(
        self, request: ConfirmRequest, decision: Decision, call: ResolvedCall | None = None
    ) -> ConfirmResponse:
        return ConfirmResponse(
            seq=request.seq,
            digest=self._subject(call).digest if call else "",
            decision=decision.decision,
            approved_by=decision.by if decision.decision == "approved" else "",
            target=_shown(call),
            security=NO_MAC,
        )

    async def look(self, page: PageState) -> Outcome | None:
        """Return *page* with what stands on it, None when it may not, or cannot, be read.

        Raises:
            BrowserLostError: there is no browser any more.
        """
        domain = domain_of(page.url)
        if not domain or effect_of(self._policy, domain, LOOK, {})[0] is not Effect.READ:
            return None
        security = CommandSecurity(expected_domain=domain, hmac=UNSEALED)
        try:
            seen = await self._done(Command(seq=1, action=LOOK, security=security), self._approve)
        except BrowserLostError:
            raise
        except Exception as error:  # noqa: BLE001 - the session's edge: without a look it goes on
            self._log.note("PAGE_NOT_SHOWN", why=repr(error))
            return None
        return seen if seen.success else None

    async def _done(self, request: Request, approve: Approve) -> Outcome:
        action = DIALOG_RESPONSE if isinstance(request, DialogResponse) else request.action
        seconds = self._settings.task.command_seconds + self._settings.browser.cdp_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._started(request, approve)
        except TimeoutError:
            late = CommandError("command_over_time", action=action, seconds=seconds)
            raise late from None

    def _started(self, request: Request, approve: Approve) -> Awaitable[Outcome]:
        executor, domain = self._ports.executor, request.security.expected_domain
        if isinstance(request, DialogResponse):
            return executor.answer_dialog(request.accept, request.text, domain, approve)
        if request.action == DIALOG_RESPONSE:
            text = str(request.params.get("text", ""))
            return executor.answer_dialog(bool(request.params["accept"]), text, domain, approve)
        return executor.execute(request.action, request.params, domain, approve)

    def _subject(self, call: ResolvedCall) -> Subject:
        return subject_of(call, self._trace_id)

    def _log_outcome(self, outcome: Outcome, started: float) -> None:
        if outcome.confirmation is not None:
            word = "WAIT confirmation_required"
        elif outcome.success:
            word = "OK"
        else:
            word = f"FAILED {outcome.error.code if outcome.error else ''}".rstrip()
        self._log.note(f"CMD_EXEC: {word} ({self._since(started)}ms)")

    def _since(self, started: float) -> int:
        return round((self._ports.clock() - started) * 1000)


def _shown(call: ResolvedCall | None) -> Target:
    """Return what the agent is told of the element; what its form holds stays here."""
    target = (call.target if call else None) or Target()
    return target.model_copy(update={"form_state": ""})

"""Worlds with one fault of the product planted in them: what the simulation must find."""

import asyncio
from collections.abc import Mapping
from typing import Any

from actions.browser.link import Answer, BrowserLink
from actions.errors import NoAnswerError
from browser.host.approvals import Approvals, Subject
from browser.host.approver import ApprovalCard, Approver, Decision
from browser.host.outcome import ResolvedCall
from browser.host.task_memory import TaskMemory
from engine.chart.core import Core
from engine.chart.shell import Journal, JournalEntry
from engine.pipe.envelope import Envelope
from sgclaw.charts import bindings_of, task_chart, task_table
from states.policy import HostRule, Policy
from states.verdict import ALLOWED
from tests.sim.judge_effects import FINALS
from tests.sim.lives import SimTaskRun
from tests.sim.world import World


class _KeptApprovals(Approvals):
    """A yes that is good for ever after."""

    def consume(self, subject: Subject) -> str | None:
        grant = self._grants.get(subject.digest)
        return grant.by if grant is not None else None

    def void(self) -> None:
        """Take nothing back."""

    def void_others(self) -> None:
        """Take nothing back."""

    def void_lists(self) -> None:
        """Take nothing back."""


class ApprovalKept(World):
    """The host does not use up an approval."""

    def make_memory(self) -> TaskMemory:
        memory = super().make_memory()
        memory.approvals = _KeptApprovals(self.loop.time)
        return memory


class _LateJournal:
    """Writes each row only when the next one comes."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._held: JournalEntry | None = None

    def append(self, entry: JournalEntry) -> None:
        held, self._held = self._held, entry
        if held is not None:
            self._journal.append(held)
        if entry.state in FINALS:
            self._journal.append(entry)


class _LateRun(SimTaskRun):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._shell._journal = _LateJournal(self._shell._journal)


class JournalAfterEffect(World):
    """The agent writes its ledger after the effects of a row."""

    run_class = _LateRun


class _ResendingLink(BrowserLink):
    async def command(
        self, action: str, params: Mapping[str, Any], expected_domain: str, seconds: float
    ) -> Answer:
        try:
            return await super().command(action, params, expected_domain, seconds)
        except NoAnswerError:
            return await super().command(action, params, expected_domain, seconds)


class _ResendingRun(SimTaskRun):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        init = self._init
        envelope = Envelope(bytes.fromhex(init.key), init.session_id, "agent>host")
        self.exchange_link(_ResendingLink(self._send, envelope))


class ResentAfterSilence(World):
    """The agent sends a command again that was not answered in time."""

    run_class = _ResendingRun


class _DoingAgainRun(SimTaskRun):
    """After a kill the command that was under way is sent again."""

    def start(self) -> None:
        past = self._past
        if past is not None and "act" in dict(past.replayed.snapshot.live):
            request = past.replayed.snapshot.context.record.request
            self._again = asyncio.create_task(
                self.link.command(request.action, request.params, request.expected_domain, 5)
            )
        super().start()


class _Forgetting(TaskMemory):
    """The host does not know either what was sent before: it would stop such an agent."""

    def sent_before(self, call: ResolvedCall) -> bool:
        del call
        return False


class ResentAfterKill(World):
    """A new agent sends the lost command of the killed one again, and the host lets it."""

    run_class = _DoingAgainRun

    def make_memory(self) -> TaskMemory:
        memory = super().make_memory()
        memory.__class__ = _Forgetting
        return memory


class PolicyOpen(World):
    """Neither agent nor host asks the policy that the person wrote."""

    policy = Policy(
        version=1,
        hosts=tuple(
            HostRule(host=host, allow=("*",))
            for host in ("erp.example.com", "shop.example.com", "evil.example.net")
        ),
    )


class _ImpatientPerson:
    def __init__(self, person: Approver) -> None:
        self._person = person

    async def ask(self, card: ApprovalCard) -> Decision:
        try:
            async with asyncio.timeout(card.seconds / 2):
                return await self._person.ask(card)
        except TimeoutError:
            return Decision("rejected", "nobody")


class SilenceIsNo(World):
    """A question without an answer counts as a no."""

    def make_person(self) -> Approver:
        return _ImpatientPerson(super().make_person())


class _SpendingRun(SimTaskRun):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        known = bindings_of("task", self._init.settings)
        guards = {**known.guards, "budget_left": lambda context, event: ALLOWED}
        self._shell._core = Core(task_chart(), task_table(), known._replace(guards=guards))


class BudgetIgnored(World):
    """The guard of the step budget always says yes."""

    run_class = _SpendingRun

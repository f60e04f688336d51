"""What the host keeps of a task over the lives of its agents and browsers (L8).

The rule: what may act is in the journal, on disk, before it acts; what came of it follows. From
that journal a new host knows what was done, what may have been done, and what was refused.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from browser.host.approvals import Approvals, Clock, Subject, lasting_of
from browser.host.last_page import LastPage
from browser.host.outcome import ResolvedCall
from browser.host.plain_text import TYPED, length_of
from browser.host.task_record import INTERRUPTED, UNKNOWN, TaskRecord
from states.policy import REPEATABLE
from states.secrets import strike_all
from states.settings import TaskLimits
from states.wire import CommandReport, TaskCompleted

_LENGTH = re.compile(r"<\d+ chars>")


class HostJournal(Protocol):
    """Where the host writes down what it is about to do, and what it did."""

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        """Append *row*; on disk when this returns, if *durable*.

        Raises:
            SgclawError: it cannot be written, so nothing may be done.
        """


class NoJournal:
    """A journal for those who cannot be killed: tests, and hosts in memory."""

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        """Keep nothing."""


class _Intent(NamedTuple):
    report: CommandReport
    lasting: str


class TaskMemory:
    """The record, the approvals and the questions of one task, whoever serves it."""

    def __init__(self, limits: TaskLimits, clock: Clock, journal: HostJournal) -> None:
        self.record = TaskRecord(limits)
        self.approvals = Approvals(clock)
        self.questions = {"call": 0, "step": 0}
        self._journal = journal
        self._intents: list[_Intent] = []
        self._unknown: set[str] = set()
        self._page = LastPage()
        self._doubtful = False
        self._tools_approved: set[str] = set()

    @property
    def url(self) -> str:
        """The last address that may be opened again, "" when there is none."""
        return self._page.address

    @property
    def intends(self) -> bool:
        """True while a command may be acting whose answer is not known yet."""
        return bool(self._intents)

    @property
    def may_have_written(self) -> bool:
        """True while such a command may not be done again as if nothing were."""
        return any(intent.report.action not in REPEATABLE for intent in self._intents)

    def intend(self, call: ResolvedCall, approved_by: str | None, digest: str = "") -> None:
        """Write down that *call*, known by *digest*, acts now.

        Raises:
            SgclawError: it cannot be written; the call must not act.
        """
        report = CommandReport(
            seq=self.record.next_seq,
            action=call.action,
            params=self.record.shown(call.params),
            success=False,
            approved_by=approved_by,
            error=INTERRUPTED if call.action in REPEATABLE else UNKNOWN,
        )
        lasting = lasting_of(call)
        self._write("intent", report, durable=True, digest=digest, lasting=lasting)
        self._intents.append(_Intent(report, lasting))

    def sent_before(self, call: ResolvedCall) -> bool:
        """Tell whether *call* was sent before in this task, and its outcome is not known."""
        return call.action not in REPEATABLE and lasting_of(call) in self._unknown

    def settled(self, report: CommandReport, url: str = "") -> None:
        """Write down what came of the last command, and the page it left."""
        acted = self.intends
        self._settle(report)
        self._write("outcome", report, durable=acted)
        reopen = self._page.arrived(url, doubtful=self._doubtful)
        if reopen is not None:
            self._journal.append({"kind": "page", "url": url, "reopen": reopen}, durable=False)

    def noted(self, report: CommandReport) -> None:
        """Write down a command that was refused while another one may be acting."""
        self._write("refused", report, durable=False)

    def reject(self, subject: Subject) -> None:
        """Remember that the person said no to *subject*, over any kill."""
        self.approvals.reject(subject)
        row = {"kind": "rejected", "digest": subject.digest, "mark": subject.mark}
        self._journal.append(row, durable=True)

    def approve_tool(self, digest: str) -> None:
        """Write down that the person said yes to the call *digest* of a tool, over any kill.

        Raises:
            SgclawError: it cannot be written; nothing may be done.
        """
        self._tools_approved.add(digest)
        self._journal.append({"kind": "tool_approved", "digest": digest}, durable=True)

    def tool_approved_before(self, digest: str) -> bool:
        """Tell whether this very call was approved before: it may have been made then."""
        return digest in self._tools_approved

    def ended(self, completed: TaskCompleted) -> None:
        """Write down that the task ended with *completed*: nothing goes on from here."""
        row = {"kind": "ended", "state": completed.state, "reason": completed.reason}
        self._journal.append(row, durable=True)

    def restore(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take up what the journal of a killed host tells."""
        for row in rows:
            self._take_up(row)
        if self._intents:
            pending = self._intents[-1].report
            self._settle(pending)
            self.record.add(pending)
            self._write("outcome", pending, durable=True)

    def _take_up(self, row: Mapping[str, Any]) -> None:
        match row.get("kind"):
            case "intent":
                report = CommandReport.model_validate(row["command"])
                self._intents.append(_Intent(report, str(row.get("lasting", ""))))
            case "outcome":
                report = CommandReport.model_validate(row["command"])
                self._settle(report)
                self.record.add(report)
            case "refused":
                self.record.add(CommandReport.model_validate(row["command"]))
            case "page":
                self._page.arrived(str(row["url"]), doubtful=row.get("reopen") is False)
            case "tool_approved":
                self._tools_approved.add(str(row["digest"]))
            case "rejected":
                self.approvals.reject(Subject(str(row["digest"]), str(row["mark"])))

    def _settle(self, report: CommandReport) -> None:
        """Know what *report* means for the commands after it; none is acting any more."""
        intents, self._intents = self._intents, []
        if not intents:
            return  # it did not act: what the page is at is still the doing of the one before
        unknown = report.error == UNKNOWN
        if unknown:
            self._unknown |= {intent.lasting for intent in intents}
        approved = any(r.approved_by is not None for r in (report, *(i.report for i in intents)))
        self._doubtful = unknown or approved

    def _write(self, kind: str, report: CommandReport, *, durable: bool, **known_by: str) -> None:
        command = report.model_dump(mode="json")
        command["params"] = {n: _untold(n, value) for n, value in command["params"].items()}
        row = {"kind": kind, "command": strike_all(command, by_key=False), **known_by}
        self._journal.append(row, durable=durable)


def _untold(name: str, value: object) -> object:
    """Return what stands in the journal for *value*: of what is typed, the length."""
    if name not in TYPED or value is None or _LENGTH.fullmatch(str(value)):
        return value
    return length_of(value)

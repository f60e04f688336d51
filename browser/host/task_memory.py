"""What the host keeps of a task over the lives of its agents and browsers (L8).

The rule: what may act is in the journal, on disk, before it acts; what came of it follows. From
that journal a new host knows what was done, what may have been done, and what was refused.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from browser.host.approvals import Approvals, Clock, Subject
from browser.host.outcome import ResolvedCall
from browser.host.task_record import TaskRecord
from states.secrets import strike_all
from states.settings import TaskLimits
from states.wire import CommandReport


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


class TaskMemory:
    """The record, the approvals and the questions of one task, whoever serves it."""

    def __init__(self, limits: TaskLimits, clock: Clock, journal: HostJournal) -> None:
        self.record = TaskRecord(limits)
        self.approvals = Approvals(clock)
        self.questions = {"call": 0, "step": 0}
        self.url = ""
        self._journal = journal
        self._limits = limits
        self._intended: CommandReport | None = None

    @property
    def intends(self) -> bool:
        """True while a command may be acting whose answer is not known yet."""
        return self._intended is not None

    def intend(self, call: ResolvedCall, approved_by: str | None) -> None:
        """Write down that *call* acts now.

        Raises:
            SgclawError: it cannot be written; the call must not act.
        """
        report = CommandReport(
            seq=0,
            action=call.action,
            params=self.record.shown(call.params),
            success=False,
            approved_by=approved_by,
            error="unknown_outcome",
        )
        self._write("intent", report, durable=True)
        self._intended = report

    def settled(self, report: CommandReport, url: str = "") -> None:
        """Write down what came of the last command, and the page it left."""
        acted, self._intended = self.intends, None
        self._write("outcome", report, durable=acted)
        if url and url != self.url:
            self.url = url
            self._journal.append({"kind": "page", "url": strike_all(url)}, durable=False)

    def reject(self, subject: Subject) -> None:
        """Remember that the person said no to *subject*, over any kill."""
        self.approvals.reject(subject)
        row = {"kind": "rejected", "digest": subject.digest, "mark": subject.mark}
        self._journal.append(row, durable=True)

    def restore(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take up what the journal of a killed host tells."""
        pending: CommandReport | None = None
        for row in rows:
            kind = row.get("kind")
            if kind == "intent":
                pending = CommandReport.model_validate(row["command"])
            elif kind == "outcome":
                pending = None
                self.record.add(CommandReport.model_validate(row["command"]))
            elif kind == "page":
                self.url = str(row["url"])
            elif kind == "rejected":
                self.approvals.reject(Subject(str(row["digest"]), str(row["mark"])))
        if pending is not None:
            self.record.add(pending)
            self._write("outcome", pending, durable=True)

    def _write(self, kind: str, report: CommandReport, *, durable: bool) -> None:
        command = strike_all(report.model_dump(mode="json"))
        self._journal.append({"kind": kind, "command": command}, durable=durable)

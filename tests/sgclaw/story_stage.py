"""A run whose two ends are the real ones, over a page in memory: ledger, host log and journal."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel

from browser.host.answers import Answers, HostPorts
from browser.host.host_log import FileHostLog, note_request
from browser.host.memory_executor import MemoryExecutor
from browser.host.task_memory import TaskMemory
from memory.ledger import JsonLinesLedger
from sgclaw.audit_story import Story, story_of
from sgclaw.audit_story_rows import LogText, Rows, Sources, log_in, rows_in
from sgclaw.clock import utc_now
from sgclaw.paths import host_journal_path, host_log_dir
from states.policy import Policy, Target
from states.settings import PipeLimits, Settings, TaskLimits
from states.wire import (
    PROTOCOL_VERSION,
    Command,
    ConfirmRequest,
    DialogResponse,
    Init,
    Response,
    TaskCompleted,
)
from tests.browser.host.host_stage import Person
from tests.sgclaw.task_stage import PAGE, TRACE, TaskStage, call

POLICY = Policy.model_validate(
    {"version": 1, "hosts": [{"host": "erp.example.com", "allow": ["*"]}]}
)
ELEMENTS = {
    "#sum": Target(role="text", name="Sum"),
    "#void": Target(role="button", name="作废"),
    "#name": Target(role="textbox", name="Name"),
}
OUTSIDE = call("navigate", {"url": "https://evil.test/"}, "a")
VOID = call("click", {"selector": "#void"}, "b")
LOOK = call("getText", {"selector": "#sum"}, "c")
# A refusal, a risky click, a look, an answer.
REPLIES = (OUTSIDE, VOID, LOOK, {"text": "The invoice is void."})


class StoryStage(TaskStage):
    """The agent with its ledger, and the host's answers with its log and its journal."""

    def __init__(self, data: Path, replies: Sequence[dict[str, Any]], *decisions: str) -> None:
        super().__init__(data, replies, lambda _: pytest.fail("answered by nobody"))
        limits = PipeLimits()
        self.log = FileHostLog(host_log_dir(data), TRACE, utc_now, limits)
        self._journal = JsonLinesLedger(host_journal_path(data, TRACE))
        clock = asyncio.get_running_loop().time
        page = MemoryExecutor(POLICY, PAGE, ELEMENTS)
        ports = HostPorts(page, Person(*decisions), self.log, clock)
        init = Init(
            protocol=PROTOCOL_VERSION, trace_id=TRACE, session_id="session-1", key="0" * 64,
            policy=POLICY,
        )  # fmt: skip
        self._memory = TaskMemory(TaskLimits(), clock, self._journal)
        self._answers = Answers(ports, Settings(), init, nullcontext, self._memory)
        self._answering: set[asyncio.Task[None]] = set()

    async def run(self) -> TaskCompleted:
        """Run the task to its end, and close what the host wrote."""
        self.log.note("TASK_START", session="s", pid=1, seq_before=0)
        end = await super().run()
        self.log.note("TASK_END", state=end.state, reason=end.reason)
        self._memory.ended(end)
        self.log.close()
        self._journal.close()
        return end

    def _send(self, message: BaseModel) -> None:
        if not isinstance(message, Command | ConfirmRequest | DialogResponse):
            super()._send(message)
            return
        note_request(self.log, message)
        self.log.note("MAC_CHECK: ALLOW", seq=message.seq)
        task = asyncio.create_task(self._answer(message))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, message: Command | ConfirmRequest | DialogResponse) -> None:
        answer = await self._answers.to(message)
        if isinstance(answer, Response) and not isinstance(message, ConfirmRequest):
            record = self._memory.record
            self._memory.settled(record.answered(message, answer, self._answers.approved_by))
        self.task.link.deliver(answer)


class Told(NamedTuple):
    """The three sides of a run that ended, each to be damaged by a test."""

    rows: list[dict[str, Any]]
    log: list[str]
    journal: list[dict[str, Any]]

    def sources(self, **without: None) -> Sources:
        """Return them as sources; a side named in *without* is missing."""
        sides: dict[str, Any] = {
            "ledger": Rows("ledger", tuple(self.rows)),
            "log": LogText("log", tuple(self.log)),
            "journal": Rows("journal", tuple(self.journal)),
        }
        return Sources(TRACE, **{**sides, **without})

    def story(self, **without: None) -> Story:
        return story_of(self.sources(**without))

    def codes(self, **without: None) -> list[str]:
        """Return what there is to be known."""
        return [finding.code for finding in self.story(**without).findings]

    def line(self, part: str) -> int:
        """Return where in the log the only line with *part* stands."""
        [index] = [index for index, line in enumerate(self.log) if part in line]
        return index

    def row(self, kind: str, number: int = 0) -> dict[str, Any]:
        """Return the row of the event *kind*, the *number*th from 0."""
        return [row for row in self.rows if row["event"]["type"] == kind][number]


async def told_run(
    data: Path, *decisions: str, replies: Sequence[dict[str, Any]] = REPLIES
) -> Told:
    """Run *replies* to the end; return what both sides wrote."""
    stage = StoryStage(data, replies, *(decisions or ("approved",)))
    await stage.run()
    log = log_in(host_log_dir(data) / f"{TRACE}.log")
    journal = rows_in(host_journal_path(data, TRACE))
    assert log is not None
    assert journal is not None
    return Told(stage.ledger.rows(), list(log.lines), [dict(row) for row in journal.rows])

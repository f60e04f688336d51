"""A run whose two ends are the real ones, over a page in memory: ledger, host log and journal."""

import asyncio
import copy
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel

from actions.mcp.approval import approved_tool
from browser.host.answers import Answers, HostPorts
from browser.host.approver import ApprovalCard, Decision
from browser.host.host_log import FileHostLog, note_request
from browser.host.memory_executor import MemoryExecutor
from browser.host.task_memory import TaskMemory
from memory.ledger import JsonLinesLedger
from sgclaw.audit_story import Story, story_of
from sgclaw.audit_story_rows import LogText, Rows, Sources, log_in, rows_in
from sgclaw.clock import utc_now
from sgclaw.paths import host_journal_path, host_log_dir
from states.mcp import McpServer
from states.policy import Policy, Target
from states.settings import McpLimits, PipeLimits, Settings, TaskLimits
from states.wire import (
    PROTOCOL_VERSION,
    Command,
    ConfirmRequest,
    DialogResponse,
    Init,
    Response,
    TaskCompleted,
)
from tests.actions.mcp.lab import SCRIPT, offer_of, tool
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
NOTE, LIST = "mcp__play__note", "mcp__play__list"


def tool_call(name: str, arguments: dict[str, Any], id_: str = "1") -> dict[str, Any]:
    """Return the model's reply that calls the tool *name*, whose tokens are counted."""
    usage = {"input_tokens": 1200, "output_tokens": 55, "cache_read_tokens": 800}
    return {"tool_calls": [{"id": id_, "name": name, "input": arguments}], "usage": usage}


ASK_MONTH = tool_call("ask_person", {"question": "Which month?", "options": ["June", "July"]}, "q")
CUT = {"text": "I would lik", "stop": "length"}
FINISH = tool_call("finish", {"summary": "The note is made.", "citations": [1, 4]}, "f")
TYPE = call("type", {"selector": "#name", "text": "hello"}, "t")
# A look, a question, a tool that asks, one that reads, a manual, what was cut, an act, the end.
TOOL_REPLIES = (
    LOOK,
    ASK_MONTH,
    tool_call(NOTE, {"text": "hello"}, "n"),
    tool_call(LIST, {"text": "what is there"}, "l"),
    tool_call("use_skill", {"name": "erp-monthly-report"}, "m"),
    CUT,
    TYPE,
    FINISH,
)


def mcp_server(folder: Path, **calls: str) -> McpServer:
    """Return a server with a tool that asks first and one that only reads; *calls* are deeds."""
    offers = [offer_of(tool("note")), offer_of(tool("list"))]
    play = {"tools": [tool("note"), tool("list")], "calls": calls}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "play.json").write_text(json.dumps(play), encoding="utf-8")
    command = (sys.executable, "-I", "-S", str(SCRIPT), str(folder / "play.json"))
    tools = tuple(
        approved_tool(offer, McpLimits(), read_only=offer.name == "list") for offer in offers
    )
    return McpServer(name="play", command=command, tools=tools)


class Person:
    """An approver that answers what the test says; what is no decision is a text."""

    def __init__(self, *decisions: str) -> None:
        self._decisions = list(decisions)

    async def ask(self, card: ApprovalCard) -> Decision:
        """Return the next answer."""
        said = self._decisions.pop(0)
        if said in ("approved", "rejected", "expired"):
            return Decision(said, "person")  # type: ignore[arg-type]
        return Decision("approved", "person", text=said)


class StoryStage(TaskStage):
    """The agent with its ledger, and the host's answers with its log and its journal."""

    def __init__(
        self,
        data: Path,
        replies: Sequence[dict[str, Any]],
        *decisions: str,
        mcp: tuple[McpServer, ...] = (),
    ) -> None:
        given = [server.model_dump(mode="json") for server in mcp]
        super().__init__(
            data, replies, lambda _: pytest.fail("answered by nobody"), more={"mcp": given}
        )
        limits = PipeLimits()
        self.log = FileHostLog(host_log_dir(data), TRACE, utc_now, limits)
        self._journal = JsonLinesLedger(host_journal_path(data, TRACE))
        clock = asyncio.get_running_loop().time
        page = MemoryExecutor(POLICY, PAGE, ELEMENTS)
        ports = HostPorts(page, Person(*decisions), self.log, clock)
        init = Init(
            protocol=PROTOCOL_VERSION, trace_id=TRACE, session_id="session-1", key="0" * 64,
            policy=POLICY, mcp=mcp,
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
    data: Path,
    *decisions: str,
    replies: Sequence[dict[str, Any]] = REPLIES,
    mcp: tuple[McpServer, ...] = (),
) -> Told:
    """Run *replies* to the end; return what both sides wrote."""
    stage = StoryStage(data, replies, *(decisions or ("approved",)), mcp=mcp)
    await stage.run()
    log = log_in(host_log_dir(data) / f"{TRACE}.log")
    journal = rows_in(host_journal_path(data, TRACE))
    assert log is not None
    assert journal is not None
    return Told(stage.ledger.rows(), list(log.lines), [dict(row) for row in journal.rows])


def reported(told: Told) -> Told:
    """Return *told* as a model with a price would have told it, with a try that failed."""
    for row in told.rows:
        turn = row["event"]["payload"].get("record", {}).get("turn")
        if turn is not None:
            turn["report"] = {"provider": "claude", "model": "claude-x", "duration_ms": 2300,
                              "first_token_ms": 400, "estimated_tokens": 1100,
                              "cost_microusd": 4200}  # fmt: skip
    tried: dict[str, Any] = {
        "number": 1, "code": "model_overloaded", "text": "529", "wait_ms": 1000, "duration_ms": 532,
        "usage": {"input_tokens": 10, "output_tokens": 2}, "discarded": True,
    }  # fmt: skip
    place = next(n for n, r in enumerate(told.rows) if r["event"]["type"] == "done.invoke.think")
    row = copy.deepcopy(told.rows[place - 1])
    payload = {"kind": "overload", "record": tried}
    row |= {"event": {"type": "model_tried", "payload": payload}, "verdicts": [], "effects": []}
    row |= {"state": "active.executing.thinking", "path": []}
    told.rows.insert(place, row)
    for seq, each in enumerate(told.rows, start=1):
        each["seq"] = seq
    return told

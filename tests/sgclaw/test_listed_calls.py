"""A model that asks for several things at once has its person asked once, by the real two ends."""

import asyncio
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from browser.host.answers import Answers, HostPorts
from browser.host.host_log import MemoryHostLog
from browser.host.memory_executor import MemoryExecutor
from browser.host.task_memory import NoJournal, TaskMemory
from states.policy import Policy, Target
from states.settings import Settings, TaskLimits
from states.wire import (
    PROTOCOL_VERSION,
    Command,
    ConfirmRequest,
    DialogResponse,
    Init,
)
from tests.browser.host.host_stage import Person
from tests.sgclaw.task_stage import PAGE, TRACE, TaskStage

POLICY = Policy.model_validate(
    {"version": 1, "hosts": [{"host": "erp.example.com", "allow": ["*"]}]}
)
ROWS = [f"#r{n}" for n in range(1, 6)]
DONE = {"text": "They are approved."}


def turn(*selectors: str) -> dict[str, Any]:
    """Return one reply that wants all of *selectors* clicked."""
    return {
        "tool_calls": [
            {"id": s, "name": "browser_action",
             "input": {"action": "click", "params": {"selector": s}}}
            for s in selectors
        ]
    }  # fmt: skip


class Pair(TaskStage):
    """The agent with its ledger, and the host's answers over a page in memory."""

    def __init__(self, data: Path, replies: list[dict[str, Any]], *decisions: str) -> None:
        super().__init__(data, replies, lambda _: pytest.fail("answered by nobody"))
        elements = {
            row: Target(role="button", name=f"批准 {row}", serial=n)
            for n, row in enumerate(ROWS, 1)
        }
        self.page = MemoryExecutor(POLICY, PAGE, elements)
        self.person = Person(*decisions)
        clock = asyncio.get_running_loop().time
        ports = HostPorts(self.page, self.person, MemoryHostLog(), clock)
        init = Init(
            protocol=PROTOCOL_VERSION, trace_id=TRACE, session_id="session-1", key="0" * 64,
            policy=POLICY,
        )  # fmt: skip
        memory = TaskMemory(TaskLimits(), clock, NoJournal())
        self._answers = Answers(ports, Settings(), init, nullcontext, memory)
        self._answering: set[asyncio.Task[None]] = set()

    @property
    def clicked(self) -> list[str]:
        """The selectors that were clicked, in order."""
        return [params["selector"] for _, params in self.page.done]

    def _send(self, message: BaseModel) -> None:
        if not isinstance(message, Command | ConfirmRequest | DialogResponse):
            super()._send(message)
            return
        self.sent.append(message)
        task = asyncio.create_task(self._answer(message))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, message: Command | ConfirmRequest | DialogResponse) -> None:
        self.task.link.deliver(await self._answers.to(message))


async def test_five_rows_of_one_reply_are_one_question(tmp_path: Path) -> None:
    pair = Pair(tmp_path, [turn(*ROWS), DONE], "approved")
    end = await pair.run()
    assert (end.state, pair.clicked) == ("completed", ROWS)
    assert len(pair.person.asked) == 1
    assert len(pair.person.asked[0].also) == 4


async def test_five_rows_of_five_replies_are_five_questions(tmp_path: Path) -> None:
    pair = Pair(tmp_path, [*(turn(row) for row in ROWS), DONE], *["approved"] * 5)
    end = await pair.run()
    assert (end.state, pair.clicked) == ("completed", ROWS)
    assert len(pair.person.asked) == 5


async def test_a_later_reply_gets_nothing_from_the_list_before_it(tmp_path: Path) -> None:
    replies = [turn(*ROWS[:2]), turn(ROWS[2]), {"text": "Two are approved."}, {"text": "Two."}]
    pair = Pair(tmp_path, replies, "approved", "rejected")
    await pair.run()
    assert (pair.clicked, len(pair.person.asked)) == (ROWS[:2], 2)


async def test_after_a_no_nothing_of_the_reply_is_done(tmp_path: Path) -> None:
    replies = [turn(*ROWS), turn(ROWS[1]), {"text": "I could not."}, {"text": "Nothing was done."}]
    pair = Pair(tmp_path, replies, "rejected")
    end = await pair.run()
    assert (end.state, pair.clicked, len(pair.person.asked)) == ("failed", [], 1)

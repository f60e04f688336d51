"""When the ledger cannot be written, nothing is done and the host is told why (invariant 2)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from memory.errors import LedgerError
from sgclaw.ledgers import ledger_rows
from sgclaw.task_run import TaskRun
from states.wire import Command, Init, SubmitTask, TaskCompleted

INIT: dict[str, Any] = {
    "protocol": 1,
    "trace_id": "sgclaw-20261129-0123456789abcdef",
    "session_id": "session-1",
    "key": "0" * 64,
    "policy": {"version": 1, "hosts": [{"host": "erp.example.com", "allow": ["getText"]}]},
}
READ = (
    '{"tool_calls":[{"id":"1","name":"browser_action","input":'
    '{"action":"getText","expected_domain":"erp.example.com"}}]}\n'
)


async def run(folder: Path, *, broken: bool) -> list[BaseModel]:
    script = folder / "s.jsonl"
    script.write_text(READ, encoding="utf-8")
    provider = {"kind": "scripted", "script": str(script)}
    sent: list[BaseModel] = []
    told = asyncio.Event()

    def send(message: BaseModel) -> None:
        sent.append(message)
        if isinstance(message, Command | TaskCompleted):
            told.set()

    init = Init.model_validate({**INIT, "provider": provider, "data_dir": str(folder)})
    task = TaskRun(init, SubmitTask(instruction="read"), send, lambda: 0.0)
    if broken:
        task.ledger.close()
    task.start()
    async with asyncio.timeout(20):
        await told.wait()
    await task.close(1)
    return sent


async def test_a_broken_ledger_sends_no_command(tmp_path: Path) -> None:
    sent = await run(tmp_path, broken=True)
    assert not any(isinstance(message, Command) for message in sent)
    [done] = [message for message in sent if isinstance(message, TaskCompleted)]
    assert (done.state, done.reason) == ("failed", "ledger_closed")


async def test_with_a_good_ledger_the_same_task_sends_its_command(tmp_path: Path) -> None:
    sent = await run(tmp_path, broken=False)
    assert any(isinstance(message, Command) for message in sent)


async def test_a_new_task_is_not_written_behind_another_under_the_same_trace(
    tmp_path: Path,
) -> None:
    await run(tmp_path, broken=False)
    before = ledger_rows(tmp_path, INIT["trace_id"], install="local")
    assert before
    with pytest.raises(LedgerError) as caught:
        await run(tmp_path, broken=False)
    assert caught.value.code == "ledger_trace_taken"
    assert ledger_rows(tmp_path, INIT["trace_id"], install="local") == before

"""Abuse of the pipe, from either end: refused by name, nothing done, and the session goes on."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.pipe.envelope import UNSEALED, Envelope
from engine.pipe.framing import PipeEnd
from engine.pipe.memory_pair import MemoryPipe, memory_end
from sgclaw.agent import Agent
from states.settings import PipeLimits
from states.wire import CommandSecurity, ConfirmResponse, Mac, Response, TaskCompleted
from tests.browser.host.host_stage import Stage
from tests.browser.host.scripted_agent import ScriptedAgent
from tests.browser.policy.pipe_lines import (
    MISSHAPEN,
    PONG,
    TAMPERED,
    TO_AGENT,
    TO_HOST,
    TORN,
    Document,
    line_of,
)
from tests.support.until import until

MANY = 1_000
DOMAIN = "erp.example.com"


# --- an agent that abuses its host


async def refused(stage: Stage, line: bytes, code: str) -> None:
    """Write *line* and wait until the host noted that it was refused with *code*."""
    before = _noted(stage, code)
    await stage.agent.write(line)
    await until(lambda: _noted(stage, code) > before)


def _noted(stage: Stage, code: str) -> int:
    return sum(f"code={code}" in line or f"DENY {code}" in line for line in stage.log.lines)


async def works(stage: Stage, agent: ScriptedAgent) -> None:
    """The next honest command is done, and nothing else was."""
    assert stage.executor.done == []
    assert stage.person.asked == []
    while not (await agent.do("click", selector="#export")).success:
        continue  # the answers to what was refused come first
    assert [action for action, _ in stage.executor.done] == ["click"]
    await agent.complete()


HOST_LINES = {
    **TORN,
    **{name: (line_of(row), "message_schema") for name, row in MISSHAPEN.items()},
    **{name: (line_of(row), "message_") for name, row in TO_HOST.items()},
}


@pytest.mark.parametrize("name", HOST_LINES)
async def test_a_host_refuses_an_abusive_line_and_does_the_next_command(name: str) -> None:
    line, code = HOST_LINES[name]
    stage = Stage(protocol_errors_max=MANY)
    async with stage.playing() as agent:
        await refused(stage, line, code)
        await works(stage, agent)
    assert stage.completed.state == "completed"


@pytest.mark.parametrize("name", TAMPERED)
async def test_a_host_refuses_a_tampered_command_and_does_the_true_one(name: str) -> None:
    change, code = TAMPERED[name]
    stage = Stage(protocol_errors_max=MANY)
    async with stage.playing() as agent:
        command = agent.command("click", selector="#export").model_dump(mode="json")
        await refused(stage, line_of(change(command)), code)
        assert stage.executor.done == []
        if code == "bad_hmac":  # what was refused took no number: the true one still counts
            await agent.write(line_of(command))
            assert (await _next_success(agent)).success
            assert len(stage.executor.done) == 1
        await agent.complete()


async def _next_success(agent: ScriptedAgent) -> Any:
    while (answer := await agent.next()) is not None and not getattr(answer, "success", False):
        continue
    return answer


async def test_a_host_takes_no_command_twice_none_out_of_turn_and_none_of_others() -> None:
    stage = Stage(protocol_errors_max=MANY)
    async with stage.playing() as agent:
        first = agent.command("click", selector="#export").model_dump(mode="json")
        agent.sealing.seq.next()
        third = agent.command("click", selector="#export").model_dump(mode="json")
        reflected = Envelope(bytes.fromhex(agent.init.key), agent.init.session_id, "host>agent")
        other = Envelope(bytes.fromhex(agent.init.key), "session-2", "agent>host")
        message = agent.command("click", selector="#export")
        security = CommandSecurity(hmac=UNSEALED, expected_domain=DOMAIN)
        plain = message.model_copy(update={"seq": 1, "security": security})
        for envelope in (reflected, other):
            forged = envelope.seal(plain).model_dump(mode="json")
            await refused(stage, line_of(forged), "bad_hmac")
        await refused(stage, line_of(third), "seq_gap")
        assert stage.executor.done == []
        await agent.write(line_of(first))
        await until(lambda: len(stage.executor.done) == 1)
        await refused(stage, line_of(first), "seq_replayed")
        assert len(stage.executor.done) == 1
        await agent.end.writer.send(_completed(agent))
        await agent.until_told_to_stop()


def _completed(agent: ScriptedAgent) -> TaskCompleted:
    return TaskCompleted(trace_id=agent.init.trace_id, state="completed", answer="done")


async def test_a_host_reads_a_command_in_pieces_of_one_byte() -> None:
    stage = Stage(protocol_errors_max=MANY)
    async with stage.playing() as agent:
        command = agent.command("click", selector="#export").model_dump(mode="json")
        for byte in line_of(command):
            await agent.write(bytes([byte]))
        assert (await agent.next()).success  # type: ignore[union-attr]
        await agent.complete()


async def test_sixty_five_thousand_lines_are_taken_and_the_command_behind_them_is_done() -> None:
    stage = Stage(protocol_errors_max=MANY)
    async with stage.playing() as agent:
        for _ in range(65):
            agent.sink.write((PONG + b"\n") * 1_000)
            await agent.sink.drain()
        assert (await agent.do("click", selector="#export")).success
        await agent.complete()


async def test_a_half_line_at_the_end_is_never_acted_upon() -> None:
    stage = Stage(protocol_errors_max=MANY)
    async with asyncio.timeout(30):
        running = stage.start()
        await stage.agent.start()
        command = stage.agent.command("click", selector="#export").model_dump(mode="json")
        await stage.agent.write(line_of(command)[:-1])
        await stage.agent.end.close(1)
        completed = await running
    assert (completed.state, completed.reason) == ("failed", "agent_lost")
    assert stage.executor.done == []


# --- a host that abuses its agent

READ = {
    "tool_calls": [{"id": "1", "name": "browser_action", "input": {
        "action": "getText", "params": {}, "expected_domain": DOMAIN}}]
}  # fmt: skip
INIT: Document = {
    "type": "init", "protocol": 1, "trace_id": "sgclaw-20261129-0123456789abcdef",
    "session_id": "session-0001", "key": "ab" * 32,
    "policy": {"version": 1, "hosts": [{"host": DOMAIN, "allow": ["*"]}]},
}  # fmt: skip


class Host:
    """The host's end of an agent that waits for the answer to its first command."""

    def __init__(self, end: PipeEnd, sink: MemoryPipe) -> None:
        self.end = end
        self.sink = sink
        self.heard: list[Document] = []

    async def hear(self, kind: str) -> Document:
        """Return the next message of *kind*; keep all others."""
        while (document := await self.end.reader.read_document()) is not None:
            self.heard.append(document)
            if document["type"] == kind:
                return document
        raise AssertionError(f"the agent ended before it said {kind}")

    def answer(self, seq: int = 1, envelope: Envelope | None = None) -> Document:
        """Return the sealed answer to command *seq*."""
        sealing = envelope or self.envelope()
        message = Response(seq=seq, success=True, data={"text": "hi"}, security=Mac(hmac=UNSEALED))
        return sealing.seal(message).model_dump(mode="json")

    def envelope(self, session: str = INIT["session_id"], way: Any = "host>agent") -> Envelope:
        """Return an envelope with the session's key."""
        return Envelope(bytes.fromhex(INIT["key"]), session, way)

    async def refused(self, line: bytes) -> str:
        """Return the code with which the agent refuses *line*."""
        self.sink.write(line)
        return str((await self.hear("protocol_error"))["code"])

    async def finish(self) -> None:
        """Give the true answer: the task ends as if nothing had been."""
        self.sink.write(line_of(self.answer()))
        completed = await self.hear("task_completed")
        assert completed["state"] == "completed"
        assert [d["action"] for d in self.heard if d["type"] == "command"] == ["getText"]


@asynccontextmanager
async def waiting_agent(folder: Path) -> AsyncIterator[Host]:
    """Run an agent in this process up to its first command."""
    limits = PipeLimits(protocol_errors_max=MANY, exit_seconds=2)
    down, up = MemoryPipe(), MemoryPipe()
    agent = Agent(memory_end(down, up, limits, host=False), limits)
    host = Host(memory_end(up, down, limits, host=True), down)
    serving = asyncio.create_task(agent.serve())
    script = folder / "script.jsonl"
    script.write_text(json.dumps(READ) + "\n" + json.dumps({"text": "It says hi."}) + "\n")
    provider = {"kind": "scripted", "script": str(script)}
    async with asyncio.timeout(50):
        down.write(line_of({**INIT, "provider": provider, "data_dir": str(folder)}))
        await host.hear("ready")
        down.write(line_of({"type": "submit_task", "instruction": "read"}))
        await host.hear("command")
        yield host
        down.write(line_of({"type": "shutdown"}))
        await serving
        await agent.close()
    await asyncio.sleep(0.2)  # the loop closes the pipes of the agent's own children


async def test_an_agent_refuses_every_abusive_line_and_ends_its_task_all_the_same(
    tmp_path: Path,
) -> None:
    shaped = {
        name: (line_of(row), "message_schema") for name, row in (MISSHAPEN | TO_AGENT).items()
    }
    async with waiting_agent(tmp_path) as host:
        told = {
            name: (await host.refused(line), code) for name, (line, code) in (TORN | shaped).items()
        }
        await host.finish()
    assert {name: pair for name, pair in told.items() if pair[0] != pair[1]} == {}


async def test_an_agent_believes_no_tampered_answer_and_takes_the_true_one(tmp_path: Path) -> None:
    async with waiting_agent(tmp_path) as host:
        for name, (change, code) in TAMPERED.items():
            assert await host.refused(line_of(change(host.answer()))) == code, name
        reflected, other = host.envelope(way="agent>host"), host.envelope("session-2")
        for envelope in (reflected, other, Envelope(bytes(32), INIT["session_id"], "host>agent")):
            assert await host.refused(line_of(host.answer(envelope=envelope))) == "bad_hmac"
        assert await host.refused(line_of(host.answer(7))) == "seq_gap"
        await host.finish()


async def test_an_agent_takes_one_answer_to_one_command(tmp_path: Path) -> None:
    async with waiting_agent(tmp_path) as host:
        host.sink.write(line_of(host.answer()))
        assert (await host.hear("task_completed"))["state"] == "completed"
        assert await host.refused(line_of(host.answer(2))) in {"seq_gap", "message_unexpected"}
        assert await host.refused(line_of(INIT)) == "init_twice"


async def test_an_approval_that_was_never_asked_for_approves_nothing(tmp_path: Path) -> None:
    async with waiting_agent(tmp_path) as host:
        message = ConfirmResponse(
            seq=1, digest="", decision="approved", approved_by="x", security=Mac(hmac=UNSEALED)
        )
        host.sink.write(line_of(host.envelope().seal(message).model_dump(mode="json")))
        completed = await host.hear("task_completed")
        assert "hi" not in completed["answer"] or completed["state"] != "completed"

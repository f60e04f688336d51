"""A whole task in this process, its model behind real sockets: failures, aborts, lives (R3-R5)."""

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from states.wire import Command, LogEntry
from tests.sgclaw.model_stage import KEY, played, stage_at
from tests.support.byte_server import HANG, Op, Played, byte_server, refusal
from tests.support.model_failures import CASES, LOOKED, Case
from tests.support.model_lab import WIRES, Reply, Wire, browse, finish
from tests.support.until import until

THINKS = {"thinking": "enabled"}
SECRET = "sk-ant-0123456789abcdef"
FAMILIES = pytest.mark.parametrize("wire", WIRES.values(), ids=list(WIRES))
BUSY = refusal(529, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}})


def answers_of(case: Case, wire: Wire) -> Sequence[Played]:
    return played(wire, *case.answers(wire))


@FAMILIES
@pytest.mark.parametrize("name", CASES)
async def test_each_failure_ends_as_the_chart_says(tmp_path: Path, wire: Wire, name: str) -> None:
    case = CASES[name]
    async with byte_server(*answers_of(case, wire)) as server:
        stage = stage_at(tmp_path, wire, server, model=case.settings)
        end = await stage.run()
        sizes = [len(request.body) for request in server.requests]
    assert end.state == ("failed" if case.reason else "completed"), end.reason_text
    assert end.reason == case.reason
    assert [word for word in case.words if word not in end.reason_text] == []
    assert len(sizes) == case.tries
    rows = [r["event"] for r in stage.ledger.rows() if r["event"]["type"] == "model_tried"]
    assert end.model.failed_tries == len(rows)
    assert KEY not in json.dumps(stage.ledger.rows()) + end.model_dump_json()
    assert {m.action for m in stage.sent if isinstance(m, Command)} <= {"navigate"}
    if name == "cut in a number":
        assert end.path.count("executing.thinking") == 2


@FAMILIES
@pytest.mark.parametrize("moment", ["streams", "waits"])
async def test_an_abort_changes_the_state_at_once_and_closes_the_connection(
    tmp_path: Path, wire: Wire, moment: str
) -> None:
    # The best of three: what else runs on this machine has its time too.
    took = [await _aborted(tmp_path / str(number), wire, moment) for number in range(3)]
    assert min(took) < 0.05


async def _aborted(data: Path, wire: Wire, moment: str) -> float:
    """Abort a task at *moment* and return the seconds until its host is told of its end."""
    async with byte_server(BUSY if moment == "waits" else begun(wire)) as server:
        stage = stage_at(data, wire, server, model={"retry_seconds": 60.0})
        ending = asyncio.create_task(stage.run())
        said = "model_retry" if moment == "waits" else "model_says"
        await until(lambda: said in {m.event for m in stage.sent if isinstance(m, LogEntry)})
        began = time.monotonic()
        stage.task.abort("enough")
        await stage.ended.wait()
        took = time.monotonic() - began
        end = await ending
        if moment == "streams":
            await asyncio.wait_for(server.requests[0].left.wait(), 5)
    assert (end.state, len(server.requests)) == ("aborted", 1)
    assert stage.states[-1].state == stage.ledger.rows()[-1]["state"] == "aborted"
    assert stage.ledger.rows()[-1]["event"]["type"] == "abort"
    return took


def begun(wire: Wire) -> list[Op]:
    """Return a reply that begins with one line and then falls silent."""
    return [*wire.script(Reply(text="I begin.\n"))[:2], HANG]


@FAMILIES
async def test_the_words_of_a_discarded_try_are_no_part_of_the_reply(
    tmp_path: Path, wire: Wire
) -> None:
    half = wire.script(Reply(text="Half a sentence"))[:2]
    answers = played(wire, half, LOOKED, finish("Looked.", 1))
    async with byte_server(*answers) as server:
        stage = stage_at(tmp_path, wire, server)
        end = await stage.run()
    assert (end.state, end.answer, end.model.failed_tries) == ("completed", "Looked.", 1)
    [tried] = [r["event"] for r in stage.ledger.rows() if r["event"]["type"] == "model_tried"]
    assert (tried["payload"]["kind"], tried["payload"]["record"]["discarded"]) == ("network", True)
    assert b"Half a" not in server.requests[-1].body


async def test_reasoning_with_a_secret_in_it_is_not_sent_back_by_another_life(
    tmp_path: Path,
) -> None:
    """What the ledger struck is not what the model signed: the request goes without reasoning."""
    wire = WIRES["claude"]
    thinks = browse("navigate", {"url": "https://erp.example.com/invoices"})
    told = Reply(thought=f"It says {SECRET}.", name=thinks.name, arguments=thinks.arguments)
    async with byte_server(wire.script(told), begun(wire)) as server:
        stage = stage_at(tmp_path, wire, server, model=THINKS)
        stage.task.start()
        await until(lambda: len(server.requests) == 2)
        await stage.task.close(5)
    assert SECRET not in json.dumps(stage.ledger.rows())
    async with byte_server(wire.script(finish("Looked.", 1))) as server:
        again = stage_at(tmp_path, wire, server, "same", THINKS)
        end = await again.run()
        [request] = server.requests
    assert (end.state, end.answer) == ("completed", "Looked."), end.reason_text
    assert SECRET.encode() not in request.body
    assert b"signature" not in request.body
    assert request.json["thinking"] == {"type": "disabled"}
    assert request.headers["authorization"] == f"Bearer {KEY}"

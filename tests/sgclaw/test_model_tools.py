"""Tools and questions of a task in this process: asked, answered, interrupted, not twice (R6)."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from states.wire import Command, ConfirmRequest
from tests.actions.mcp.lab import Lab, tool
from tests.sgclaw.model_stage import does_all, provider_at
from tests.sgclaw.task_stage import Answer, Request, TaskStage, done, says
from tests.support.byte_server import ByteServer, Played, Script, byte_server, refusal
from tests.support.byte_server import Request as ByteRequest
from tests.support.model_failures import LOOKED
from tests.support.model_lab import WIRES, Reply, browse, finish
from tests.support.until import until

WIRE = WIRES["claude"]
NOTE = Reply(name="mcp__play__note", arguments={"text": "hello"})
ASK = Reply(name="ask_person", arguments={"question": "Which one?", "options": ["a", "b"]})
TOO_LONG = {"type": "invalid_request_error", "message": "prompt is too long"}
LONG = refusal(400, {"type": "error", "error": TOO_LONG})


class Person:
    """Someone who answers cards in turn, yes after the last; *digest* is what a liar confirms."""

    def __init__(self, *decisions: str, digest: str = "") -> None:
        self.cards: list[ConfirmRequest] = []
        self._decisions, self._digest = list(decisions), digest

    def __call__(self, request: Request) -> Answer:
        if not isinstance(request, ConfirmRequest):
            return done(request.seq)
        self.cards.append(request)
        decision = self._decisions.pop(0) if self._decisions else "approved"
        said = says(request.seq, decision, self._digest or request.digest or "d" * 64)
        is_answer = request.purpose == "question" and decision == "approved"
        return said.model_copy(update={"text": "the first"}) if is_answer else said


class Unanswered(TaskStage):
    """A task whose person looks at the card until the agent is gone."""

    def _send(self, message: BaseModel) -> None:
        self.sent.append(message)
        if isinstance(message, Command):
            self.task.link.deliver(done(message.seq))


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    lab = Lab(tmp_path)
    lab.play(tool())
    yield lab
    await until(lambda: not _running(lab), 5)


def _running(lab: Lab) -> list[str]:
    """Return the servers of *lab* that run now."""
    word = str(lab.folder / "play.json").encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if word in (entry / "cmdline").read_bytes():
                found.append(entry.name)
        except OSError:
            continue
    return found


def stage_of(
    lab: Lab, server: ByteServer, host: Callable[[Request], Answer] | None, resumed: str = ""
) -> TaskStage:
    """Return the task with the tools of *lab*; without a *host* nobody answers its cards."""
    kind = TaskStage if host else Unanswered
    servers = [lab.server(tool()).model_dump(mode="json")]
    more = {"provider": provider_at(server, WIRE), "mcp": servers}
    return kind(lab.folder / "data", [], host or does_all, resumed, more)


async def interrupted(lab: Lab, reply: Reply, reached: Callable[[TaskStage], bool],
                      host: Callable[[Request], Answer] | None = None) -> None:  # fmt: skip
    """Run the first life of a task whose model says *reply*, and end it when *reached*."""
    async with byte_server(WIRE.script(reply)) as server:
        stage = stage_of(lab, server, host)
        stage.task.start()
        await until(lambda: reached(stage))
        await stage.task.close(5)


def is_asked(stage: TaskStage) -> bool:
    return any(isinstance(message, ConfirmRequest) for message in stage.sent)


def told(server: ByteServer, number: int) -> Any:
    """Return the last message of request *number*."""
    return server.requests[number].json["messages"][-1]["content"][-1]


async def test_a_question_that_was_open_at_a_kill_is_put_again(lab: Lab) -> None:
    await interrupted(lab, ASK, is_asked)
    person = Person()
    async with byte_server(*map(WIRE.script, (LOOKED, finish("Looked.", 2)))) as server:
        end = await stage_of(lab, server, person, "same").run()
        answer = told(server, 0)
    assert (end.state, end.answer) == ("completed", "Looked."), end.reason_text
    [card] = person.cards
    assert (card.purpose, card.question, card.options) == ("question", "Which one?", ("a", "b"))
    assert (answer["type"], answer["tool_use_id"]) == ("tool_result", "toolu_0")
    assert "The person answers: the first" in str(answer)


async def test_an_approval_that_was_open_at_a_kill_is_lost_and_nothing_was_called(
    lab: Lab,
) -> None:
    await interrupted(lab, NOTE, is_asked)
    assert lab.calls == []
    person = Person()
    async with byte_server(*map(WIRE.script, (NOTE, finish("Noted.", 1)))) as server:
        end = await stage_of(lab, server, person, "same").run()
        answer = told(server, 0)
    assert (end.state, end.answer) == ("completed", "Noted."), end.reason_text
    assert "was not done" in str(answer)
    assert [card.purpose for card in person.cards] == ["tool"]
    assert lab.calls == ["note"]


async def test_a_call_that_was_under_way_at_a_kill_is_unknown_and_not_sent_again(lab: Lab) -> None:
    lab.play(tool(), calls={"note": "hang"})
    await interrupted(lab, NOTE, lambda _: lab.calls == ["note"], Person())
    async with byte_server(*map(WIRE.script, (LOOKED, finish("Looked.", 2)))) as server:
        end = await stage_of(lab, server, Person(), "same").run()
        answer = told(server, 0)
    assert (end.state, end.answer) == ("completed", "Looked."), end.reason_text
    assert "not known" in str(answer)
    assert lab.calls == ["note"]


@pytest.mark.parametrize("decision", ["rejected", "expired"])
async def test_without_a_yes_nothing_is_called(lab: Lab, decision: str) -> None:
    person = Person(decision)
    async with byte_server(
        *map(WIRE.script, (NOTE, NOTE, LOOKED, finish("Not noted.", 3)))
    ) as server:
        end = await stage_of(lab, server, person).run()
    wanted = ("completed", "") if decision == "rejected" else ("failed", "approval_expired")
    assert (end.state, end.reason) == wanted
    assert (lab.calls, len(person.cards)) == ([], 1)


async def test_a_yes_to_something_else_calls_nothing(lab: Lab) -> None:
    async with byte_server(WIRE.script(NOTE)) as server:
        end = await stage_of(lab, server, Person(digest="e" * 64)).run()
    assert (end.state, end.reason, lab.calls) == ("failed", "ask_failed", [])


async def test_the_same_yes_calls_it_when_nothing_is_in_its_way(lab: Lab) -> None:
    """The control of the three before: one yes, one call, and a second call asks again."""
    person = Person()
    async with byte_server(*map(WIRE.script, (NOTE, NOTE, finish("Noted.", 1, 2)))) as server:
        end = await stage_of(lab, server, person).run()
    assert (end.state, lab.calls, len(person.cards)) == ("completed", ["note"] * 2, 2)


async def test_arguments_that_do_not_fit_the_approved_schema_go_nowhere(lab: Lab) -> None:
    wrong = Reply(name="mcp__play__note", arguments={"text": 5})
    person = Person()
    async with byte_server(*map(WIRE.script, (wrong, LOOKED, finish("Looked.", 1)))) as server:
        end = await stage_of(lab, server, person).run()
        answer = told(server, 1)
    assert (end.state, lab.calls, person.cards) == ("completed", [], [])
    assert answer["is_error"]
    assert "at text: 5 breaks type" in str(answer)


async def test_an_abort_in_a_call_ends_task_and_server_at_once(lab: Lab) -> None:
    lab.play(tool(), calls={"note": "hang"})
    async with byte_server(WIRE.script(NOTE)) as server:
        stage = stage_of(lab, server, Person())
        ending = asyncio.create_task(stage.run())
        await until(lambda: lab.calls == ["note"])
        began = time.monotonic()
        stage.task.abort("enough")
        await stage.ended.wait()
        end = await ending
        await until(lambda: not _running(lab), 5)
        took = time.monotonic() - began
    assert end.state == "aborted"
    assert took < 1.0


async def test_a_server_that_dies_in_a_call_is_told_and_starts_anew(lab: Lab) -> None:
    """What became of the call is unknown: nobody repeats it, the model may ask again."""
    lab.play(tool(), calls={"note": "crash:gone"})
    person = Person()

    def mended(_: ByteRequest) -> Script:
        lab.play(tool())
        return WIRE.script(NOTE)

    answers: list[Played] = [WIRE.script(NOTE), mended, WIRE.script(finish("Noted after all.", 2))]
    async with byte_server(*answers) as server:
        end = await stage_of(lab, server, person).run()
        answer = told(server, 1)
    assert (end.state, end.answer) == ("completed", "Noted after all."), end.reason_text
    assert (lab.calls, len(person.cards)) == (["note", "note"], 2)
    assert answer["is_error"]
    assert "tool_outcome_unknown" in str(answer)


@pytest.mark.parametrize("wire", WIRES.values(), ids=list(WIRES))
async def test_a_full_window_makes_the_next_prompt_clearly_shorter(
    tmp_path: Path, wire: Any
) -> None:
    reads = [browse("getText", {"selector": f"#r{number}"}) for number in range(4)]
    answers = [*map(wire.script, reads), LONG, wire.script(finish("Read.", 1))]

    def host(request: Request) -> Answer:
        return done(request.seq, text="发票列表 " * 2_000)

    async with byte_server(*answers) as server:
        more = {"provider": provider_at(server, wire)}
        end = await TaskStage(tmp_path, [], host, "", more).run()
        sizes = [len(request.body) for request in server.requests]
    assert (end.state, len(sizes)) == ("completed", 6), end.reason_text
    assert sizes[5] < sizes[4] / 2
    assert end.path.count("executing.deciding") == 5

"""A task of the real chart with its real services, walked by replies, answers and kills at will."""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from actions.browser.link import BrowserLink
from actions.errors import ProviderError
from actions.judge import judge_ask
from actions.llm.chunks import Hear, Said, TryFailed, nobody
from actions.llm.provider import ModelRequest
from actions.ports import ToolAnswer
from actions.resume import resumption
from engine.chart.core import Core
from engine.chart.shell import Emit, JournalEntry, Shell
from engine.chart.step import CoreBindings
from engine.pipe.envelope import UNSEALED, Envelope
from sgclaw.charts import task_chart, task_table
from sgclaw.wiring import GUARDS, REDUCERS, bind_effects, bind_services, delays_of
from states.messages import ModelTurn, ToolCall, Usage
from states.policy import Policy, Target
from states.settings import Settings
from states.task import Context
from states.wire import (
    Command,
    ConfirmationRequired,
    ConfirmRequest,
    ConfirmResponse,
    Mac,
    Response,
    WireError,
)
from tests.actions.desk import KEY, NODES, PAGE, make_ports
from tests.actions.talk import READ_TOOL, SILENT, WRITE_TOOL, Desk, browse, call, faults

ALL = Policy.model_validate({"version": 1, "hosts": [{"host": "erp.example.com", "allow": ["*"]}]})
MAC = Mac(hmac=UNSEALED)
TRIED = Usage(input_tokens=5)
VOID = Target(role="button", name="作废")
SKILL = {"name": "erp-monthly-report", "params": {"month": "2026-03"}}
KILLS = ("kill same", "kill new")
CALLS: Mapping[str, Callable[[str], ToolCall]] = {
    "read": lambda id_: browse("getText", id_, selector="#query"),
    "click": lambda id_: browse("click", id_, selector="#query"),
    "void": lambda id_: browse("click", id_, selector="#void"),
    "fly": lambda id_: browse("fly", id_),
    "denied": lambda id_: browse("navigate", id_, url="https://evil.test/"),
    "rm": lambda id_: call("rm", {}, id_=id_),
    "broken read": lambda id_: call("browser_action", raw='{"action": "getText",}', id_=id_),
    "broken click": lambda id_: call("browser_action", raw='{"action": "click",}', id_=id_),
    "skill": lambda id_: call("run_skill", SKILL, id_=id_),
    "no skill": lambda id_: call("run_skill", {"name": "none"}, id_=id_),
    "manual": lambda id_: call("use_skill", {"name": "erp-monthly-report"}, id_=id_),
    "dialog": lambda id_: call("answer_dialog", {"accept": True}, id_=id_),
    "question": lambda id_: call("ask_person", {"question": "Which?"}, id_=id_),
    "tool read": lambda id_: call(READ_TOOL, {"text": "x"}, id_=id_),
    "tool write": lambda id_: call(WRITE_TOOL, {"text": "x"}, id_=id_),
    "finish": lambda id_: call("finish", {"summary": "All was exported."}, id_=id_),
    "cites": lambda id_: call("finish", {"summary": "Done.", "citations": [99]}, id_=id_),
}
TEXTS = (
    "", "I look.", "The report was exported.", '{"name": "browser_action", "arguments": '
    '{"action": "getText"}}', '{"name": "browser_action", "arguments": {"action": "cl',
)  # fmt: skip
STOPS = (*["done"] * 20, "length", "refusal", "pause", "overflow")
ANSWERS = ("ok", "ok", "ok", "failed", "asks", "asks", "silent", *KILLS)
DECISIONS = (*["approved"] * 5, *["rejected"] * 3, "expired", "unresolved", *KILLS)
ENDS = ("returns", "fails", "raises")


class Walk(NamedTuple):
    """What the world does: each list is used up from its beginning, then nothing special happens.

    A reply is the kinds of its calls, its text, how it stopped; or a kill.
    """

    replies: Sequence[tuple[tuple[str | ToolCall, ...], str, Any] | str]
    answers: Sequence[str] = ()
    decisions: Sequence[str] = ()
    skill: tuple[Sequence[str], str] = ((), "returns")
    step_mode: bool = False
    runs_lists: bool = False


class Walked:
    """One walk; *wrong* is what was wrong with the conversation whenever the model was asked."""

    def __init__(self, walk: Walk, reducers: Mapping[str, Any] = REDUCERS) -> None:
        self.wrong: list[str] = []
        self.entries: list[JournalEntry] = []
        self.name, self.runs_lists = "walk", walk.runs_lists
        self._walk = walk
        self._replies = iter(walk.replies)
        self._answers, self._decisions = iter(walk.answers), iter(walk.decisions)
        link = BrowserLink(self._send, Envelope(KEY, "session-1", "agent>host"))
        desk = Desk(ToolAnswer("ok"), ToolAnswer("no", is_error=True), SILENT)
        self.ports = make_ports(link=link, provider=self, policy=ALL, desk=desk)
        delays = delays_of(Settings())
        core = Core(task_chart(), task_table(), CoreBindings(GUARDS, reducers, delays))
        services = {**bind_services(self.ports), "run_skill": self._skill}
        effects = bind_effects(self.ports, lambda context, event: None)
        self.shell = Shell(core, core.initial(Context()), services, effects, self)

    async def run(self) -> Context:
        """Walk to the end."""
        given = {"instruction": "do it", "page": PAGE.model_dump(mode="json"), "language": "en"}
        self.shell.post("submit_task", {"step_mode": self._walk.step_mode, "record": given})
        async with asyncio.timeout(30):
            snapshot = await self.shell.run()
        context: Context = snapshot.context
        return context

    def append(self, entry: JournalEntry) -> None:
        """Keep what the journal is given."""
        self.entries.append(entry)

    @property
    def requests(self) -> int:
        """Return how often the model was asked."""
        asked = ("done.invoke.plan", "done.invoke.think")
        return sum(entry.event.type in asked for entry in self.entries)

    # --- the model

    def skip(self, calls: int) -> None:
        """Nothing to pass over."""

    async def close(self) -> None:
        """Nothing is open."""

    async def complete(self, request: ModelRequest, hear: Hear = nobody) -> ModelTurn:
        """Look at the conversation as a provider's API does, and give the next reply."""
        self.wrong += faults(request.conversation)
        reply = next(self._replies, None)
        if reply is None:
            raise ProviderError("script_ended", line=request.call_number, file="walk")
        if isinstance(reply, str):
            await self._kill(reply)
        kinds, text, stop = reply
        hear(Said(text))
        if "void" in kinds:
            hear(TryFailed(1, "stream", "stream_broken", "cut", 0.0, 1, TRIED))
        calls = tuple(
            kind if isinstance(kind, ToolCall) else CALLS[kind](id_)
            for kind, id_ in zip(kinds, "abcd", strict=False)
        )
        return ModelTurn(text=text, tool_calls=calls, stop=stop)

    async def _kill(self, how: str) -> NoReturn:
        """Go on as a new agent would, from what the journal holds; who called is cancelled."""
        self._resume(how)
        await asyncio.Event().wait()
        raise AssertionError("nobody cancelled it")

    def _resume(self, how: str) -> None:
        snapshot = self.shell.snapshot
        live = frozenset(name for name, _ in snapshot.live)
        browser: Any = how.removeprefix("kill ")
        self.shell.post("resumed", resumption(snapshot.context, live, browser, self.ports))

    # --- the host

    def _send(self, message: Any) -> None:
        answer = self._decided(message) if isinstance(message, ConfirmRequest) else None
        if isinstance(message, Command) or message.type == "dialog_response":
            answer = self._answered(message)
        if answer is not None:
            self.ports.link.deliver(answer)

    def _answered(self, message: Any) -> Any:
        kind, seq = next(self._answers, "ok"), message.seq
        if kind in KILLS:
            self._resume(kind)
            return None
        if kind == "asks":
            return ConfirmationRequired(seq=seq, digest="d" * 64, target=VOID, security=MAC)
        if kind == "silent":  # no answer to a command: its outcome is unknown
            return ConfirmResponse(seq=seq, digest="", decision="expired", security=MAC)
        error = None if kind == "ok" else WireError(code="not_found", message="none")
        return Response(seq=seq, success=error is None, error=error, page=PAGE,
                        aom_snapshot=NODES, security=MAC)  # fmt: skip

    def _decided(self, message: ConfirmRequest) -> Any:
        kind = next(self._decisions, "approved")
        if kind in KILLS:
            self._resume(kind)
            return None
        error = WireError(code="not_found", message="none") if kind == "unresolved" else None
        decision: Any = "rejected" if error else kind
        return ConfirmResponse(seq=message.seq, digest=message.digest, decision=decision,
                               approved_by="anna" if kind == "approved" else "", text="June",
                               error=error, security=MAC)  # fmt: skip

    # --- the skill

    async def _skill(self, context: Context, emit: Emit) -> dict[str, Any]:
        steps, end = self._walk.skill
        skill = self.ports.library.get(str(context.record.skill_request.params["name"]))
        while not self.ports.skill_answers.empty():
            self.ports.skill_answers.get_nowait()
        for selector in steps:
            asked = judge_ask(skill, ["click", selector], self.ports, context.record.unknown)
            payload = asked.payload(self.ports)
            emit("skill_asked", {"effect": payload["effect"], "record": payload["record"]})
            await self.ports.skill_answers.get()
        if end == "raises":
            raise ProviderError("script_ended", line=1, file="skill")
        result = {"success": end == "returns", "data": {}}
        return {"outcome": "ok" if end == "returns" else "failed", "record": {"result": result}}


def random_walk(seed: int) -> Walk:
    """Return a walk drawn from *seed*."""
    draw = random.Random(seed)  # noqa: S311 - a test's walk

    def some(of: Sequence[Any], most: int) -> tuple[Any, ...]:
        return tuple(draw.choice(of) for _ in range(draw.randint(0, most)))

    def reply() -> Any:
        if draw.random() < 0.08:
            return draw.choice(KILLS)
        return some(tuple(CALLS), 3), draw.choice(TEXTS), draw.choice(STOPS)

    return Walk(
        tuple(reply() for _ in range(draw.randint(3, 12))),
        some(ANSWERS, 10),
        some(DECISIONS, 8),
        (some(("#query", "#void"), 3), draw.choice(ENDS)),
        draw.random() < 0.3,
        draw.random() < 0.4,
    )

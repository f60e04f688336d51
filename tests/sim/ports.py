"""The ports that a person, a model, a skill and a log would stand behind, played from the plan."""

import asyncio
from collections.abc import Mapping
from typing import Any

from actions.errors import ProviderError
from actions.llm.chunks import Hear, nobody
from actions.llm.provider import ModelRequest
from browser.host.approver import ApprovalCard, Decision
from skills.errors import SkillCrashedError, SkillFailedError
from skills.sandbox import SkillAsked, SkillFinished
from states.messages import ModelTurn
from states.skill import Skill, SkillResult
from tests.sim.evidence import Card, Evidence, Note
from tests.sim.plan import Answer
from tests.sim.site import bound_of

_SHOWN_CHARS = 60


class SimModel:
    """The model of an episode: reply n is the plan's; after the last one it says so in words."""

    name = "simulated"
    runs_lists = True

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._next = 0

    def skip(self, calls: int) -> None:
        """Nothing to pass over: the model outlives the agents that call it."""

    async def close(self) -> None:
        """Nothing is open."""

    async def complete(self, request: ModelRequest, hear: Hear = nobody) -> ModelTurn:
        """Return the next reply of the plan."""
        replies = self._evidence.plan.replies
        self._evidence.tell("model", f"asked ({request.call_number})")
        if self._next >= len(replies):
            return ModelTurn(text="That is all the page says.")
        reply = replies[self._next]
        self._next += 1
        await asyncio.sleep(reply.seconds)
        if reply.raises:
            raise ValueError("the provider has a fault")
        if reply.turn is None:
            self._evidence.tell("model", f"error {reply.status}")
            raise ProviderError("script_error", status=reply.status)
        self._evidence.tell("model", "replies", ascii(_shown(reply.turn))[:_SHOWN_CHARS])
        return ModelTurn.model_validate(reply.turn)


def _shown(turn: Mapping[str, Any]) -> str:
    calls = turn.get("tool_calls", ())
    return ", ".join(f"{c['id']} {c['name']}" for c in calls) or str(turn.get("text", "(broken)"))


class SimPerson:
    """The person of an episode: question n is answered as the plan says."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    async def ask(self, card: ApprovalCard) -> Decision:
        """Return the decision, when the person makes one."""
        evidence = self._evidence
        answers = evidence.plan.answers
        number = len(evidence.cards)
        answer = answers[number] if number < len(answers) else Answer("approve", 1.0)
        place = evidence.tell("person", f"is asked ({card.purpose})", card.action)
        bound = bound_of(card.action, card.params, card.host, card.target)
        also = tuple(
            (item.digest, bound_of(item.action, item.params, item.host, item.target))
            for item in card.also
        )
        asked = Card(place, card.purpose, card.digest, bound, answer.kind, also)
        evidence.cards.append(asked)
        try:
            await asyncio.sleep(1e6 if answer.kind == "silent" else answer.seconds)
        except asyncio.CancelledError:
            asked.ended = "cancelled"
            asked.ended_when = evidence.tell("person", "is no longer asked")
            raise
        asked.ended = {"approve": "approved", "reject": "rejected"}.get(answer.kind, "expired")
        asked.ended_when = evidence.tell("person", f"says {asked.ended}")
        match answer.kind:
            case "approve":
                return Decision("approved", "person")
            case "reject":
                return Decision("rejected", "person")
        return Decision("expired", "person")


class SimSandbox:
    """The sandbox of an episode: run n of a skill makes the moves of the plan, without V8."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    async def warm(self) -> None:
        """Nothing to warm."""

    async def open(self, skill: Skill, params: dict[str, Any]) -> "SimSession":
        """Return the next run."""
        del params
        number = sum(1 for when, kind in self._evidence.stops if kind == "skill")
        self._evidence.stops.append((self._evidence.tell("skill", "starts"), "skill"))
        skills = self._evidence.plan.skills
        return SimSession(skill.header.skill, skills[number] if number < len(skills) else ())

    async def close(self) -> None:
        """Nothing to close."""


class SimSession:
    """One run of a skill, with the interface of `skills.sandbox.SkillSession`."""

    def __init__(self, name: str, moves: tuple[dict[str, Any], ...]) -> None:
        self._name = name
        self._moves = list(moves)
        self._calls = 0
        self._said: list[str] = []

    async def next(self) -> SkillAsked | SkillFinished:
        """Make the next move."""
        await asyncio.sleep(0.01)
        while self._moves:
            move = self._moves.pop(0)
            if "ask" in move:
                self._calls += 1
                return SkillAsked(self._calls, list(move["ask"]))
            if "crash" in move:
                raise SkillCrashedError("skill_crashed", skill=self._name, why="exit code -9")
            if "throw" in move:
                facts = {"message": move["throw"], "where": ""}
                raise SkillFailedError("skill_failed", skill=self._name, **facts)
            await asyncio.sleep(move["sleep"])
        return SkillFinished(SkillResult(success=True, data={"answers": self._said}))

    def answer(self, call_id: int, value: Any) -> None:
        """Hear the answer to call *call_id*."""
        del value
        self._said.append(f"{call_id} ok")

    def reject(self, call_id: int, message: str) -> None:
        """Hear that call *call_id* failed."""
        del message
        self._said.append(f"{call_id} failed")

    def kill(self) -> None:
        """End the run."""
        self._moves.clear()


class SimHostLog:
    """The host's own log, as sightings."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.lines: list[str] = []

    def note(self, event: str, **facts: object) -> None:
        """Keep one line."""
        place = self._evidence.tell("host", event, facts)
        self._evidence.notes.append(Note(place, event, facts))
        self.lines.append(f"{event} {facts}")

    def command(self, seq: int, action: str, params: Mapping[str, Any], domain: str) -> None:
        """Keep the command as it came."""
        del params
        self.note("PIPE_CMD", seq=seq, action=action, domain=domain)

    def agent_line(self, line: str) -> None:
        """Keep one line of the agent."""
        self.lines.append(line)

    def close(self) -> None:
        """Nothing to close."""


class SimJournal:
    """The host's journal, in memory: it outlives the host."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.rows: list[Mapping[str, Any]] = []

    def append(self, row: Mapping[str, Any], *, durable: bool) -> None:
        """Keep *row*."""
        del durable
        place = self._evidence.tell("journal", str(row["kind"]))
        self._evidence.host_rows.append((place, row))
        self.rows.append(row)


class LoopClock:
    """The agent's clock: the loop's own time."""

    def monotonic(self) -> float:
        """Return the virtual seconds."""
        return asyncio.get_running_loop().time()

"""The story of one run: what was wanted, judged, approved, done, on both sides (A2).

The rule: agent and host are joined by (trace_id, seq); the order is that of the ledger's rows and
of the host's lines, never that of a clock. What one side does not tell is a finding.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from sgclaw.audit_story_agent import AgentSide, Sent, Told, Wanted, agent_side
from sgclaw.audit_story_findings import Finding, of_request, of_sides
from sgclaw.audit_story_host import HostNote, HostRequest, HostSide, host_side
from sgclaw.audit_story_rows import Sources

# Lines of the host that begin and end the life of one agent; the others stand where they fell.
_CLOSING = ("TASK_END", "REPORT_MENDED", "BROWSER_LOST", "ABORT")


class Exchange(NamedTuple):
    """One request: how the agent sent it and how the host met it; None for a missing side."""

    sent: Sent | None
    met: HostRequest | None


@dataclass
class Command:
    """One call that was wanted, with all its requests; *wanted* is None if only the host knows."""

    number: int
    wanted: Wanted | None
    exchanges: list[Exchange] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


Entry = Command | Told | HostNote


class Story(NamedTuple):
    """A whole run, in order."""

    sources: Sources
    agent: AgentSide
    host: HostSide
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]

    @property
    def is_whole(self) -> bool:
        """True when nothing is missing and the sides say the same."""
        return not any(finding.weighs for finding in self.findings)


def story_of(sources: Sources) -> Story:
    """Return the story that *sources* tell."""
    agent = agent_side(sources.trace_id, sources.ledger)
    host = host_side(sources.trace_id, sources.log, sources.journal)
    entries = _Placing(agent, host).entries()
    found = of_sides(sources, agent, host)
    commands = [entry for entry in entries if isinstance(entry, Command)]
    for number, command in enumerate(commands, start=1):
        command.number = number
        for sent, met in command.exchanges:
            command.findings += of_request(number, command.wanted, sent, met, sources)
        found += command.findings
    return Story(sources, agent, host, tuple(entries), tuple(found))


class _Place(NamedTuple):
    """Where an entry stands: in which life of the agent, in which part of it, after what."""

    life: int
    part: int
    spot: int
    order: int


_OPENING, _MIDDLE, _END = range(3)


class _Placing:
    """Puts the entries of both sides in order: the ledger is the spine, the host's lines join it.

    Within each side the order is its own; a line of the host stands after the command before it.
    """

    def __init__(self, agent: AgentSide, host: HostSide) -> None:
        self._agent = agent
        self._host = host
        self._lives = _lives(agent, host)
        self._before = _before_each_life(agent)
        by_seq = {(s.life, s.seq): s for s in agent.sent if s.seq is not None}
        self._sent: dict[HostRequest, Sent] = {}
        for met in _authentic_first(host.requests):
            sent = by_seq.pop(self._key(met), None)
            if sent is not None:
                self._sent[met] = sent
        self._met = {sent: met for met, sent in self._sent.items()}

    def _key(self, met: HostRequest) -> tuple[int, int]:
        """Return the life of the agent and the seq in it that *met* bears."""
        if met.life:
            return self._lives.get(met.life, met.life), met.seq
        # The journal alone tells of it, and counts over all lives.
        before = self._before
        life = max((life for life, count in before.items() if count < met.number), default=1)
        return life, met.number - before[life]

    def entries(self) -> list[Entry]:
        """Return every entry, in order."""
        placed = [*self._of_agent(), *self._of_host()]
        return [entry for _, entry in sorted(placed, key=lambda pair: pair[0])]

    def _of_agent(self) -> list[tuple[_Place, Entry]]:
        placed: list[tuple[_Place, Entry]] = []
        for index, entry in enumerate(self._agent.entries):
            told: Entry = entry if isinstance(entry, Told) else self._command(entry)
            placed.append((_Place(entry.life, _MIDDLE, index, -1), told))
        return placed

    def _command(self, wanted: Wanted) -> Command:
        return Command(0, wanted, [Exchange(sent, self._met.get(sent)) for sent in wanted.sent])

    def _of_host(self) -> list[tuple[_Place, Entry]]:
        """Return the lines about no request, and the requests that the agent does not know."""
        placed: list[tuple[_Place, Entry]] = []
        anchors = self._anchors()
        for met, anchor in zip(self._host.requests, anchors[1:], strict=True):
            if met not in self._sent:
                order = met.lines[0].number if met.lines else met.number
                placed.append((anchor._replace(order=order), _host_alone(met)))
        closed: set[int] = set()
        for note in self._host.notes:
            place = anchors[note.after]
            life = self._lives.get(note.life, max(note.life, 1))
            if note.line.text.startswith(_CLOSING):
                closed.add(note.life)
            if note.life in closed:
                place = _Place(life, _END, 0, 0)
            elif place.life != life or note.after == 0:
                place = _Place(life, _OPENING, 0, 0)
            placed.append((place._replace(order=note.line.number), note))
        return placed

    def _anchors(self) -> list[_Place]:
        """Return the place before the first request, and that of each: at or after its command."""
        index_of = {
            sent: index
            for index, entry in enumerate(self._agent.entries)
            if isinstance(entry, Wanted)
            for sent in entry.sent
        }
        place = _Place(1, _OPENING, 0, 0)
        anchors = [place]
        for met in self._host.requests:
            sent = self._sent.get(met)
            life = self._lives.get(met.life, max(met.life, 1))
            if sent is not None:
                place = _Place(sent.life, _MIDDLE, index_of[sent], 0)
            elif place.life != life:
                place = _Place(life, _MIDDLE, -1, 0)
            anchors.append(place)
        return anchors


def _host_alone(met: HostRequest) -> Command:
    return Command(0, None, [Exchange(None, met)])


def _authentic_first(requests: list[HostRequest]) -> list[HostRequest]:
    """Return *requests* with those last that were refused: they may bear another's number."""
    return sorted(requests, key=lambda met: met.mac == "DENY")


def _before_each_life(agent: AgentSide) -> dict[int, int]:
    """Return how many commands the host had counted before each life of the agent."""
    counted = {1: 0}
    for sent in agent.sent:
        done = sent.kind != "confirm_request" and sent.outcome != "confirmation"
        number = counted.setdefault(sent.life, max(counted.values())) + (sent.seq or 0)
        if done:
            counted[sent.life + 1] = max(counted.get(sent.life + 1, 0), number)
    return counted


def _lives(agent: AgentSide, host: HostSide) -> dict[int, int]:
    """Return which life of the agent each life in the host's log is.

    An agent that was lost before it read its task left no row: where the counts differ, those
    that did something are matched in their order.
    """
    theirs = range(1, host.lives + 1)
    ours = range(1, max((entry.life for entry in agent.entries), default=1) + 1)
    if len(theirs) == len(ours):
        return dict(zip(theirs, ours, strict=True))
    busy_there = sorted({met.life for met in host.requests})
    busy_here = sorted({sent.life for sent in agent.sent})
    return dict(zip(busy_there, busy_here, strict=False))

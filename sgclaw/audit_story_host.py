"""The host's side of a story: its log line by line, each request with all its lines (A2).

The rule: a line belongs to the request whose seq it carries, counted within the life of one agent
(`TASK_START` begins one); the order is that of the file, never that of the clock.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sgclaw.audit_story_rows import LogText, Row, Rows
from states.policy import READ_ACTIONS

_LINE = re.compile(r"\[(\d{4}-\d\d-\d\d) ([\d:.]+)\] \[sgclaw\] \[trace:([^\]]*)\] (.*)")
_REQUEST = re.compile(r"PIPE_(CMD|CONFIRM_REQUEST|DIALOG_RESPONSE) seq=(\d{1,16})(?: |$)(.*)")
# A page can choose words: each number is read where only the host can have put it.
_DENIED = re.compile(r"MAC_CHECK: DENY (\S+) seq=(\d{1,16}) type=(\S*) action=(\S*) why=(.*)")
_LAST_SEQ = re.compile(r"(?:^| )seq=(\d{1,16})$")
_EXEC = re.compile(r"CMD_EXEC: ([A-Z]+)(?: (\w+))?(?: \((\d{1,12})ms\))?")
_CONFIRM = re.compile(r"CONFIRM: ([A-Z ]*[A-Z])(?: |$)")
_BY = re.compile(r" by=(\S+)")
_BEFORE = re.compile(r" seq_before=(\d{1,16})$")
_KINDS = {"CMD": "command", "CONFIRM_REQUEST": "confirm_request",
          "DIALOG_RESPONSE": "dialog_response"}  # fmt: skip
_ABOUT_REQUESTS = ("MAC_CHECK: ALLOW", "CMD_EXEC:", "CONFIRM:", "APPROVAL_USED", "SENT_BEFORE",
                   "REJECTED_BEFORE", "ANSWER_UNSENDABLE", "AGENT_GONE")  # fmt: skip
_DECISIONS = {
    "APPROVED": "approved", "LISTED BEFORE": "approved", "REJECTED": "rejected",
    "REJECTED BEFORE": "rejected", "EXPIRED": "expired", "UNRESOLVED": "unresolved",
    "TARGET CHANGED": "unresolved",
}  # fmt: skip


class HostLine(NamedTuple):
    """One line of the log: its *number*, *at* in ISO 8601 (UTC), and what it says."""

    number: int
    at: str
    text: str


class JournalRow(NamedTuple):
    """What the host's own journal says of one command."""

    row: int
    action: str
    params: dict[str, Any]
    success: bool
    error: str
    approved_by: str
    intended: bool


@dataclass(eq=False)
class HostRequest:
    """One request as the host met it; *number* counts over the lives of all agents."""

    life: int
    seq: int
    number: int
    kind: str
    action: str = ""
    domain: str = ""
    purpose: str = ""
    mac: str = ""
    mac_reason: str = ""
    outcome: str = ""
    error: str = ""
    duration_ms: int | None = None
    decision: str = ""
    decided_by: str = ""
    decided_at: str = ""
    approval_used_by: str = ""
    lines: list[HostLine] = field(default_factory=list)
    journal: JournalRow | None = None


class HostNote(NamedTuple):
    """A line of the host about no request; *after* is how many requests came before it."""

    life: int
    after: int
    line: HostLine


@dataclass(eq=False)
class HostSide:
    """All that the host wrote of one run."""

    requests: list[HostRequest] = field(default_factory=list)
    notes: list[HostNote] = field(default_factory=list)
    journal_left: list[JournalRow] = field(default_factory=list)
    lives: int = 0
    lines: int = 0
    strange_lines: list[int] = field(default_factory=list)
    other_traces: list[int] = field(default_factory=list)
    times_back: list[tuple[int, str, str]] = field(default_factory=list)
    end_state: str = ""


def host_side(trace_id: str, log: LogText | None, journal: Rows | None) -> HostSide:
    """Return what the host's *log* and *journal* say of *trace_id*."""
    reader = _LogReader(trace_id)
    for number, line in enumerate(log.lines if log is not None else (), start=1):
        reader.take(number, line)
    side = reader.side
    by_number = {r.number: r for r in side.requests if r.kind != "confirm_request"}
    for number, said in _journal(journal):
        met = by_number.get(number)
        if met is not None and met.journal is None:
            met.journal = said
        elif log is None:
            side.requests.append(_from_journal(number, said))
        else:
            side.journal_left.append(said)
    return side


def _from_journal(number: int, said: JournalRow) -> HostRequest:
    kind = "dialog_response" if said.action == "dialog_response" else "command"
    return HostRequest(0, number, number, kind, said.action, journal=said)


class _LogReader:
    """Folds the lines of one log."""

    def __init__(self, trace_id: str) -> None:
        self.side = HostSide()
        self._trace_id = trace_id
        self._before = 0
        self._by_seq: dict[int, HostRequest] = {}
        self._at = ""

    def take(self, number: int, text: str) -> None:
        """Fold one line."""
        side = self.side
        found = _LINE.fullmatch(text)
        if found is None:
            side.strange_lines.append(number)
            return
        day, clock, trace, said = found.groups()
        if trace != self._trace_id:
            side.other_traces.append(number)
            return
        side.lines += 1
        at = f"{day}T{clock}+00:00"
        if at < self._at:
            side.times_back.append((number, self._at, at))
        self._at = at
        if said.startswith("AGENT_LOG "):
            return  # the agent's ledger tells the same, with the reasons
        self._line(HostLine(number, at, said))

    def _line(self, line: HostLine) -> None:
        side = self.side
        if line.text.startswith("TASK_START"):
            self._new_life(line.text)
        met = self._request(line)
        if met is None:
            if line.text.startswith("TASK_END state="):
                side.end_state = line.text.removeprefix("TASK_END state=").partition(" ")[0]
            side.notes.append(HostNote(side.lives, len(side.requests), line))
        else:
            met.lines.append(line)
            _fold(met, line)

    def _new_life(self, text: str) -> None:
        said = _BEFORE.search(text)
        known = max((r.number for r in self.side.requests if r.outcome not in ("", "WAIT")),
                    default=0)  # fmt: skip
        self._before = int(said[1]) if said else known
        self._by_seq = {}
        self.side.lives += 1

    def _request(self, line: HostLine) -> HostRequest | None:
        """Return the request that *line* is about, None when it is about none."""
        began = _REQUEST.match(line.text)
        if began is not None:
            purpose, action, domain = _named(began[3])
            met = self._begun(_KINDS[began[1]], int(began[2]), action, domain)
            met.purpose = purpose
            return met
        denied = _DENIED.match(line.text)
        if denied is not None:
            # What claims a number that was met before is somebody else's: a request of its own.
            return self._begun(denied[3], int(denied[2]), denied[4], "", known=False)
        if not line.text.startswith(_ABOUT_REQUESTS):
            return None
        numbered = _LAST_SEQ.search(line.text)
        if numbered is not None:
            seq = int(numbered[1])
            return self._by_seq.get(seq) or self._begun("", seq, "", "")
        # Version 0.1.0 wrote no number here; one request was answered at a time.
        return self.side.requests[-1] if self.side.requests else None

    def _begun(
        self, kind: str, seq: int, action: str, domain: str, *, known: bool = True
    ) -> HostRequest:
        side = self.side
        side.lives = side.lives or 1
        met = HostRequest(side.lives, seq, self._before + seq, kind, action, domain)
        side.requests.append(met)
        if known or seq not in self._by_seq:
            self._by_seq[seq] = met
        return met


def _named(rest: str) -> tuple[str, str, str]:
    """Return purpose, action and domain of the request in *rest*, "" for what it does not name."""
    words = rest.split(" ")
    purpose = ""
    if words[0].startswith("purpose="):
        purpose, words = words[0].removeprefix("purpose="), words[1:]
    named = words[0] if words and words[0].startswith("action=") else ""
    last = words[-1] if words and words[-1].startswith("domain=") else ""
    return purpose, named.removeprefix("action="), last.removeprefix("domain=")


def _fold(met: HostRequest, line: HostLine) -> None:
    text = line.text
    if (denied := _DENIED.match(text)) is not None:
        met.mac, met.mac_reason = "DENY", f"{denied[1]}: {denied[5]}"
        met.error = denied[1]
    elif text.startswith("MAC_CHECK: ALLOW"):
        met.mac = "ALLOW"
    elif (ended := _EXEC.match(text)) is not None:
        met.outcome, met.error = ended[1], ended[2] or ""
        met.duration_ms = int(ended[3]) if ended[3] else None
    elif text.startswith("APPROVAL_USED") and (by := _BY.search(text)) is not None:
        met.approval_used_by = by[1]
    elif (said := _CONFIRM.match(text)) is not None and (
        decision := next((d for w, d in _DECISIONS.items() if said[1] == w), "")
    ):
        named = _BY.search(text)
        met.decision, met.decided_at = decision, line.at
        met.decided_by = named[1] if named else ""


def _journal(journal: Rows | None) -> Iterator[tuple[int, JournalRow]]:
    """Yield each command of *journal* with its number, in the journal's own order."""
    intended = False
    for place, row in enumerate(journal.rows if journal is not None else (), start=1):
        kind, command = row.get("kind"), row.get("command")
        if kind == "intent":
            intended = True
        if kind in ("outcome", "refused") and isinstance(command, dict):
            yield _said(place, row, command, intended=intended and kind == "outcome")
        if kind == "outcome":
            intended = False


def _said(
    place: int, row: Row, command: dict[str, Any], *, intended: bool
) -> tuple[int, JournalRow]:
    seq, number, params = row.get("seq"), command.get("seq"), command.get("params")
    said = JournalRow(
        row=seq if type(seq) is int else place,
        action=str(command.get("action", "")),
        params=params if isinstance(params, dict) else {},
        success=command.get("success") is True,
        error=str(command.get("error") or ""),
        approved_by=str(command.get("approved_by") or ""),
        intended=intended,
    )
    return number if type(number) is int else 0, said


def acts(action: str) -> bool:
    """Tell whether a command *action* may change something, so that an intent comes before it."""
    return action not in READ_ACTIONS

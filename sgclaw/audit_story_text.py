"""A story as a person reads it: one block for each command, both sides under it."""

import re
from collections.abc import Iterable, Iterator

from browser.host.plain_text import one_line
from sgclaw.audit_story import Command, Exchange, Story
from sgclaw.audit_story_agent import TOOL, Checked, Sent, Told, Wanted
from sgclaw.audit_story_findings import Finding
from sgclaw.audit_story_host import HostNote, HostRequest
from sgclaw.audit_story_model import REPLIES, ModelCall, call_in, citations_in, totals_of
from sgclaw.audit_story_shown import (
    LONG,
    approval_of,
    duration_text,
    outcome_of,
    params_text,
    question_of,
    shown,
)
from sgclaw.audit_story_words import (
    did,
    did_of,
    instruction_of,
    model_line,
    sentence_of,
    state_of,
    totals_line,
)
from states.catalogue import Lang, words
from states.verdict import verdict_from

_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
_SEQ = re.compile(r" seq=\d{1,16}$")
_INDENT = "      "


def lines_of(story: Story, lang: Lang) -> Iterator[str]:
    """Yield the lines of *story* in *lang*, each safe for a terminal."""
    teller = _Teller(story, lang)
    for line in teller.lines():
        # Once more over all: no sentence, no path may bring a control character along.
        yield one_line(line, LONG)


class _Teller:
    def __init__(self, story: Story, lang: Lang) -> None:
        self._story = story
        self._lang: Lang = lang
        self._has_host = bool(story.host.lines or story.host.requests)
        began = next((entry.at for entry in story.agent.entries), "")
        self._day = began[:10]
        entries = (entry for entry in story.entries if isinstance(entry, Command))
        self._numbers = {id(entry.wanted): entry.number for entry in entries}

    def lines(self) -> Iterator[str]:
        yield from self._head()
        yield ""
        after_command = False
        for entry in self._story.entries:
            if isinstance(entry, Command):
                yield ""
                yield from self._command(entry)
                after_command = True
                continue
            if after_command:
                yield ""
            after_command = False
            if isinstance(entry, Told):
                yield from self._told(entry)
            else:
                yield self._note(entry)

    # --- the run as a whole

    def _head(self) -> Iterator[str]:
        story, agent, sources = self._story, self._story.agent, self._story.sources
        times = [entry.at for entry in agent.entries if entry.at]
        head = self._say(
            "audit_story_head",
            trace=sources.trace_id,
            instruction=shown(instruction_of(story), LONG // 2) or "-",
            began=_time(times[0]) if times else "-",
            ended=_time(times[-1]) if times else "-",
            state=state_of(story, self._lang),
        )
        yield from head.split("\n")
        if sources.ledger is not None:
            facts = {"rows": agent.rows, "first": agent.first, "last": agent.last}
            yield self._say("audit_story_ledger", place=sources.ledger.place, **facts)
        if sources.log is not None:
            lines = len(sources.log.lines)
            yield self._say("audit_story_log", place=sources.log.place, lines=lines)
        if sources.journal is not None:
            rows = len(sources.journal.rows)
            yield self._say("audit_story_journal", place=sources.journal.place, rows=rows)
        if spent := totals_line(totals_of(agent.calls, agent.tries), self._lang):
            yield spent
        yield self._say("audit_story_order")
        yield ""
        yield from self._verdict()

    def _verdict(self) -> Iterator[str]:
        story = self._story
        weighty = [finding for finding in story.findings if finding.weighs]
        notes = [finding for finding in story.findings if not finding.weighs]
        if weighty:
            yield self._say("audit_story_not_whole", count=len(weighty))
        elif story.agent.is_upkeep:
            yield self._say("audit_story_upkeep_whole")
        elif story.sources.log is None:
            yield self._say("audit_story_agent_only")
        else:
            yield self._say("audit_story_whole")
        yield from (f"  {self._finding(finding)}" for finding in weighty)
        if notes:
            yield self._say("audit_story_notes", count=len(notes))
        yield from (f"  {self._finding(finding)}" for finding in notes)

    def _finding(self, finding: Finding) -> str:
        """Return *finding* behind its mark: `!` for what is missing or does not fit, `-` else."""
        mark = "!" if finding.weighs else "-"
        return f"{mark} {shown(finding.text(self._lang), LONG)}"

    # --- one entry

    def _told(self, told: Told) -> Iterator[str]:
        yield f"{self._place(told.row, told.at)}  {shown(sentence_of(told, self._lang), LONG)}"
        if told.event in REPLIES and (call := call_in(told.row, told.payload)) is not None:
            yield from self._model(call)
        for number in citations_in(told.payload):
            yield f"{_INDENT}{self._cited(number)}"
        yield from self._refusals(told.checked)

    def _model(self, call: ModelCall | None) -> Iterator[str]:
        if call is not None and (line := model_line(call, self._lang)):
            yield f"{_INDENT}{line}"

    def _cited(self, number: int) -> str:
        wanted = self._story.agent.steps.get(number)
        if wanted is None:
            return self._say("audit_cites_nothing", step=number)
        block, named = self._numbers.get(id(wanted), "?"), wanted.action or wanted.tool
        return self._say(
            "audit_cites", step=number, command=block, action=shown(named), row=wanted.row
        )

    def _note(self, note: HostNote) -> str:
        return f"{self._place(None, note.line.at)}  {shown(note.line.text)}"

    # --- one command

    def _command(self, command: Command) -> Iterator[str]:
        wanted = command.wanted
        if wanted is not None:
            yield from self._wanted(command.number, wanted)
        else:
            [(_, met)] = command.exchanges
            named = f"{met.action or met.kind} {met.domain}".strip() if met else ""
            yield f"[{command.number}]  {shown(named)}"
            yield f"{_INDENT}{self._say('audit_by_nobody')}"
        for exchange in command.exchanges:
            yield from self._exchange(exchange)
        yield from self._approval(command)
        yield from self._answer(command)
        yield from self._outcome(command)
        for finding in command.findings:
            yield f"{_INDENT}{self._finding(finding)}"

    def _outcome(self, command: Command) -> Iterator[str]:
        agent, host = (did(each, self._lang) for each in outcome_of(command))
        if question_of(command) is not None:
            return  # its answer was told
        is_of_tool = command.wanted is not None and command.wanted.is_of_tool
        if not command.exchanges or not self._has_host or is_of_tool:
            yield f"{_INDENT}{self._say('audit_outcome_unsent', agent=agent)}"
        elif len(command.exchanges) > 1 or agent != host:
            yield f"{_INDENT}{self._say('audit_outcome', agent=agent, host=host)}"

    def _wanted(self, number: int, wanted: Wanted) -> Iterator[str]:
        if wanted.is_question:
            named = self._say("audit_question", text=shown(wanted.params.get("question", ""), LONG))
            yield f"[{number}]  {named}  ({self._place(wanted.row, wanted.at)})"
        else:
            yield f"[{number}]  {self._call(wanted)}  ({self._place(wanted.row, wanted.at)})"
        yield f"{_INDENT}{self._by(wanted)}"
        yield from self._model(wanted.model)
        # To a question of the model, a no is an answer and no refusal.
        gates = [each for each in wanted.checked
                 if each.guard != "approval_granted" or not wanted.is_question]  # fmt: skip
        passed = list(dict.fromkeys(c.guard for c in gates if c.allowed))
        if passed:
            yield f"{_INDENT}{self._say('audit_guards_passed', guards=shown(', '.join(passed)))}"
        yield from self._refusals(gates)

    def _call(self, wanted: Wanted) -> str:
        what = wanted.action or wanted.tool
        where = f" · {wanted.domain}" if wanted.domain else ""
        told = f"{what} {params_text(wanted.params)}".rstrip()
        named = shown(f"{told}{where}", LONG)
        return f"{self._say('audit_tool')} {named}" if wanted.is_of_tool else named

    def _by(self, wanted: Wanted) -> str:
        if wanted.by == "skill":
            return self._say("audit_by_skill", skill=shown(wanted.skill or "?"))
        if wanted.said:
            return self._say("audit_by_model_saying", text=shown(wanted.said))
        return self._say("audit_by_model")

    def _refusals(self, checked: Iterable[Checked]) -> Iterator[str]:
        for each in checked:
            if not each.allowed:
                yield f"{_INDENT}{self._refusal(each)}"

    def _refusal(self, checked: Checked) -> str:
        why = verdict_from(checked.verdict).text(self._lang)
        return self._say("audit_guard_refused", guard=shown(checked.guard), row=checked.row,
                         why=shown(why, LONG // 2))  # fmt: skip

    def _exchange(self, exchange: Exchange) -> Iterator[str]:
        sent, met = exchange
        if sent is not None and sent.kind == TOOL:
            yield f"{_INDENT}{self._say('audit_side_tool', said=self._sent(sent))}"
            return
        seq = sent.seq if sent is not None else met.seq if met is not None else None
        head = f"{_INDENT}seq {seq if seq is not None else '?'}"
        agent = self._sent(sent) if sent is not None else self._say("audit_side_none")
        yield f"{head}  {self._say('audit_side_agent', said=agent)}"
        pad = " " * len(head)
        if met is not None or self._has_host:
            host = self._met(met) if met is not None else self._say("audit_side_none")
            yield f"{pad}  {self._say('audit_side_host', said=host)}"
        if met is not None and met.journal is not None:
            yield f"{pad}  {self._say('audit_side_journal', said=self._journal(met))}"

    def _sent(self, sent: Sent) -> str:
        ended = did_of(sent.outcome or "open", sent.purpose, self._lang)
        why = f"{sent.error}: {sent.message}" if sent.error else ""
        took, purpose = duration_text(sent), f"({sent.purpose})" if sent.purpose else ""
        place = self._place(sent.end_row or sent.row, sent.end_at or sent.at)
        kind = "" if sent.kind == TOOL else f"{sent.kind} {purpose}".strip()
        told = [kind, f"{ended} {shown(sent.decided_by)}".strip(),
                shown(why), took, place]  # fmt: skip
        return " · ".join(part for part in told if part)

    def _met(self, met: HostRequest) -> str:
        told = [shown(_SEQ.sub("", _DIGEST.sub(r"\1…", line.text))) for line in met.lines
                if not line.text.startswith("PIPE_")]  # fmt: skip
        at = self._clock(met.lines[0].at) if met.lines else ""
        return " · ".join(part for part in (*told, at) if part) or self._say("audit_side_none")

    def _journal(self, met: HostRequest) -> str:
        said = met.journal
        if said is None:
            return ""
        intent = self._say("audit_intent") if said.intended else ""
        ended = did("ok" if said.success else "failed", self._lang)
        by = f" · {shown(said.approved_by)}" if said.approved_by else ""
        return f"{intent}{ended} {shown(said.error)}".strip() + by

    def _approval(self, command: Command) -> Iterator[str]:
        said = approval_of(command)
        if said is None:
            return
        facts = {"at": self._clock(said.at), "row": said.row, "seq": said.seq or "?"}
        if said.decision == "approved":
            line = self._say("audit_approved", by=shown(said.by or "?"), **facts)
        else:
            decision = did(said.decision, self._lang)
            line = self._say("audit_not_approved", decision=decision, **facts)
        yield f"{_INDENT}{line}"

    def _answer(self, command: Command) -> Iterator[str]:
        asked = question_of(command)
        if asked is None:
            return
        if asked.options:
            listed = " · ".join(f"{n}) {each}" for n, each in enumerate(asked.options, start=1))
            yield f"{_INDENT}{self._say('audit_question_options', options=shown(listed, LONG))}"
        if asked.row is None:
            yield f"{_INDENT}{self._say('audit_question_open')}"
            return
        facts = {"by": shown(asked.by or "?"), "at": self._clock(asked.at), "row": asked.row,
                 "seq": asked.seq or "?", "heard": shown(asked.heard, LONG)}  # fmt: skip
        if asked.answered:
            yield f"{_INDENT}{self._say('audit_question_answered', **facts)}"
        else:
            yield f"{_INDENT}{self._say('audit_question_declined', **facts)}"

    # --- words

    def _place(self, row: int | None, at: str) -> str:
        return f"{self._clock(at)} {'#' + str(row) if row is not None else 'host'}"

    def _clock(self, at: str) -> str:
        """Return *at* without its day when that is the run's first."""
        time = _time(at)
        return time.removeprefix(f"{self._day} ")

    def _say(self, key: str, /, **facts: object) -> str:
        return words(key, self._lang, **facts)


def _time(at: str) -> str:
    return shown(at, 40).replace("T", " ").removesuffix("+00:00").removesuffix("Z")

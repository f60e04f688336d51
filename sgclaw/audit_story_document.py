"""A story as one JSON document, with the facts that the text tells; its keys are stable.

{"format": "sgclaw-story-1", "trace_id", "whole", "state", "instruction",
"sides": {"ledger": {"place", "rows", "first", "last"}, "host_log": {"place", "lines"},
"host_journal": {"place", "rows"}},              null for a side that is missing
"model": {"models", "calls", "failed_tries", "tokens": TOKENS, "duration_ms", "cost_microusd"},
"findings": [{"code", "weighs", "command", "text", "facts"}],
"entries": [one of
{"kind": "command", "number", "wanted": {"row", "at", "by", "skill", "tool", "action",
"params", "domain", "effect", "said"}, "model": MODEL, "guards": [{"row", "guard", "allowed",
"reason", "text"}], "requests": [{"seq", "life", "agent": {...}, "host": {...}}],
"approval": {"decision", "by", "at", "row", "seq"}, "question": {"text", "options", "by",
"answered", "heard", "at", "row", "seq"}, "outcome": {"agent", "host"}, "findings": [code]},
                 "tool" in the place of "command" is a call that goes to no browser, so that
                 its request has neither seq nor host; "question" is one of the model
{"kind": "event", "row", "at", "event", "state", "result", "text", "guards", "model": MODEL,
"tried": {...}, "citations": [{"step", "command", "row"}]},
{"kind": "host", "line", "at", "text"}]}

MODEL is null where no model was asked: {"row", "provider", "model", "stop", "tokens": TOKENS,
"duration_ms", "first_token_ms", "cost_microusd", "repaired"}; TOKENS is {"taken_in", "put_out",
"cache_read", "cache_write", "thinking"}. Costs are estimates, null without a price.
"""

from collections.abc import Mapping
from typing import Any

from sgclaw.audit_story import Command, Entry, Exchange, Story
from sgclaw.audit_story_agent import Checked, Sent, Told, Wanted
from sgclaw.audit_story_host import HostRequest
from sgclaw.audit_story_model import (
    REPLIES,
    TRIED,
    FailedTry,
    ModelCall,
    ModelTotals,
    call_in,
    citations_in,
    totals_of,
    try_in,
)
from sgclaw.audit_story_shown import (
    approval_of,
    kind_of,
    outcome_of,
    question_of,
    safe,
    shown_params,
)
from sgclaw.audit_story_words import instruction_of, sentence_of
from states.catalogue import Lang
from states.verdict import verdict_from

FORMAT = "sgclaw-story-1"


def document_of(story: Story, lang: Lang) -> dict[str, Any]:
    """Return *story* as plain data; its sentences are in *lang*, its other words never change."""
    document: dict[str, Any] = safe(
        {
            "format": FORMAT,
            "trace_id": story.sources.trace_id,
            "whole": story.is_whole,
            "state": story.agent.state or story.host.end_state,
            "instruction": instruction_of(story),
            "sides": _sides(story),
            "model": _spent(totals_of(story.agent.calls, story.agent.tries)),
            "findings": [
                {
                    "code": finding.code,
                    "weighs": finding.weighs,
                    "command": finding.command,
                    "text": finding.text(lang),
                    "facts": finding.facts,
                }
                for finding in story.findings
            ],
            "entries": [_entry(entry, story, lang) for entry in story.entries],
        }
    )
    return document


def _sides(story: Story) -> dict[str, Any]:
    sources, agent = story.sources, story.agent
    ledger, log, journal = sources.ledger, sources.log, sources.journal
    return {
        "ledger": ledger
        and {"place": ledger.place, "rows": agent.rows, "first": agent.first, "last": agent.last},
        "host_log": log and {"place": log.place, "lines": len(log.lines)},
        "host_journal": journal and {"place": journal.place, "rows": len(journal.rows)},
    }


def _entry(entry: Entry, story: Story, lang: Lang) -> dict[str, Any]:
    if isinstance(entry, Command):
        return _command(entry, lang)
    if isinstance(entry, Told):
        return {
            "kind": "event",
            "row": entry.row,
            "at": entry.at,
            "event": entry.event,
            "state": entry.state,
            "result": entry.result,
            "text": sentence_of(entry, lang),
            "guards": [_checked(each, lang) for each in entry.checked],
            **_heard(entry, story),
        }
    line = entry.line
    return {"kind": "host", "line": line.number, "at": line.at, "text": line.text}


def _heard(told: Told, story: Story) -> dict[str, Any]:
    """Return what *told* says of the model, and of what its answer cites."""
    is_reply, is_try = told.event in REPLIES, told.event == TRIED
    call = call_in(told.row, told.payload) if is_reply else None
    return {
        "model": _spent(call) if call is not None else None,
        "tried": _spent(try_in(told.row, told.payload)) if is_try else None,
        "citations": _cited(citations_in(told.payload), story),
    }


def _cited(steps: tuple[int, ...], story: Story) -> list[dict[str, Any]]:
    numbers = {id(e.wanted): e.number for e in story.entries if isinstance(e, Command)}
    found = []
    for step in steps:
        wanted = story.agent.steps.get(step)
        row = wanted.row if wanted is not None else None
        found.append({"step": step, "command": numbers.get(id(wanted)) if wanted else None,
                      "row": row})  # fmt: skip
    return found


def _spent(spent: ModelCall | FailedTry | ModelTotals) -> dict[str, Any]:
    told: Mapping[str, Any] = spent._asdict()
    return {**told, "tokens": spent.tokens._asdict()}


def _command(command: Command, lang: Lang) -> dict[str, Any]:
    wanted, approval, question = command.wanted, approval_of(command), question_of(command)
    call = wanted.model if wanted is not None else None
    return {
        "kind": kind_of(command),
        "number": command.number,
        "wanted": _wanted(wanted) if wanted is not None else None,
        "model": _spent(call) if call is not None else None,
        "guards": [_checked(each, lang) for each in wanted.checked] if wanted is not None else [],
        "requests": [_request(exchange) for exchange in command.exchanges],
        "approval": approval._asdict() if approval is not None else None,
        "question": question._asdict() if question is not None else None,
        "outcome": outcome_of(command)._asdict(),
        "findings": [finding.code for finding in command.findings],
    }


def _wanted(wanted: Wanted) -> dict[str, Any]:
    return {
        "row": wanted.row,
        "at": wanted.at,
        "by": wanted.by,
        "skill": wanted.skill,
        "tool": wanted.tool,
        "action": wanted.action,
        "params": shown_params(wanted.params),
        "domain": wanted.domain,
        "effect": wanted.effect,
        "said": wanted.said,
    }


def _checked(checked: Checked, lang: Lang) -> dict[str, Any]:
    verdict = verdict_from(checked.verdict)
    return {
        "row": checked.row,
        "guard": checked.guard,
        "allowed": checked.allowed,
        "reason": verdict.reason,
        "text": verdict.text(lang),
    }


def _request(exchange: Exchange) -> dict[str, Any]:
    sent, met = exchange
    known = sent or met
    return {
        "seq": known.seq if known is not None else None,
        "life": known.life if known is not None else None,
        "agent": _sent(sent) if sent is not None else None,
        "host": _met(met) if met is not None else None,
    }


def _sent(sent: Sent) -> dict[str, Any]:
    return {
        "kind": sent.kind,
        "purpose": sent.purpose,
        "row": sent.row,
        "at": sent.at,
        "end_row": sent.end_row,
        "end_at": sent.end_at,
        "outcome": sent.outcome,
        "error": sent.error,
        "message": sent.message,
        "decided_by": sent.decided_by,
        "duration_ms": sent.duration_ms,
    }


def _met(met: HostRequest) -> dict[str, Any]:
    said = met.journal
    return {
        "kind": met.kind,
        "purpose": met.purpose,
        "action": met.action,
        "domain": met.domain,
        "number": met.number,
        "mac_check": met.mac,
        "mac_reason": met.mac_reason,
        "outcome": met.outcome,
        "error": met.error,
        "duration_ms": met.duration_ms,
        "decision": met.decision,
        "decided_by": met.decided_by,
        "decided_at": met.decided_at,
        "approval_used_by": met.approval_used_by,
        "lines": [line._asdict() for line in met.lines],
        "journal": said
        and {
            "row": said.row,
            "action": said.action,
            "success": said.success,
            "error": said.error,
            "approved_by": said.approved_by,
            "intended": said.intended,
        },
    }

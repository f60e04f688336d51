"""What an auditor must know of a story: a side that is missing, sides that disagree (A2).

The rule: a finding *weighs* when something is missing or does not fit; `audit show` ends with 1
then. One that does not weigh (a clock that went back) is told, and no more.
"""

from itertools import pairwise
from typing import Any, NamedTuple

from browser.host.plain_text import TYPED
from sgclaw.audit_story_agent import ENDS, PRUNED, TOOL, AgentSide, Sent, Told, Wanted
from sgclaw.audit_story_host import HostRequest, HostSide, acts
from sgclaw.audit_story_model import citations_in
from sgclaw.audit_story_rows import Sources
from states.catalogue import Lang, words

_LISTED_MAX = 20
_UNANSWERED = frozenset({"", "unknown"})


class Finding(NamedTuple):
    """One thing to know: *code* is its sentence's key, *command* the block it is about."""

    code: str
    facts: dict[str, Any]
    command: int | None = None
    weighs: bool = True

    def text(self, lang: Lang) -> str:
        """Return it in plain words of *lang*."""
        return words(self.code, lang, **self.facts)


def of_sides(sources: Sources, agent: AgentSide, host: HostSide) -> list[Finding]:
    """Return what is to be said of each side as a whole."""
    upkeep = agent.is_upkeep and sources.log is None and sources.journal is None
    missing = [] if upkeep else _missing(sources)
    found = [*missing, *_of_agent(sources, agent), *_of_host(sources, host)]
    ended = agent.state if agent.state in ENDS else ""
    if upkeep:
        if not _tells_what_went(agent):
            found.append(Finding("audit_prune_untold", {}))
    elif sources.ledger is not None and agent.rows and not ended:
        found.append(Finding("audit_ends_open", {"state": agent.state, "row": agent.last}))
    if ended and host.end_state and host.end_state != ended:
        facts = {"agent": ended, "host": host.end_state}
        found.append(Finding("audit_end_differs", facts))
    return found


def _tells_what_went(agent: AgentSide) -> bool:
    last = agent.entries[-1]
    return isinstance(last, Told) and last.event == PRUNED


def _missing(sources: Sources) -> list[Finding]:
    found = []
    trace = {"trace": sources.trace_id}
    if sources.ledger is None:
        found.append(Finding("audit_ledger_missing", trace))
    if sources.log is None:
        found.append(Finding("audit_host_log_missing", trace, weighs=not sources.copy))
    if sources.journal is None:
        found.append(Finding("audit_journal_missing", trace, weighs=not sources.copy))
    for side in (sources.ledger, sources.journal):
        if side is not None and side.torn:
            found.append(Finding("audit_torn", {"place": side.place}))
    return found


def _of_agent(sources: Sources, agent: AgentSide) -> list[Finding]:
    found: list[Finding] = []
    facts: dict[str, Any]
    if sources.ledger is not None and not agent.rows:
        found.append(Finding("audit_ledger_empty", {"place": sources.ledger.place}))
    if sources.ledger is not None and (changed := sources.ledger.changed):
        facts = {"count": len(changed), "rows": _some(list(changed))}
        found.append(Finding("audit_rows_changed", facts))
    for after, row in agent.gaps[:_LISTED_MAX]:
        facts = {"first": after + 1, "last": row - 1, "after": after, "row": row}
        code = "audit_rows_missing" if row > after + 1 else "audit_rows_disordered"
        found.append(Finding(code, facts))
    if agent.other_traces:
        facts = {"count": len(agent.other_traces), "rows": _some(agent.other_traces)}
        found.append(Finding("audit_rows_of_others", facts))
    for row, before, at in agent.times_back[:_LISTED_MAX]:
        back = {"row": row, "before": before, "at": at}
        found.append(Finding("audit_clock_back_ledger", back, weighs=False))
    return found + _cited_and_not_there(agent)


def _cited_and_not_there(agent: AgentSide) -> list[Finding]:
    """Return the citations that lead to no step; where rows are missing, that says nothing."""
    if agent.gaps or agent.first != 1:
        return []
    return [
        Finding("audit_citation_unknown", {"row": told.row, "step": number})
        for told in agent.entries
        if isinstance(told, Told) and told.result == "handled"
        for number in citations_in(told.payload)
        if number not in agent.steps
    ][:_LISTED_MAX]


def _of_host(sources: Sources, host: HostSide) -> list[Finding]:
    found = []
    if host.strange_lines:
        facts = {"count": len(host.strange_lines), "lines": _some(host.strange_lines)}
        found.append(Finding("audit_lines_unreadable", facts))
    if host.other_traces:
        facts = {"count": len(host.other_traces), "lines": _some(host.other_traces)}
        found.append(Finding("audit_lines_of_others", facts))
    for line, before, at in host.times_back[:_LISTED_MAX]:
        back = {"line": line, "before": before, "at": at}
        found.append(Finding("audit_clock_back_log", back, weighs=False))
    for seq in _seqs_left_out(host) if sources.ledger is None else ():
        found.append(Finding("audit_seq_missing", {"seq": seq}))
    for row in host.journal_left:
        left = {"row": row.row, "action": row.action}
        found.append(Finding("audit_journal_only", left))
    return found


def _seqs_left_out(host: HostSide) -> list[int]:
    """Return the numbers that no line of the log bears, between others of the same life."""
    seen: dict[int, set[int]] = {}
    for met in host.requests:
        if met.life:
            seen.setdefault(met.life, {0}).add(met.seq)
    # A number is foreign: the walk goes from one that was met to the next, not up to any.
    pairs = ((low, high) for seqs in seen.values() for low, high in pairwise(sorted(seqs)))
    return [low + 1 for low, high in pairs if high > low + 1][:_LISTED_MAX]


def of_request(
    number: int, wanted: Wanted | None, sent: Sent | None, met: HostRequest | None, sources: Sources
) -> list[Finding]:
    """Return what is to be said of one request of command *number* and its two sides."""
    named = {"command": number, "seq": _seq(sent, met), "action": _action(wanted, met)}
    found: list[tuple[str, dict[str, Any], bool]] = []
    if sent is None and sources.ledger is not None:
        code = "audit_no_agent_row" if met is None or met.mac != "DENY" else "audit_denied_alone"
        found.append((code, {}, True))
    is_of_tool = sent is not None and sent.kind == TOOL
    if is_of_tool and wanted is not None and _asked_nobody(wanted, sent):
        found.append(("audit_tool_unapproved", {}, True))
    if sent is not None and met is None and sources.log is not None and not is_of_tool:
        found.append(("audit_no_host_line", {}, True))
    if sent is not None and not sent.outcome:
        found.append(("audit_no_agent_outcome", {"row": sent.row}, True))
    if met is not None:
        found += _gaps_of_host(met, sources)
    if wanted is not None and sent is not None and met is not None:
        found += _differences(wanted, sent, met)
    return [Finding(code, {**named, **facts}, number, weighs) for code, facts, weighs in found]


def _asked_nobody(wanted: Wanted, call: Sent | None) -> bool:
    """Tell whether *call* of a tool, which asks first, was made without a person's yes before."""
    before = wanted.sent[: wanted.sent.index(call)] if call in wanted.sent else wanted.sent
    is_approved = any(sent.purpose == "tool" and sent.outcome == "approved" for sent in before)
    return wanted.effect == "confirm" and not is_approved


def _gaps_of_host(met: HostRequest, sources: Sources) -> list[tuple[str, dict[str, Any], bool]]:
    found: list[tuple[str, dict[str, Any], bool]] = []
    if sources.log is not None:
        if not met.kind:
            found.append(("audit_no_request_line", {}, True))
        elif met.mac not in ("ALLOW", "DENY"):
            found.append(("audit_no_mac_line", {}, True))
        asked = met.kind == "confirm_request"
        if met.mac == "ALLOW" and not (met.outcome or (asked and met.decision)):
            found.append(("audit_no_host_outcome", {}, True))
    if sources.journal is not None and met.kind in ("command", "dialog_response"):
        done = met.outcome == "OK" or (met.outcome == "FAILED" and met.error != "commands_spent")
        if done and met.journal is None:
            found.append(("audit_no_journal_row", {}, True))
        said = met.journal
        if said is not None and said.success and acts(said.action) and not said.intended:
            found.append(("audit_no_intent", {"row": said.row}, True))
    return found


def _differences(
    wanted: Wanted, sent: Sent, met: HostRequest
) -> list[tuple[str, dict[str, Any], bool]]:
    found: list[tuple[str, dict[str, Any], bool]] = []
    if met.kind and (met.kind != sent.kind or _other_action(wanted, sent, met)):
        told = {"agent": _asked_for(sent.kind, sent.purpose, wanted.action),
                "host": _asked_for(met.kind, met.purpose, met.action)}  # fmt: skip
        found.append(("audit_action_differs", told, True))
    if met.domain and wanted.domain and met.domain != wanted.domain:
        found.append(("audit_domain_differs", {"agent": wanted.domain, "host": met.domain}, True))
    for name in _other_params(wanted, met):
        found.append(("audit_param_differs", {"name": name}, True))
    if sent.kind == "confirm_request":
        return found + _other_decision(sent, met)
    agent_did, host_did = _did_agent(sent), _did_host(met)
    if agent_did and host_did and agent_did != host_did:
        found.append(("audit_outcome_differs", {"agent": agent_did, "host": host_did}, True))
    elif sent.outcome in _UNANSWERED and host_did in ("ok", "failed"):
        found.append(("audit_unknown_to_agent", {"host": host_did}, False))
    said = met.journal
    if said is not None and host_did in ("ok", "failed") and met.outcome:
        journal_did = "ok" if said.success else "failed"
        if journal_did != host_did:
            found.append(("audit_journal_differs", {"log": host_did, "journal": journal_did}, True))
        if said.approved_by != met.approval_used_by and met.lines:
            by = {"log": met.approval_used_by or "-", "journal": said.approved_by or "-"}
            found.append(("audit_approver_differs", by, True))
    return found


def _other_decision(sent: Sent, met: HostRequest) -> list[tuple[str, dict[str, Any], bool]]:
    heard = sent.outcome if sent.outcome not in _UNANSWERED else ""
    decided = met.decision or ("unresolved" if met.outcome == "FAILED" else "")
    agent, host = (f"{heard} {sent.decided_by}".strip(), f"{decided} {met.decided_by}".strip())
    same = heard == decided and (heard != "approved" or sent.decided_by == met.decided_by)
    if not heard or not decided or same:
        return []
    return [("audit_decision_differs", {"agent": agent, "host": host}, True)]


def _asked_for(kind: str, purpose: str, action: str) -> str:
    return " ".join(word for word in (kind, purpose, action) if word)


def _other_action(wanted: Wanted, sent: Sent, met: HostRequest) -> bool:
    if met.purpose and met.purpose != sent.purpose:
        return True
    if sent.kind == "dialog_response" or sent.purpose == "step":
        return False
    return bool(met.action) and bool(wanted.action) and met.action != wanted.action


def _other_params(wanted: Wanted, met: HostRequest) -> list[str]:
    """Return which parameters the journal tells otherwise; what it shortened or struck is equal."""
    if met.journal is None:
        return []
    told = met.journal.params
    return [
        name
        for name, value in wanted.params.items()
        if name not in TYPED and name in told and _says_other(value, told[name])
    ]


def _says_other(wanted: object, told: object) -> bool:
    if isinstance(told, str) and (told.endswith("…") or "[redacted]" in told):
        return False
    return wanted != told


def _did_agent(sent: Sent) -> str:
    return {"ok": "ok", "failed": "failed", "confirmation": "asked"}.get(sent.outcome, "")


def _did_host(met: HostRequest) -> str:
    if met.mac == "DENY":
        return "failed"
    did = {"OK": "ok", "FAILED": "failed", "WAIT": "asked"}.get(met.outcome, "")
    if not did and not met.outcome and met.journal is not None:
        return "ok" if met.journal.success else "failed"
    return did


def _seq(sent: Sent | None, met: HostRequest | None) -> object:
    seq = sent.seq if sent is not None else met.seq if met is not None else None
    return seq if seq is not None else "?"


def _action(wanted: Wanted | None, met: HostRequest | None) -> str:
    if wanted is not None:
        return wanted.action or wanted.tool
    return (met.action or met.kind) if met is not None else ""


def _some(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:_LISTED_MAX])
    return shown + (" …" if len(numbers) > _LISTED_MAX else "")

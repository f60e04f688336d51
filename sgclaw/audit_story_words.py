"""The sentences of a story: one for each event, one word for each outcome."""

from typing import Any

from sgclaw.audit_story import Story
from sgclaw.audit_story_agent import ENDS, PRUNED, PRUNING, Told
from sgclaw.audit_story_model import (
    REPLIES,
    TRIED,
    FailedTry,
    ModelCall,
    ModelTotals,
    Tokens,
    answer_in,
    name_of,
    try_in,
)
from sgclaw.audit_story_shown import LONG, shown
from states.catalogue import Lang, words

_DID = {
    "": "audit_side_none",
    "ok": "audit_did_ok",
    "failed": "audit_did_failed",
    "asked": "audit_did_asked",
    "confirmation": "audit_did_asked",
    "unknown": "audit_did_unknown",
    "open": "audit_did_open",
    "refused": "audit_did_refused",
    "started": "audit_did_started",
    "unsent": "audit_did_unsent",
    "approved": "audit_did_approved",
    "rejected": "audit_did_rejected",
    "expired": "audit_did_expired",
    "unresolved": "audit_did_unresolved",
    "cancelled": "audit_did_cancelled",
    "denied": "audit_did_denied",
}
_SERVICE_ENDS = ("done.invoke.skill", "error.invoke.skill")
_UNFINISHED = {
    "cut": "audit_told_cut",
    "declined": "audit_told_declined",
    "paused": "audit_told_paused",
    "overflow": "audit_told_overflow",
}
_MICRO = 1_000_000


def did(outcome: str, lang: Lang) -> str:
    """Return *outcome* in plain words; one that is not known comes back as itself."""
    key = _DID.get(outcome)
    return words(key, lang) if key is not None else shown(outcome)


def instruction_of(story: Story) -> str:
    """Return what the person asked for, "" when the ledger does not tell."""
    told = (e for e in story.entries if isinstance(e, Told) and e.event == "submit_task")
    return next((_text(_record(each.payload), "instruction") for each in told), "")


def state_of(story: Story, lang: Lang) -> str:
    """Return what the run came to, in plain words where it has not ended."""
    if story.agent.is_upkeep:
        return words("audit_story_upkeep", lang)
    state = story.agent.state or story.host.end_state
    if not state or state in ENDS:
        return shown(state or "-")
    return words("audit_story_open", lang, state=shown(state))


def sentence_of(told: Told, lang: Lang) -> str:
    """Return what happened in *told*, in plain words."""
    payload, event = told.payload, told.event
    if event in _SERVICE_ENDS:
        return _skill_end(told, lang)
    if event in REPLIES and payload.get("reply") == "text":
        return words("audit_told_answer", lang, text=shown(answer_in(payload), LONG // 2))
    if event in REPLIES:
        return words(_UNFINISHED.get(_text(payload, "reply"), "audit_told_unusable"), lang)
    if event == TRIED:
        return _try(try_in(told.row, payload), lang)
    if event.startswith("error."):
        facts = {name: shown(payload.get(name, "")) for name in ("error", "text")}
        service = shown(event.rpartition(".")[2])
        return words("audit_told_failed", lang, service=service, **facts)
    if event.startswith("after."):
        return words("audit_told_timer", lang, timer=shown(event.removeprefix("after.")))
    return _other(told, lang)


def _other(told: Told, lang: Lang) -> str:
    payload, record = told.payload, _record(told.payload)
    match told.event:
        case "submit_task":
            text = shown(_text(record, "instruction"), LONG // 2)
            return words("audit_told_asked", lang, text=text)
        case "resumed":
            facts = {name: shown(payload.get(name, "?")) for name in ("browser", "lost")}
            return words("audit_told_resumed", lang, **facts)
        case "abort":
            return words("audit_told_abort", lang, text=shown(_text(record, "reason")))
        case "ended":
            return words("audit_told_end", lang, state=shown(told.state))
        case event if event in (PRUNING, PRUNED):
            return _prune(told, lang)
        case "gap":
            return words("audit_told_gap", lang)
    facts = {"event": shown(told.event), "result": shown(told.result), "state": shown(told.state)}
    return words("audit_told_other", lang, **facts)


def did_of(outcome: str, purpose: str, lang: Lang) -> str:
    """Return *outcome* of a request in plain words: a question is answered, not approved."""
    if purpose != "question":
        return did(outcome, lang)
    key = {"approved": "audit_did_answered", "rejected": "audit_did_unanswered"}.get(outcome)
    return words(key, lang) if key is not None else did(outcome, lang)


def model_line(call: ModelCall, lang: Lang) -> str:
    """Return who answered, at what cost and in what time; "" when the ledger tells none of it."""
    if not (call.model or any(call.tokens) or call.repaired):
        return ""  # a script, or the matcher of the offline mode
    told = words("audit_model_call", lang, model=shown(name_of(call) or "?"),
                 tokens=_tokens(call.tokens, lang), seconds=_seconds(call.duration_ms),
                 cost=_cost(call.cost_microusd, lang))  # fmt: skip
    if not call.repaired:
        return told
    how = shown(", ".join(call.repaired))
    return f"{told} · {words('audit_model_repaired', lang, how=how)}"


def totals_line(totals: ModelTotals, lang: Lang) -> str:
    """Return what all model calls came to, "" when there was none to count."""
    if not totals.failed_tries and not any(totals.tokens):
        return ""
    return words("audit_model_totals", lang, calls=totals.calls, tries=totals.failed_tries,
                 models=shown(", ".join(totals.models) or "?"),
                 tokens=_tokens(totals.tokens, lang), seconds=_seconds(totals.duration_ms),
                 cost=_cost(totals.cost_microusd, lang))  # fmt: skip


def _try(failed: FailedTry, lang: Lang) -> str:
    told = words("audit_told_tried", lang, number=failed.number, kind=shown(failed.kind or "?"),
                 code=shown(failed.code or "?"), text=shown(failed.text),
                 took=_seconds(failed.duration_ms), wait=_seconds(failed.wait_ms))  # fmt: skip
    if any(failed.tokens):
        told += f" · {_tokens(failed.tokens, lang)}"
    return f"{told} · {words('audit_told_discarded', lang)}" if failed.discarded else told


def _tokens(tokens: Tokens, lang: Lang) -> str:
    return words("audit_model_tokens", lang, taken=f"{tokens.taken_in:,}",
                 cached=f"{tokens.cache_read:,}", written=f"{tokens.cache_write:,}",
                 out=f"{tokens.put_out:,}", thinking=f"{tokens.thinking:,}")  # fmt: skip


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f}"


def _cost(microusd: int | None, lang: Lang) -> str:
    if microusd is None:
        return words("audit_model_no_price", lang)
    return words("audit_model_cost", lang, cost=f"{microusd / _MICRO:.4f}")


def _prune(told: Told, lang: Lang) -> str:
    """Return what a prune was about to drop, or what it dropped, with the events of each chain."""
    payload = told.payload
    segments = [each for each in _list(payload, "segments") if isinstance(each, dict)]
    spans: dict[str, list[int]] = {}
    for each in segments:
        ends = [each.get("first_position"), each.get("last_position")]
        spans.setdefault(str(each.get("stream", "?")), []).extend(
            end for end in ends if type(end) is int
        )
    spoken = ", ".join(f"{name} {min(e)}-{max(e)}" for name, e in spans.items() if e)
    facts = {
        "by": shown(payload.get("by", "?")), "profile": shown(payload.get("profile", "?")),
        "segments": len(segments), "spans": shown(spoken or "-"),
        "files": shown(payload.get("files_total", 0)),
        "archives": len(_list(payload, "archives")),
    }  # fmt: skip
    key = "audit_told_pruning" if told.event == PRUNING else "audit_told_pruned"
    return words(key, lang, **facts)


def _skill_end(told: Told, lang: Lang) -> str:
    result = _record(told.payload).get("result")
    message = _text(result, "message") if isinstance(result, dict) else ""
    text = _text(told.payload, "text") or message or _text(told.payload, "error")
    ended = did("ok" if told.payload.get("outcome") == "ok" else "failed", lang)
    skill = shown(told.skill or "?")
    return words("audit_told_skill", lang, skill=skill, outcome=ended, text=shown(text)).rstrip()


def _record(payload: dict[str, Any]) -> dict[str, Any]:
    record = payload.get("record")
    return record if isinstance(record, dict) else {}


def _list(document: dict[str, Any], key: str) -> list[Any]:
    value = document.get(key)
    return value if isinstance(value, list) else []


def _text(document: dict[str, Any], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""

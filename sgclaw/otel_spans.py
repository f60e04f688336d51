"""One run's rows as spans with the GenAI names of OpenTelemetry; pure, without OpenTelemetry (A3).

The rule: the ledger keeps its own form, and this is the only place that knows the other. Ids come
from the installation, the run and the row, so the same rows are always the same spans. Words that
people, pages and models wrote are left out unless *with_content*.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

AGENT = "sgclaw"
Value = str | int | bool | tuple[str, ...]
_NOTHING: Mapping[str, Any] = {}
_FINAL = ("completed", "failed", "aborted")
_SERVICES = ("plan", "think", "act", "skill", "ask")
# A code, or a name of a tool, skill, host or model: what free text hardly ever is.
_WORD = re.compile(r"[A-Za-z0-9][\w.:@/-]{0,99}", re.ASCII)


class Note(NamedTuple):
    """Something that happened within a span; *at_ns* counts from 1970."""

    name: str
    at_ns: int
    attributes: Mapping[str, Value]


class SpanFacts(NamedTuple):
    """One span; *parent_id* is 0 for the run itself, *error* "" when it went well."""

    name: str
    trace_id: int
    span_id: int
    parent_id: int
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Value]
    notes: tuple[Note, ...]
    error: str


@dataclass
class _Open:
    """A service that was started and has not ended."""

    service: str
    key: str
    parent: str
    start_ns: int
    attributes: dict[str, Value] = field(default_factory=dict)


def spans_of(
    install: str, trace: str, rows: Sequence[Mapping[str, Any]], *, with_content: bool
) -> list[SpanFacts]:
    """Return the spans of the run *trace*, the run's own first; none for no rows."""
    if not rows:
        return []
    walk = _Walk(install, trace, with_content=with_content)
    for row in rows:
        walk.step(row)
    return walk.spans()


def otel_trace_id(install: str, trace: str) -> int:
    """Return the 16-byte id that *trace* has outside: it has 32 random bits of its own at least."""
    return int.from_bytes(hashlib.sha256(f"{install}|{trace}".encode()).digest()[:16], "big")


class _Walk:
    """Goes over the rows once."""

    def __init__(self, install: str, trace: str, *, with_content: bool) -> None:
        self._install, self._trace, self._with_content = install, trace, with_content
        self._id = otel_trace_id(install, trace)
        self._open: dict[int, _Open] = {}
        self._done: list[SpanFacts] = []
        self._notes: list[Note] = []
        self._root: dict[str, Value] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": AGENT,
            "gen_ai.agent.name": AGENT,
            "gen_ai.conversation.id": trace,
        }
        self._request: Mapping[str, Any] = _NOTHING
        self._tokens = {"input": 0, "output": 0}
        self._start_ns = self._now = 0
        self._outcome = ""

    def step(self, row: Mapping[str, Any]) -> None:
        """Take the next row."""
        at = _ns(row.get("at"))
        # A clock that was set back makes no span end before it began.
        self._now = max(self._now, at)
        self._start_ns = self._start_ns or self._now
        event = _mapping(row, "event")
        payload = _mapping(event, "payload")
        record = _mapping(payload, "record")
        kind = _text(event.get("type"))
        seq = row.get("seq")
        if kind == "submit_task":
            self._begin(row, record)
        if kind.startswith(("done.invoke.", "error.invoke.")):
            self._end(event.get("generation"), kind.startswith("error."), payload)
        if "request" in record:
            self._request = _mapping(record, "request")
        self._refusals(row)
        for effect in _list(row.get("effects")):
            self._effect(effect, seq)
        state = _text(row.get("state"))
        self._outcome = state if state in _FINAL else ""

    def spans(self) -> list[SpanFacts]:
        """Return all spans; what has not ended ends with the last row."""
        for generation in list(self._open):
            self._close(self._open.pop(generation), "unfinished")
        if self._outcome:
            self._root["sgclaw.outcome"] = self._outcome
        for name, count in self._tokens.items():
            self._root[f"gen_ai.usage.{name}_tokens"] = count
        error = "" if self._outcome == "completed" else self._outcome or "unfinished"
        root = self._span(f"invoke_agent {AGENT}", "task", ("", self._start_ns), self._root, error)
        whole = root._replace(notes=tuple(self._notes))
        return [whole, *sorted(self._done, key=lambda span: (span.start_ns, span.span_id))]

    def _begin(self, row: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        for name in ("chart", "chart_sha256"):
            if word := _word(row.get(name)):
                self._root[f"sgclaw.{name}"] = word
        if self._with_content and (text := _text(record.get("instruction"))):
            part = {"type": "text", "content": text}
            self._root["gen_ai.input.messages"] = _json([{"role": "user", "parts": [part]}])

    def _effect(self, effect: Any, seq: Any) -> None:
        match effect:
            case ["start", str(name), _, int(generation), *_] if name in _SERVICES:
                skill = next((o.key for o in self._open.values() if o.service == "skill"), "")
                parent = skill if name in ("act", "ask") else ""
                opened = _Open(name, f"{name}|{generation}|{seq}", parent or "task", self._now)
                if name in ("act", "skill"):
                    opened.attributes |= self._tool(name)
                self._open[generation] = opened
            case ["cancel", str(), int(generation), *_] if generation in self._open:
                self._close(self._open.pop(generation), "cancelled")

    def _tool(self, service: str) -> dict[str, Value]:
        request = self._request
        found: dict[str, Value] = {"gen_ai.operation.name": "execute_tool"}
        params = _mapping(request, "params")
        named = {
            "gen_ai.tool.name": request.get("tool"),
            "gen_ai.tool.call.id": request.get("call_id"),
            "sgclaw.action": request.get("action") if service == "act" else "",
            "server.address": request.get("expected_domain"),
            "sgclaw.skill.name": params.get("name") if service == "skill" else "",
            "sgclaw.approval.by": request.get("approved_by"),
        }
        found |= {name: word for name, value in named.items() if (word := _word(value))}
        found["gen_ai.tool.type"] = "function" if service == "act" else "extension"
        if self._with_content:
            found["gen_ai.tool.call.arguments"] = _json(params)
        return found

    def _end(self, generation: Any, failed: bool, payload: Mapping[str, Any]) -> None:
        opened = self._open.pop(generation, None) if isinstance(generation, int) else None
        if opened is None:
            return
        record = _mapping(payload, "record")
        error = (_word(payload.get("error")) or "failed") if failed else ""
        if opened.service in ("plan", "think"):
            self._model(opened, error, record)
            return
        if outcome := _word(payload.get("outcome")):
            opened.attributes["sgclaw.outcome"] = outcome
            if outcome == "failed":
                error = _word(_mapping(record, "result").get("error")) or "failed"
        if opened.service == "ask":
            self._approval(opened, payload, record)
        elif self._with_content and "result" in record:
            opened.attributes["gen_ai.tool.call.result"] = _json(_mapping(record, "result"))
        self._close(opened, error)

    def _approval(
        self, opened: _Open, payload: Mapping[str, Any], record: Mapping[str, Any]
    ) -> None:
        named = {"decision": payload.get("decision"), "by": record.get("approved_by"),
                 "digest": record.get("digest")}  # fmt: skip
        for name, value in named.items():
            if word := _word(value):
                opened.attributes[f"sgclaw.approval.{name}"] = word
        if opened.attributes.get("sgclaw.approval.decision") == "approved":
            by = opened.attributes.get("sgclaw.approval.by", "")
            self._request = {**self._request, "approved_by": by}

    def _model(self, opened: _Open, error: str, record: Mapping[str, Any]) -> None:
        turn = _mapping(record, "turn")
        if not turn and not error:
            return  # the next call of the reply before: the model was not asked
        chat = _Open("think", f"{opened.key}|chat", opened.parent, opened.start_ns)
        if opened.service == "plan":
            chat.parent = opened.key
            opened.attributes |= {"gen_ai.operation.name": "plan", "gen_ai.agent.name": AGENT}
            self._close(opened, error)
        chat.attributes |= self._chat(turn)
        self._close(chat, error)

    def _chat(self, turn: Mapping[str, Any]) -> dict[str, Value]:
        calls = [call for call in _list(turn.get("tool_calls")) if isinstance(call, Mapping)]
        found: dict[str, Value] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": _word(turn.get("provider")) or "unknown",
        }
        if model := _word(turn.get("model")):
            found["gen_ai.request.model"] = model
        if not turn:
            return found
        reason = "tool_call" if calls else "stop"
        found["gen_ai.response.finish_reasons"] = (reason,)
        for name in self._tokens:
            count = _mapping(turn, "usage").get(f"{name}_tokens")
            if isinstance(count, int) and 0 <= count < 1 << 62:
                found[f"gen_ai.usage.{name}_tokens"] = count
                self._tokens[name] += count
        if self._with_content:
            parts: list[dict[str, Any]] = [{"type": "text", "content": _text(turn.get("text"))}]
            parts += [
                {"type": "tool_call", "id": call.get("id"), "name": call.get("name"),
                 "arguments": call.get("input")}
                for call in calls
            ]  # fmt: skip
            message = {"role": "assistant", "parts": parts, "finish_reason": reason}
            found["gen_ai.output.messages"] = _json([message])
        return found

    def _refusals(self, row: Mapping[str, Any]) -> None:
        for verdict in _list(row.get("verdicts")):
            if isinstance(verdict, Mapping) and verdict.get("guard") == "policy_allows":
                reason = _word(verdict.get("reason"))
                if verdict.get("allowed") is False:
                    told: dict[str, Value] = {"sgclaw.guard": "policy_allows"}
                    told |= {"sgclaw.reason": reason} if reason else {}
                    self._notes.append(Note("sgclaw.refused", self._now, told))

    def _close(self, opened: _Open, error: str) -> None:
        attributes = {"gen_ai.conversation.id": self._trace, **opened.attributes}
        tool = attributes.get("gen_ai.tool.name", opened.service)
        model = attributes.get("gen_ai.request.model", "")
        name = {
            "plan": f"plan {AGENT}", "think": f"chat {model}".strip(), "ask": "approval",
            "act": f"execute_tool {tool}", "skill": f"execute_tool {tool}",
        }[opened.service]  # fmt: skip
        place = (opened.parent, opened.start_ns)
        self._done.append(self._span(name, opened.key, place, attributes, error))

    def _span(
        self, name: str, key: str, place: tuple[str, int], attributes: Mapping[str, Value],
        error: str,
    ) -> SpanFacts:  # fmt: skip
        parent, start_ns = place
        told = {**attributes, "error.type": error} if error else dict(attributes)
        parent_id = self._span_id(parent) if parent else 0
        span_id = self._span_id(key)
        return SpanFacts(name, self._id, span_id, parent_id, start_ns, self._now, told, (), error)

    def _span_id(self, key: str) -> int:
        digest = hashlib.sha256(f"{self._install}|{self._trace}|{key}".encode()).digest()
        return int.from_bytes(digest[:8], "big") or 1


def _ns(at: Any) -> int:
    """Return the moment *at* (ISO 8601) in nanoseconds since 1970, 0 when it is none."""
    try:
        moment = datetime.fromisoformat(at)
        whole = moment.replace(microsecond=0).timestamp()
    except (TypeError, ValueError, OverflowError):
        return 0
    return max(0, round(whole) * 1_000_000_000 + moment.microsecond * 1_000)


def _mapping(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = document.get(key)
    return value if isinstance(value, Mapping) else _NOTHING


def _list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else ()


def _text(value: Any) -> str:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _word(value: Any) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else ""


def _json(value: Any) -> str:
    return _text(json.dumps(value, ensure_ascii=False, default=str))

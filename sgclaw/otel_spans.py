"""One run's rows as spans with the GenAI names of OpenTelemetry; pure, without OpenTelemetry (A3).

The rule: the ledger keeps its own form, and this is the only place that knows the other. Ids come
from the installation, the run and the row, so the same rows are always the same spans. Words that
people, pages and models wrote are left out unless *with_content*.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sgclaw.otel_model import ModelSums, chat_attributes, try_attributes
from sgclaw.otel_values import Value, as_json, items, mapping_in, text, word

AGENT = "sgclaw"
_NOTHING: Mapping[str, Any] = {}
_FINAL = ("completed", "failed", "aborted")
_SERVICES = ("plan", "think", "act", "skill", "ask")
_REPLIES = ("done.invoke.plan", "done.invoke.think")


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
    notes: list[Note] = field(default_factory=list)


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
        self._reply = ""
        self._sums = ModelSums()
        self._start_ns = self._now = 0
        self._outcome = ""

    def step(self, row: Mapping[str, Any]) -> None:
        """Take the next row."""
        at = _ns(row.get("at"))
        # A clock that was set back makes no span end before it began.
        self._now = max(self._now, at)
        self._start_ns = self._start_ns or self._now
        event = mapping_in(row, "event")
        payload = mapping_in(event, "payload")
        record = mapping_in(payload, "record")
        kind = text(event.get("type"))
        seq = row.get("seq")
        if kind == "submit_task":
            self._begin(row, record)
        if kind.startswith(("done.invoke.", "error.invoke.")):
            self._end(event.get("generation"), kind.startswith("error."), payload)
        if kind == "model_tried":
            self._tried(payload, record)
        if kind in _REPLIES:
            self._reply = text(payload.get("reply"))
        elif kind == "done.invoke.observe":
            self._reply = ""  # whether to go on is asked now, if anything
        if "request" in record:
            self._request = mapping_in(record, "request")
        self._refusals(row)
        for effect in items(row.get("effects")):
            self._effect(effect, seq)
        state = text(row.get("state"))
        self._outcome = state if state in _FINAL else ""

    def spans(self) -> list[SpanFacts]:
        """Return all spans; what has not ended ends with the last row."""
        for generation in list(self._open):
            self._close(self._open.pop(generation), "unfinished")
        if self._outcome:
            self._root["sgclaw.outcome"] = self._outcome
        self._root |= self._sums.attributes()
        error = "" if self._outcome == "completed" else self._outcome or "unfinished"
        root = self._span(f"invoke_agent {AGENT}", "task", ("", self._start_ns), self._root, error)
        whole = root._replace(notes=tuple(self._notes))
        return [whole, *sorted(self._done, key=lambda span: (span.start_ns, span.span_id))]

    def _begin(self, row: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        for name in ("chart", "chart_sha256"):
            if known := word(row.get(name)):
                self._root[f"sgclaw.{name}"] = known
        if self._with_content and (said := text(record.get("instruction"))):
            part = {"type": "text", "content": said}
            self._root["gen_ai.input.messages"] = as_json([{"role": "user", "parts": [part]}])

    def _effect(self, effect: Any, seq: Any) -> None:
        match effect:
            case ["start", str(name), _, int(generation), *_] if name in _SERVICES:
                skill = next((o.key for o in self._open.values() if o.service == "skill"), "")
                parent = skill if name in ("act", "ask") else ""
                opened = _Open(name, f"{name}|{generation}|{seq}", parent or "task", self._now)
                if name in ("act", "skill"):
                    opened.attributes |= self._tool(name)
                elif name == "ask":
                    opened.attributes |= self._question()
                self._open[generation] = opened
            case ["cancel", str(), int(generation), *_] if generation in self._open:
                self._close(self._open.pop(generation), "cancelled")

    def _tool(self, service: str) -> dict[str, Value]:
        request = self._request
        found: dict[str, Value] = {"gen_ai.operation.name": "execute_tool"}
        params = mapping_in(request, "params")
        tool, action = request.get("tool"), request.get("action")
        is_skill = service == "skill" or tool == "use_skill"
        named = {
            # A tool of a server is known by its own name: `mcp__server__tool`.
            "gen_ai.tool.name": action if tool == "mcp" else tool,
            "sgclaw.mcp.server": _server(action) if tool == "mcp" else "",
            "gen_ai.tool.call.id": request.get("call_id"),
            "sgclaw.action": action if service == "act" else "",
            "server.address": request.get("expected_domain"),
            "sgclaw.skill.name": params.get("name") if is_skill else "",
            "sgclaw.approval.by": request.get("approved_by"),
        }
        found |= {name: known for name, value in named.items() if (known := word(value))}
        runs_here = service == "skill" or tool in ("mcp", "use_skill")
        found["gen_ai.tool.type"] = "extension" if runs_here else "function"
        if self._with_content:
            found["gen_ai.tool.call.arguments"] = as_json(params)
        return found

    def _question(self) -> dict[str, Value]:
        """Return what the person is asked about; the model's own question only if words may go."""
        if self._reply != "question":
            about = "tool" if self._request.get("tool") == "mcp" else "call"
            return {"sgclaw.approval.purpose": about if self._reply else "step"}
        found: dict[str, Value] = {"sgclaw.approval.purpose": "question"}
        if self._with_content:
            found["sgclaw.question"] = as_json(mapping_in(self._request, "params"))
        return found

    def _tried(self, payload: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Note a failed try on the model call that goes on."""
        self._sums.add_try(record)
        told = try_attributes(payload, with_content=self._with_content)
        note = Note("sgclaw.model_tried", self._now, told)
        asked = (each for each in self._open.values() if each.service in ("plan", "think"))
        next((each.notes for each in asked), self._notes).append(note)

    def _end(self, generation: Any, failed: bool, payload: Mapping[str, Any]) -> None:
        opened = self._open.pop(generation, None) if isinstance(generation, int) else None
        if opened is None:
            return
        record = mapping_in(payload, "record")
        error = (word(payload.get("error")) or "failed") if failed else ""
        if opened.service in ("plan", "think"):
            self._model(opened, error, record)
            return
        if outcome := word(payload.get("outcome")):
            opened.attributes["sgclaw.outcome"] = outcome
            if outcome == "failed":
                error = word(mapping_in(record, "result").get("error")) or "failed"
        if opened.service == "ask":
            self._approval(opened, payload, record)
        elif self._with_content and "result" in record:
            opened.attributes["gen_ai.tool.call.result"] = as_json(mapping_in(record, "result"))
        self._close(opened, error)

    def _approval(
        self, opened: _Open, payload: Mapping[str, Any], record: Mapping[str, Any]
    ) -> None:
        named = {"decision": payload.get("decision"), "by": record.get("approved_by"),
                 "digest": record.get("digest")}  # fmt: skip
        for name, value in named.items():
            if known := word(value):
                opened.attributes[f"sgclaw.approval.{name}"] = known
        if opened.attributes.get("sgclaw.approval.purpose") == "question":
            if self._with_content:
                opened.attributes["sgclaw.answer"] = text(record.get("note"))
        elif opened.attributes.get("sgclaw.approval.decision") == "approved":
            by = opened.attributes.get("sgclaw.approval.by", "")
            self._request = {**self._request, "approved_by": by}

    def _model(self, opened: _Open, error: str, record: Mapping[str, Any]) -> None:
        turn = mapping_in(record, "turn")
        if not turn and not error:
            return  # the next call of the reply before: the model was not asked
        if turn:
            self._sums.add_call(turn)
        chat = _Open("think", f"{opened.key}|chat", opened.parent, opened.start_ns)
        chat.notes, opened.notes = opened.notes, []
        if opened.service == "plan":
            chat.parent = opened.key
            opened.attributes |= {"gen_ai.operation.name": "plan", "gen_ai.agent.name": AGENT}
            self._close(opened, error)
        chat.attributes |= chat_attributes(turn, with_content=self._with_content)
        self._close(chat, error)

    def _refusals(self, row: Mapping[str, Any]) -> None:
        for verdict in items(row.get("verdicts")):
            if isinstance(verdict, Mapping) and verdict.get("guard") == "policy_allows":
                reason = word(verdict.get("reason"))
                if verdict.get("allowed") is False:
                    told: dict[str, Value] = {"sgclaw.guard": "policy_allows"}
                    told |= {"sgclaw.reason": reason} if reason else {}
                    self._notes.append(Note("sgclaw.refused", self._now, told))

    def _close(self, opened: _Open, error: str) -> None:
        attributes = {"gen_ai.conversation.id": self._trace, **opened.attributes}
        tool = attributes.get("gen_ai.tool.name", opened.service)
        model = attributes.get("gen_ai.request.model", "")
        is_question = attributes.get("sgclaw.approval.purpose") == "question"
        name = {
            "plan": f"plan {AGENT}", "think": f"chat {model}".strip(),
            "ask": "question" if is_question else "approval",
            "act": f"execute_tool {tool}", "skill": f"execute_tool {tool}",
        }[opened.service]  # fmt: skip
        place = (opened.parent, opened.start_ns)
        span = self._span(name, opened.key, place, attributes, error)
        self._done.append(span._replace(notes=tuple(opened.notes)))

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


def _server(action: Any) -> str:
    """Return which server the tool called *action* is of."""
    return text(action).removeprefix("mcp__").partition("__")[0]


def _ns(at: Any) -> int:
    """Return the moment *at* (ISO 8601) in nanoseconds since 1970, 0 when it is none."""
    try:
        moment = datetime.fromisoformat(at)
        whole = moment.replace(microsecond=0).timestamp()
    except (TypeError, ValueError, OverflowError):
        return 0
    return max(0, round(whole) * 1_000_000_000 + moment.microsecond * 1_000)

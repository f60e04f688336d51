"""The panel's history as a projection of the ledger: the rows of one trace in, lines out (M5).

The rules:
1. Rows are the only truth. No clock, no file, no setting: the same rows give the same lines.
2. It is a fold: row by row gives what all at once give. The history of the first rows is the
   beginning of the history of all, but that of a line that is still open later rows may change
   status, text and by.
3. Each answer of a person and each refusal of a rule is there once.
4. A row that is damaged, foreign, or of an event that changed nothing is passed over; what is
   there is told as far as it goes. Whether the ledger is whole is the chain's business.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from memory.panel_item import PanelItem, line, shown, target_of
from memory.task_end import ENDS, reason_of_end
from states.catalogue import Lang, words
from states.policy import REPEATABLE
from states.task import UNKNOWN_ERRORS
from states.verdict import verdict_from

TASK = "task"
PREFIX = "active."
# Guards whose no is a refusal that a person is told; of `person_not_needed` a question comes.
REFUSING = frozenset(
    {"policy_allows", "not_rejected_before", "no_loop", "breaker_closed", "budget_left"}
)
ASKING = "person_not_needed"
_NOTHING: Mapping[str, Any] = {}
_DECISIONS = frozenset({"approved", "expired", "unresolved"})
# How a reply can end without being one.
_UNFINISHED = frozenset({"invalid", "cut", "declined", "paused", "overflow"})
_ASKING_AGAIN = frozenset({"step", "question"})
_CITED_MAX = 50
_About = Literal["call", "step", "question"]


class _Call(NamedTuple):
    """The call that is under way, as far as a panel shows it."""

    action: str = ""
    target: str = ""
    repeatable: bool = False
    question: str = ""


def panel_history(rows: Iterable[Mapping[str, Any]], lang: Lang = "en") -> tuple[PanelItem, ...]:
    """Return what a panel shows of the trace in *rows*, in *lang*."""
    history = PanelHistory(lang)
    for row in rows:
        history.feed(row)
    return history.items


class PanelHistory:
    """The history of one trace so far; `feed` it each row in its order."""

    def __init__(self, lang: Lang = "en") -> None:
        self._lang = lang
        self._items: list[PanelItem] = []
        self._open: dict[Literal["step", "skill", "question"], int] = {}
        self._path = ["idle"]
        self._row: tuple[int, str] = (0, "")
        self._call = self._skill_call = _Call()
        self._source: Literal["model", "skill"] = "model"
        self._steps = 0
        self._last = ""
        self._why_asked = ""
        self._reply = ""
        self._kept: _About | None = None

    @property
    def items(self) -> tuple[PanelItem, ...]:
        """Return the lines so far, oldest first."""
        return tuple(self._items)

    @property
    def path(self) -> tuple[str, ...]:
        """Return the states that the task went through, by the names that people are shown."""
        return tuple(self._path)

    @property
    def steps(self) -> int:
        """Return how many steps the task has taken."""
        return self._steps

    def feed(self, row: Mapping[str, Any]) -> None:
        """Take the next row."""
        if row.get("kind") != "event" or row.get("chart") != TASK or row.get("result") != "handled":
            return
        event, at, seq = _object(row.get("event")), row.get("at"), row.get("seq")
        name = str(event.get("type"))
        payload = _object(event.get("payload"))
        self._row = seq if type(seq) is int else 0, line(at)
        path = [leaf for leaf in _list(row.get("path")) if isinstance(leaf, str)]
        record = _object(payload.get("record"))
        refusing = self._refused(row)
        if name == "model_tried":
            self._tried(payload, record)
        self._take(name, payload, record, path)
        for item in refusing.values():
            self._add(item._replace(action=self._call.action, target=self._call.target))
        self._start(row, name)
        self._path += [line(leaf).removeprefix(PREFIX) for leaf in path]
        if path and path[-1] in ENDS:
            self._end(path[-1], name, payload, frozenset(refusing))

    # --- what the event says

    def _take(
        self, name: str, payload: Mapping[str, Any], record: Mapping[str, Any], path: list[str]
    ) -> None:
        match name:
            case "submit_task":
                self._add(PanelItem("instruction", 0, "", shown(record.get("instruction"))))
            case "done.invoke.plan" | "done.invoke.think":
                self._replied(name, payload, record, path)
            case "skill_asked":
                self._source = "skill"
                self._called(record, path)
            case "done.invoke.act":
                self._answered(payload, record)
            case "error.invoke.act":
                self._failed(payload)
            case "done.invoke.observe":
                self._steps += 1
            case "done.invoke.ask":
                self._decided(payload, record)
            case "done.invoke.skill" | "error.invoke.skill":
                self._skill_ended(name, payload, record)
            case "resumed":
                self._resumed(payload, record)

    def _tried(self, payload: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Take one failed try of a model call: why, and how long until the next."""
        wait = record.get("wait_ms")
        seconds = wait / 1000 if type(wait) is int else 0
        why = line(record.get("text")) or line(record.get("code"))
        text = words("panel_model_gave_up", self._lang, why=why)
        if seconds:  # after the last try there is no other
            text = words("panel_model_retry", self._lang, why=why, seconds=f"{seconds:g}")
        self._add(PanelItem("retry", 0, "", text, reason=line(payload.get("kind"))))

    def _replied(
        self, name: str, payload: Mapping[str, Any], record: Mapping[str, Any], path: list[str]
    ) -> None:
        """Take one reply of the model: its words, and the call that it asks for."""
        reply, turn = payload.get("reply"), _object(record.get("turn"))
        self._source = "model"
        self._called(record, path)
        self._reply = reply if isinstance(reply, str) else ""
        text = shown(turn.get("text"))
        if self._reply in _UNFINISHED:
            note = shown(record.get("note"))
            told = note if reply == "invalid" else f"{text}\n{note}".strip()
            self._add(PanelItem("said", 0, "", told, status=self._reply))
        elif reply == "text":
            self._answer(shown(record.get("answer")) or text, record, path)
        elif text:
            self._add(PanelItem("plan" if name == "done.invoke.plan" else "said", 0, "", text))

    def _answer(self, text: str, record: Mapping[str, Any], path: list[str]) -> None:
        """Take the final words, with the steps that they cite."""
        cited = [step for step in _list(record.get("citations")) if type(step) is int]
        if text and path and path[-1] == "completed":
            self._add(PanelItem("answer", 0, "", text, cites=tuple(cited[:_CITED_MAX])))
        elif text:
            self._add(PanelItem("said", 0, "", text, status="unproven"))

    def _called(self, record: Mapping[str, Any], path: list[str]) -> None:
        request = _object(record.get("request"))
        action = line(request.get("action")) or line(request.get("tool"))
        params = _object(request.get("params"))
        # What another tool is given says nothing of where in a page it acts.
        target = "" if request.get("tool") == "mcp" else target_of(params)
        self._call = _Call(action, target, action in REPEATABLE, _question_in(params))
        refused = _object(request.get("refusal"))
        if path and path[-1] == "active.observing":  # the policy's refusal is the result
            self._last = shown(record.get("refusal_text")) or line(refused.get("reason"))

    def _answered(self, payload: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Take the browser's answer: done, failed, or a person must be asked first."""
        if payload.get("outcome") == "confirmation":
            if payload.get("asked") == "rejected":
                self._last = shown(record.get("refusal_text")) or "rejected_before"
                self._close("step", "refused")
            else:
                self._change("step", status="waiting")
            return
        result = _object(record.get("result"))
        self._last = shown(result.get("message"))
        self._close_call(line(result.get("error")), self._last, ok=result.get("success") is True)

    def _failed(self, payload: Mapping[str, Any]) -> None:
        """No answer came, or the command could not be sent."""
        self._last = shown(payload.get("text"))
        self._close_call(line(payload.get("error")) or "no_response", self._last, ok=False)

    def _close_call(self, error: str, message: str, *, ok: bool) -> None:
        unknown = error in UNKNOWN_ERRORS and not self._call.repeatable
        failed = "unknown" if unknown else "failed"
        self._close("step", "ok" if ok else failed, "" if ok else message or error)

    def _decided(self, payload: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """Take the person's answer; what is neither a yes nor late nor lost is a no."""
        said = payload.get("decision")
        status = said if isinstance(said, str) and said in _DECISIONS else "rejected"
        if "question" not in self._open:  # its row is missing; the answer counts all the same
            self._ask("question" if self._reply == "question" else "call")
        if self._about() == "question":
            self._answered_question(status, record)
            return
        by = line(record.get("approved_by"))
        if status == "unresolved":  # the host did not find what it should ask about
            self._last = shown(record.get("message"))
            asked = self._items[self._open["question"]].text
            self._close("question", status, f"{asked}\n{self._last}".strip(), by)
            self._close("step", "failed", self._last)
        self._close("question", status, by=by)
        if status != "rejected":
            return
        self._last = shown(record.get("note"))
        self._close("step", "rejected")
        self._steps += 1
        if self._source == "skill":
            self._call, self._source = self._skill_call, "model"
        self._close("skill", "stopped")

    def _answered_question(self, status: str, record: Mapping[str, Any]) -> None:
        """Take what the person said to the model's own question: it costs a step either way."""
        asked = self._items[self._open["question"]].text
        heard = shown(record.get("message" if status == "unresolved" else "note"))
        text = asked if status == "expired" else f"{asked}\n{heard}".strip()
        self._close("question", status, text, line(record.get("approved_by")))
        self._steps += status in ("approved", "rejected")

    def _skill_ended(
        self, name: str, payload: Mapping[str, Any], record: Mapping[str, Any]
    ) -> None:
        # A call that the skill did not wait for ends with it: nobody knows how.
        self._close("step", "failed" if self._call.repeatable else "unknown")
        result = _object(record.get("result"))
        ok = name.startswith("done") and result.get("success") is True
        why = result.get("message") if name.startswith("done") else payload.get("text")
        self._last = shown(why)
        self._close("skill", "ok" if ok else "failed", "" if ok else self._last)
        self._call, self._source = self._skill_call, "model"

    def _resumed(self, payload: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        """A new agent goes on; what was under way is lost, and what was not is kept."""
        before, note = self._path[-1], shown(record.get("note"))
        has_skill = "skill" in self._open
        about = self._about()
        asks_again = before == "confirm" and about in _ASKING_AGAIN
        kept = not has_skill and (before == "observing" or asks_again)
        self._kept = "question" if kept and about == "question" else None
        self._close("question", "unanswered")
        self._add(PanelItem("resumed", 0, "", note))
        if kept:
            return
        if has_skill and before == "observing":
            self._steps += 1
        self._steps += payload.get("lost") in ("read", "command")
        self._close("step", "unknown" if payload.get("lost") == "command" else "failed")
        self._last = note
        if has_skill:
            self._call = self._skill_call
        self._close("skill", "stopped")
        self._source = "model"

    # --- what the row says besides: guards, services, the end

    def _refused(self, row: Mapping[str, Any]) -> dict[str, PanelItem]:
        """Return a line for each rule that refused, and keep why a person is asked."""
        found: dict[str, PanelItem] = {}
        self._why_asked = ""
        for verdict in map(_object, _list(row.get("verdicts"))):
            guard = verdict.get("guard")
            if verdict.get("allowed") is not False or not isinstance(guard, str):
                continue
            if guard in REFUSING and guard not in found:
                reason = line(verdict.get("reason"))
                found[guard] = PanelItem("refusal", 0, "", self._said(verdict), reason=reason)
            elif guard == ASKING:
                self._why_asked = self._said(verdict)
        return found

    def _said(self, verdict: Mapping[str, Any]) -> str:
        return shown(verdict_from(verdict).text(self._lang))

    def _start(self, row: Mapping[str, Any], name: str) -> None:
        """Begin a line for each service that the row starts and a person sees."""
        for effect in map(_list, _list(row.get("effects"))):
            match effect[:2]:
                case ["start", "act"]:
                    if "step" in self._open:
                        self._change("step", status="running")
                    else:
                        self._begin("step", status="running")
                case ["start", "skill"]:
                    self._skill_call = self._call
                    self._begin("skill", status="running")
                case ["start", "ask"]:
                    self._close("question", "unanswered")
                    self._ask(self._asks_about(name))

    def _asks_about(self, name: str) -> _About:
        """Return what the question is about that the event *name* leads to."""
        if name == "resumed":
            return self._kept or "step"
        if name == "done.invoke.observe":
            return "step"
        return "question" if self._reply == "question" else "call"

    def _ask(self, about: _About) -> None:
        why = self._why_asked or (
            "" if about == "step" else words("needs_confirmation", self._lang)
        )
        if about == "question":
            why = self._call.question
        item = PanelItem("question", 0, "", why, status="asked", about=about)
        self._open["question"] = len(self._items)
        self._add(item._replace(action=self._call.action, target=self._call.target))

    def _begin(self, kind: Literal["step", "skill"], status: str) -> None:
        item = PanelItem("step", 0, "", "", self._call.action, self._call.target, status)
        self._open[kind] = len(self._items)
        self._add(item, is_step=kind == "step")

    def _end(
        self, state: str, name: str, payload: Mapping[str, Any], refusing: frozenset[str]
    ) -> None:
        timer = name.endswith("approval_seconds")
        self._close("question", "expired" if timer else "unanswered")
        running = "step" in self._open and self._items[self._open["step"]].status == "running"
        unknown = running and not self._call.repeatable
        self._close("step", "unknown" if unknown else "stopped")
        self._close("skill", "stopped")
        reason = text = ""
        if state != "completed":
            reason = reason_of_end(name, payload, refusing)
            why = line(_object(payload.get("record")).get("reason"))
            facts = {"error": line(payload.get("error")), "text": shown(payload.get("text")),
                     "action": self._call.action, "steps": self._steps, "last": self._last,
                     "why": why}  # fmt: skip
            text = words(reason, self._lang, **facts).strip()
        self._add(PanelItem("end", 0, "", text, status=state, reason=reason))

    # --- the list

    def _add(self, item: PanelItem, *, is_step: bool = True) -> None:
        seq, at = self._row
        counted = is_step and item.kind in ("step", "question", "refusal")
        self._items.append(
            item._replace(
                seq=seq,
                at=at,
                step=self._steps + 1 if counted else 0,
                source=self._source if item.kind in ("step", "question", "refusal") else "",
            )
        )

    def _about(self) -> str:
        place = self._open.get("question")
        return "" if place is None else self._items[place].about

    def _change(self, kind: Literal["step", "skill", "question"], **changes: Any) -> None:
        place = self._open.get(kind)
        if place is not None:
            self._items[place] = self._items[place]._replace(**changes)

    def _close(
        self, kind: Literal["step", "skill", "question"], status: str, text: str = "", by: str = ""
    ) -> None:
        """End the open line of *kind*, if there is one; a question keeps why it was asked."""
        changes = {"status": status, "by": by} | ({"text": text} if text else {})
        self._change(kind, **changes)
        self._open.pop(kind, None)


def _question_in(params: Mapping[str, Any]) -> str:
    """Return the question in *params* with its options, each on a line of its own."""
    options = [f"- {line(each)}" for each in _list(params.get("options"))]
    return "\n".join(filter(None, [shown(params.get("question")), *options]))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NOTHING


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []

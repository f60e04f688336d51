"""Hold a projection of a ledger against what the live task said to the model and the panel."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from actions.llm.provider import ModelRequest
from memory.panel_item import PanelItem
from memory.projection import PanelHistory
from sgclaw.audit_story_agent import agent_side
from sgclaw.audit_story_rows import Rows
from sgclaw.projection import ModelContext
from states.secrets import strike_all
from states.wire import StateChanged, TaskCompleted


def struck(request: ModelRequest | None) -> Any:
    """Return *request* as plain data, without what the ledger does not hold."""
    return None if request is None else strike_all(request.model_dump(mode="json"), by_key=False)


def check_panel(
    rows: Iterable[Mapping[str, Any]], told: Sequence[StateChanged], end: TaskCompleted | None
) -> None:
    """Hold the panel's history of *rows* against what the panel was *told* while it happened."""
    history = PanelHistory()
    for row in rows:
        history.feed(row)
    items = history.items
    assert [change.state for change in told] == list(history.path[1:])
    said = [item.text for item in items if item.kind in ("refusal", "question")]
    reasons = [change.reason for change in told if change.reason]
    assert [reason for reason in reasons if not any(reason in text for text in said)] == []
    asked = [(c.action, c.step + 1) for c in told if c.state == "confirm"]
    assert asked == [(i.action, i.step) for i in of(items, "question") if i.about != "step"] or any(
        i.about == "step" for i in of(items, "question")
    )
    # A skill's run is no step of its own.
    went_out = {
        (c.action, 0 if c.action == "run_skill" else c.step + 1)
        for c in told
        if c.state == "executing.waiting" and c.event != "done.invoke.observe"
    }
    assert went_out == {(i.action, i.step) for i in of(items, "step")}
    if end is not None:
        [last] = of(items, "end")
        assert (last.status, last.reason) == (end.state, end.reason)
        assert last.text == end.reason_text
        assert end.answer in {"", *(i.text for i in items if i.kind in ("answer", "said"))}
        assert history.steps == end.steps
        approved = Counter(sent.approved_by for sent in end.commands if sent.approved_by)
        # One that was approved and then aborted, or not found any more, is no command.
        assert approved <= Counter(i.by for i in of(items, "question") if i.status == "approved")


def check_steps(rows: Sequence[Mapping[str, Any]]) -> None:
    """Hold the steps that a story counts in *rows* against those that the agent counted."""
    folded = ModelContext()
    for row in rows:
        folded.feed(row)
    trace = str(rows[0].get("trace_id")) if rows else ""
    side = agent_side(trace, Rows("ledger", tuple(rows)))
    counted = {number: call.action or call.tool for number, call in side.steps.items()}
    assert counted == {step.number: step.action for step in folded.context.record.history}


def of(items: tuple[PanelItem, ...], kind: str) -> list[PanelItem]:
    return [item for item in items if item.kind == kind]

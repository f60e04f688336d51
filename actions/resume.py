"""Say what a kill took from a task, and what is kept, before a new agent goes on with it (L8).

A command that was sent and not answered may have acted: it is unknown, and never sent again.
"""

from typing import Any, Literal

from actions.act import page_as_text
from actions.ports import Ports
from guards.budget import steps_are_left
from states.catalogue import words
from states.fold_resume import outcome_of
from states.policy import REPEATABLE
from states.task import (
    NOT_THE_BROWSERS,
    UNKNOWN_OUTCOME,
    Context,
    Request,
    SentCommand,
    StepOutcome,
)

Browser = Literal["same", "new"]


def resumption(
    context: Context, live: frozenset[str], browser: Browser, ports: Ports
) -> dict[str, Any]:
    """Return the payload of `resumed` for a task whose services *live* were running.

    *ports.view* must hold the page as the host sees it now.
    """
    request = context.record.request
    lost = _lost(request, live, ports)
    steps = context.record.steps + ("observe" in live or lost != "nothing")
    note = "\n".join(_words(context, live, browser, ports))
    ports.log("resumed", browser=browser, lost=lost, action=request.action, text=note)
    record: dict[str, Any] = {
        "note": note,
        "page": ports.view.page.model_dump(mode="json"),
        "page_text": page_as_text(ports.view, ports),
        "weighty": lost == "command" or _person_approved(context),
    }
    if lost == "command":
        record["sent"] = SentCommand(
            seq=0,
            action=request.action,
            params=request.params,
            success=False,
            approved_by=request.approved_by,
            error=UNKNOWN_OUTCOME,
        ).model_dump(mode="json")
    left = "left" if steps_are_left(steps, ports.settings.task.steps_max) else "spent"
    return {"browser": browser, "lost": lost, "steps": left, "record": record}


def skill_steps(context: Context, live: frozenset[str]) -> tuple[StepOutcome, ...]:
    """Return the calls that the running skill had made, oldest first; none when none runs."""
    if context.control.skill != "running":
        return ()
    pending = (outcome_of(context.record),) if "observe" in live else ()
    found: list[StepOutcome] = []
    for step in reversed(context.record.history):
        if step.source != "skill":
            break
        found.append(step)
    return (*reversed(found), *pending)


def _person_approved(context: Context) -> bool:
    """Tell whether a person approved one of the running skill's calls."""
    record = context.record
    if context.control.skill != "running":
        return False
    return any(sent.approved_by is not None for sent in record.commands[record.skill_began :])


def _lost(request: Request, live: frozenset[str], ports: Ports) -> str:
    if "act" not in live:
        return "nothing"
    if request.tool == "mcp":
        tool = ports.mcp_tools.get(request.action)
        return "read" if tool is not None and tool.read_only else "command"
    reads = request.action in REPEATABLE or request.tool == "use_skill"
    return "read" if reads else "command"


def _words(context: Context, live: frozenset[str], browser: str, ports: Ports) -> list[str]:
    lang, request = ports.language, context.record.request
    said = [words(f"resumed_{browser}", lang, url=ports.view.page.url or "-")]
    facts = {"action": request.action, "what": _what(request)}
    lost = _lost(request, live, ports)
    if lost == "command" and request.tool in NOT_THE_BROWSERS:
        said.append(words("lost_tool", lang, tool=request.action))
    elif lost in ("read", "command"):
        said.append(words(f"lost_{lost}", lang, **facts))
    if "ask" in live and context.control.asking == "call":
        said.append(words("lost_question", lang, **facts))
    if context.control.skill == "running":
        name = str(context.record.skill_request.params.get("name", ""))
        calls = ", ".join(_told(step) for step in skill_steps(context, live))
        said.append(words("skill_interrupted", lang, skill=name, calls=calls or "-"))
    return said


def _what(request: Request) -> str:
    params = request.params
    return str(params.get("selector") or params.get("url") or params.get("key") or "")


def _told(step: StepOutcome) -> str:
    return step.action if step.success else f"{step.action} (x)"

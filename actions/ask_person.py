"""Put a question to the person, through the host, and return the answer (L3, P5).

What the model asked for in the same reply goes along, so that the host can show it on one card:
the person is asked once about a list, and never about a class.
"""

from typing import Any

from actions.browser.link import no_security
from actions.errors import NoAnswerError
from actions.judge import calls_ahead
from actions.ports import Ports
from guards.budget import steps_are_left
from states.catalogue import words
from states.digest import tool_digest_of
from states.task import Context
from states.wire import LISTED_MAX, ConfirmRequest, ConfirmResponse, ListedCall


async def ask_person(context: Context, ports: Ports) -> dict[str, Any]:
    """Return the decision: the payload of `done.invoke.ask`.

    Raises:
        NoAnswerError: the host answered with something else, or not at all.
        LinkClosedError: the host is gone.
    """
    question = _question(context, ports)
    ports.log("confirmation_asked", purpose=question.purpose, action=question.action)
    # The chart's own timer ends the wait; the bound here only frees the future afterwards.
    answer = await ports.link.confirm(question, ports.settings.task.approval_seconds + 5)
    if not isinstance(answer, ConfirmResponse):
        raise NoAnswerError("no_response", seq=answer.seq)
    is_of_tool = question.purpose == "tool" and answer.error is None
    if is_of_tool and answer.digest != _tool_digest(context, ports):
        raise NoAnswerError("digest_differs", seq=answer.seq)
    decision = "unresolved" if answer.error else answer.decision
    ports.log("confirmation_answered", decision=decision, by=answer.approved_by)
    return {
        "decision": decision,
        "steps": "left"
        if steps_are_left(context.record.steps + 1, ports.settings.task.steps_max)
        else "spent",
        "record": {
            "digest": answer.digest,
            "approved_by": answer.approved_by,
            "error": answer.error.code if answer.error else "",
            "message": answer.error.message if answer.error else "",
            "note": _note(context, ports, answer),
        },
    }


def _question(context: Context, ports: Ports) -> ConfirmRequest:
    request = context.record.request
    security = no_security(request.expected_domain)
    if context.control.asking == "question":
        return ConfirmRequest(
            seq=1,
            purpose="question",
            question=request.params["question"],
            options=tuple(request.params["options"]),
            security=security,
        )
    if context.control.asking == "call" and request.tool == "mcp":
        return ConfirmRequest(
            seq=1,
            purpose="tool",
            action=request.action,
            params=request.params,
            digest=_tool_digest(context, ports),
            security=security,
        )
    purpose = "call" if context.control.asking == "call" else "step"
    return ConfirmRequest(
        seq=1,
        purpose=purpose,
        action=request.action,
        params=request.params,
        digest=request.host_digest,
        also=_also(context, ports) if purpose == "call" else (),
        security=security,
    )


def _tool_digest(context: Context, ports: Ports) -> str:
    request = context.record.request
    return tool_digest_of(request.action, request.params, ports.trace_id)


def _also(context: Context, ports: Ports) -> tuple[ListedCall, ...]:
    """Return the calls of the same reply that come next and act."""
    record = context.record
    if record.request.source != "model" or record.request.tool != "browser_action":
        return ()
    return tuple(
        ListedCall(action=ahead.action, params=ahead.params, expected_domain=ahead.expected_domain)
        for ahead in calls_ahead(record, ports)[:LISTED_MAX]
    )


def _note(context: Context, ports: Ports, answer: ConfirmResponse) -> str:
    """Return what the model is told of what the person said."""
    asking = context.control.asking
    if answer.decision == "approved":
        said = words("person_answers", ports.language, text=answer.text)
        return said if asking == "question" else ""
    if asking == "question":
        return words("person_no_answer", ports.language)
    if context.control.asking == "step":
        return words("person_stopped_step", ports.language)
    action = context.record.request.action or context.record.request.tool
    if context.control.source == "skill":
        skill = str(context.record.skill_request.params.get("name", ""))
        return words("person_refused_skill", ports.language, action=action, skill=skill)
    return words("person_refused", ports.language, action=action)

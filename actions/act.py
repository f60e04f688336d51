"""Send the request to the browser and wait for its answer: once, never again (L6)."""

import hashlib
from typing import Any

from actions.browser.link import Answer
from actions.errors import NoAnswerError
from actions.perception.aom import render
from actions.perception.changes import CHARS_MAX as CHANGES_CHARS_MAX
from actions.perception.changes import Look, changes
from actions.perception.marks import marks_of
from actions.ports import PageView, Ports
from actions.use_tool import use_tool
from states.canonical import sha256_of
from states.catalogue import words
from states.page import AomNode
from states.policy import READ_ACTIONS
from states.task import NOT_THE_BROWSERS, Context, Request, StepResult
from states.wire import ConfirmationRequired, ConfirmResponse, Response

# A picture as text would only fill the model's window.
_BLOB_CHARS_MIN = 256


async def act(context: Context, ports: Ports) -> dict[str, Any]:
    """Return what the browser did: the payload of `done.invoke.act`.

    Raises:
        NoAnswerError: no answer came in time; the effect is not known.
        LinkClosedError: the host is gone.
    """
    request = context.record.request
    if request.tool in NOT_THE_BROWSERS:
        return await use_tool(request, ports)
    started = ports.clock.monotonic()
    ports.log("command_sent", action=request.action, domain=request.expected_domain)
    answer = await _send(request, ports)
    took_ms = round(1000 * (ports.clock.monotonic() - started))
    if isinstance(answer, ConfirmationRequired):
        return _confirmation(answer, context, ports)
    if isinstance(answer, ConfirmResponse):
        raise NoAnswerError("no_response", seq=answer.seq)
    ports.log("command_answered", action=request.action, seq=answer.seq,
              success=answer.success, duration_ms=took_ms)  # fmt: skip
    return _response(answer, request, ports, took_ms)


async def _send(request: Request, ports: Ports) -> Answer:
    limits = ports.settings.task
    own_ms = request.params.get("timeout_ms", 0)
    seconds = max(limits.command_seconds, float(own_ms) / 1000 + limits.command_seconds / 2)
    if request.tool == "answer_dialog":
        accept, text = bool(request.params["accept"]), str(request.params["text"])
        return await ports.link.dialog(accept, text, request.expected_domain, seconds)
    return await ports.link.command(
        request.action, request.params, request.expected_domain, seconds
    )


def _confirmation(answer: ConfirmationRequired, context: Context, ports: Ports) -> dict[str, Any]:
    asked = "rejected" if answer.digest in context.record.rejected else "new"
    return {
        "outcome": "confirmation",
        "asked": asked,
        "record": {
            "digest": answer.digest,
            "target": answer.target.model_dump(),
            "refusal_text": words("rejected_before", ports.language),
        },
    }


def _response(answer: Response, request: Request, ports: Ports, took_ms: int) -> dict[str, Any]:
    error = answer.error
    code = error.code if error else ""
    page_text, fingerprint = "", ""
    dialog = answer.data.get("dialog")
    ports.view.dialog = str(dialog.get("message", "")) if isinstance(dialog, dict) else ""
    if answer.page.document_id:
        page_text = _look(answer, ports, acted=request.action not in READ_ACTIONS)
        fingerprint = fingerprint_of(ports.view)
    result = StepResult(
        seq=answer.seq,
        success=answer.success,
        data=_without_blobs(answer.data, ports),
        error=code,
        message=error.message if error else "",
        page_text=page_text,
        fingerprint=fingerprint,
        duration_ms=took_ms,
    )
    return {
        "outcome": "ok" if answer.success else "failed",
        "asked": "new",
        "record": {
            "result": result.model_dump(mode="json"),
            "page": ports.view.page.model_dump(mode="json"),
        },
    }


def _look(answer: Response, ports: Ports, *, acted: bool) -> str:
    """Take over the page of *answer* and return its text, what an act changed before all else."""
    view = ports.view
    before = Look(view.page, view.nodes)
    if marks := marks_of(answer.data):
        view.marks = marks
    elif answer.page.document_id != view.page.document_id:
        view.marks = ()
    view.page, view.nodes = answer.page, answer.aom_snapshot
    changed = ""
    if acted:
        chars_max = min(CHANGES_CHARS_MAX, ports.settings.browser.snapshot_chars_max // 4)
        after = Look(view.page, view.nodes)
        changed = changes(before, after, chars_max=chars_max, lang=ports.language)
    return page_as_text(view, ports, changed)


def page_as_text(view: PageView, ports: Ports, changed: str = "") -> str:
    """Return *changed* and the snapshot as the bounded text that a model reads (O2)."""
    chars_max = ports.settings.browser.snapshot_chars_max
    if changed:
        chars_max -= len(changed) + 1
    text = render(view.nodes, view.page, chars_max=chars_max, lang=ports.language)
    return f"{changed}\n{text}" if changed else text


def fingerprint_of(view: PageView) -> str:
    """Return a digest of what a person would see change: address, roles, names, values, states."""
    return sha256_of({"url": view.page.url, "nodes": [_essence(node) for node in view.nodes]})


def _essence(node: AomNode) -> list[Any]:
    seen: list[Any] = [node.role, node.name, node.value, node.disabled, node.checked]
    seen.append(node.row_count)
    seen.extend(_essence(child) for child in node.children)
    return seen


def _without_blobs(data: dict[str, Any], ports: Ports) -> dict[str, Any]:
    kept = dict(data)
    picture = kept.get("image_base64")
    if isinstance(picture, str) and len(picture) >= _BLOB_CHARS_MIN:
        digest = hashlib.sha256(picture.encode("ascii", "replace")).hexdigest()
        ports.blobs[digest] = picture
        kept["image_base64"] = {"sha256": digest, "chars": len(picture)}
    return kept

"""Use a tool that is not the browser: an MCP server's, or the manual of a skill (R6).

Once, never again: what was sent and not answered is unknown, as with a command.
"""

import json
from typing import Any

from actions.errors import ApprovalMissingError, NoAnswerError
from actions.mcp.errors import McpCallError
from actions.ports import Ports, ToolAnswer
from states.canonical import sha256_of
from states.digest import tool_digest_of
from states.errors import SgclawError
from states.task import Request, StepResult

_WHY_CHARS = 300


async def use_tool(request: Request, ports: Ports) -> dict[str, Any]:
    """Return what the tool gave back: the payload of `done.invoke.act`.

    Raises:
        ApprovalMissingError: it may change something and no person said yes to exactly this.
        ActionError: it was refused, or no answer came.
    """
    started = ports.clock.monotonic()
    if request.tool == "use_skill":
        answer = ToolAnswer(_manual(str(request.params["name"]), ports))
    else:
        _check_approval(request, ports)
        ports.log("tool_called", tool=request.action)
        answer = await _called(request, ports)
    took_ms = round(1000 * (ports.clock.monotonic() - started))
    ports.log("tool_answered", tool=request.action, success=not answer.is_error,
              duration_ms=took_ms)  # fmt: skip
    result = StepResult(
        success=not answer.is_error,
        data={} if answer.is_error else {"text": answer.text},
        error="tool_error" if answer.is_error else "",
        message=answer.text if answer.is_error else "",
        # Another answer is progress, as another page is: one may wait for something with a tool.
        fingerprint=sha256_of({"answer": answer.text}),
        duration_ms=took_ms,
    )
    return {
        "outcome": "failed" if answer.is_error else "ok",
        "asked": "new",
        "record": {
            "result": result.model_dump(mode="json"),
            "page": ports.view.page.model_dump(mode="json"),
        },
    }


async def _called(request: Request, ports: Ports) -> ToolAnswer:
    try:
        return await ports.desk.call(request.action, request.params)
    except McpCallError as error:
        # It was sent and nothing usable came back: whether it acted is not known.
        why = error.text(ports.language)
        raise NoAnswerError("tool_outcome_unknown", tool=request.action, why=why) from error
    except SgclawError:
        raise  # it says itself that nothing was sent
    except Exception as error:
        # Nobody knows whether that was before or after it was sent.
        why = f"{type(error).__name__}: {error}"[:_WHY_CHARS]
        raise NoAnswerError("tool_outcome_unknown", tool=request.action, why=why) from error


def _check_approval(request: Request, ports: Ports) -> None:
    """Let a tool that may change something pass with its own approval only (invariant 2)."""
    tool = ports.mcp_tools.get(request.action)
    if tool is not None and tool.read_only:
        return
    digest = tool_digest_of(request.action, request.params, ports.trace_id)
    if request.host_digest != digest or not request.approved_by:
        raise ApprovalMissingError("tool_not_approved", tool=request.action)


def _manual(name: str, ports: Ports) -> str:
    """Return all that the signed header of the skill *name* says."""
    header = ports.library.get(name).header
    lines = [
        f"{header.skill} {header.version}",
        header.description,
        f"domains: {', '.join(header.domains)}",
        f"params: {json.dumps(header.params, ensure_ascii=False, sort_keys=True)}",
    ]
    return "\n".join(lines)

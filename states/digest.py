"""What an approval or a rejection is known by: the digest of one command, and its mark.

The digest is of the command as it was written, on what it met. The mark is of what the command
would do, however it was spelled: the very element counts, not the selector that led to it.
"""

from collections.abc import Mapping
from typing import Any

from states.canonical import sha256_of
from states.policy import Target

# How long a command waits changes nothing about what it does.
_WAITING = frozenset({"timeout_ms"})
_SPELLING = _WAITING | {"selector"}


def digest_of(
    action: str,
    params: Mapping[str, Any],
    origin: str,
    document_id: str,
    target: Target,
    trace_id: str,
) -> str:
    """Return the digest of *action* with *params* on *target* of this very document and task.

    *params* must be the completed parameters (defaults filled in), so that one command has one
    digest however short it was written; `timeout_ms` does not count. Of *target* only role, name
    and frame count: what the person was shown.

    Raises:
        ValueError: *params* hold what canonical JSON cannot (NaN, a lone surrogate).
    """
    return sha256_of(
        {
            "action": action,
            "params": _without(params, _WAITING),
            "origin": origin,
            "document_id": document_id,
            "target": {"role": target.role, "name": target.name, "frame": target.frame},
            "trace_id": trace_id,
        }
    )


def mark_of(
    action: str, params: Mapping[str, Any], origin: str, document_id: str, target: Target
) -> str:
    """Return the mark of *action* on this very element of this very document.

    Another selector for the same element and another `timeout_ms` give the same mark.

    Raises:
        ValueError: see `digest_of`.
    """
    return sha256_of(
        {
            "action": action,
            "params": _without(params, _SPELLING),
            "origin": origin,
            "document_id": document_id,
            "target": {
                "role": target.role,
                "name": target.name,
                "frame": target.frame,
                "serial": target.serial,
            },
        }
    )


def _without(params: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in names}


def tool_digest_of(tool: str, arguments: Mapping[str, Any], trace_id: str) -> str:
    """Return the digest of one call of the MCP tool *tool* in this task; it has no page.

    Raises:
        ValueError: *arguments* hold what canonical JSON cannot.
    """
    return sha256_of({"tool": tool, "arguments": dict(arguments), "trace_id": trace_id})

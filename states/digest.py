"""The digest of one side-effecting command: what a person's approval is bound to, exactly."""

from collections.abc import Mapping
from typing import Any

from states.canonical import sha256_of
from states.policy import Target


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
    digest however short it was written. Of *target* only role, name and frame count: what the
    person was shown.

    Raises:
        ValueError: *params* hold what canonical JSON cannot (NaN, a lone surrogate).
    """
    return sha256_of(
        {
            "action": action,
            "params": dict(params),
            "origin": origin,
            "document_id": document_id,
            "target": {"role": target.role, "name": target.name, "frame": target.frame},
            "trace_id": trace_id,
        }
    )

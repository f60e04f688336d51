"""Read the policy file (P4): strict YAML, closed model, and words that say what to mend."""

import difflib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.chart.yaml12 import parse, plain
from sgclaw.errors import RefusedError
from states.policy import ACTIONS, HostRule, Policy

BYTES_MAX = 262_144
_KNOWN = (*Policy.model_fields, *HostRule.model_fields, *ACTIONS)


def load_policy(path: Path) -> Policy:
    """Return the policy in *path*.

    Raises:
        RefusedError: it is missing, unreadable, has a typo, or allows nothing: exit code 4.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise RefusedError("policy_missing", path=path) from None
    except OSError as error:
        raise RefusedError("policy_unreadable", path=path, why=error.strerror) from error
    if len(raw) > BYTES_MAX:
        raise RefusedError("policy_unreadable", path=path, why=f"> {BYTES_MAX} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedError("policy_unreadable", path=path, why=str(error)) from error
    return parse_policy(text, str(path))


def parse_policy(text: str, source: str) -> Policy:
    """Return the policy that *text* holds.

    Raises:
        RefusedError: see `load_policy`.
    """
    root, problems = parse(text, source)
    if problems or root is None:
        why = problems[0].text().rstrip(".") if problems else "empty"
        raise RefusedError("policy_invalid", path=source, why=why, fix="")
    try:
        policy = Policy.model_validate(plain(root))
    except ValidationError as error:
        raise _refusal(error, source) from error
    if not policy.host_names():
        raise RefusedError("policy_allows_nothing", path=source)
    return policy


def _refusal(error: ValidationError, source: str) -> RefusedError:
    first: Any = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    given = first["loc"][-1] if first["type"] == "extra_forbidden" else first.get("input")
    near = difflib.get_close_matches(str(given), _KNOWN, n=1) if isinstance(given, str) else []
    fix = f" ({near[0]}?)" if near else ""
    return RefusedError("policy_invalid", path=source, why=f"{where}: {first['msg']}", fix=fix)

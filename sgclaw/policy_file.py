"""Read the policy file (P4): strict YAML, closed model, and words that say what to mend."""

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.chart.errors import Problem
from engine.chart.yaml12 import Node, parse, plain
from sgclaw.errors import RefusedError
from states.policy import ACTIONS, HostRule, Policy
from states.verdict import Verdict, refused

BYTES_MAX = 262_144
_VALUE_CHARS_MAX = 200
_NO_LIST = frozenset({"tuple_type", "model_type"})
# The sentence on a value that cannot stand under this key.
_FORMS = {
    "host": "policy_host_form",
    "resources": "policy_host_form",
    "scheme": "policy_scheme_form",
    "port": "policy_port_form",
    "mask": "policy_mask_form",
    "upload": "policy_upload_form",
    "version": "policy_version_form",
    "risk_words": "policy_risk_word_form",
}


def load_policy(path: Path) -> Policy:
    """Return the policy in *path*.

    Raises:
        RefusedError: it is missing, unreadable, has a typo, or allows nothing: exit code 4.
    """
    try:
        if not path.is_file() and path.exists():
            raise RefusedError("policy_unreadable", path=path, why="not a file")
        with path.open("rb") as file:
            raw = file.read(BYTES_MAX + 1)
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
        line = problems[0].line if problems else 1
        raise _refused(source, line, _of_yaml(problems))
    if not isinstance(root.value, dict):
        raise _refused(source, root.line, refused("policy_not_mapping"))
    try:
        policy = Policy.model_validate(plain(root))
    except ValidationError as error:
        raise _refusal(error, source, root) from error
    if not policy.host_names():
        raise RefusedError("policy_allows_nothing", path=source)
    return policy


def _refusal(error: ValidationError, source: str, root: Node) -> RefusedError:
    # A wrong key explains a missing one, so it is told first.
    rows: list[Any] = sorted(error.errors(), key=lambda row: row["type"] != "extra_forbidden")
    first = rows[0]
    steps = [step for step in first["loc"] if _is_step(step)]
    where = ".".join(str(step) for step in steps)
    return _refused(source, _line_of(root, steps), _of_value(first, where, steps))


def _of_value(row: dict[str, Any], where: str, steps: list[Any]) -> Verdict:
    """Return what is wrong at *where* in words that say what to write instead."""
    kind, value = row["type"], str(row.get("input"))[:_VALUE_CHARS_MAX]
    field = next((step for step in reversed(steps) if isinstance(step, str)), "")
    if kind == "extra_forbidden":
        known = HostRule.model_fields if len(steps) > 1 else Policy.model_fields
        return refused("policy_key_unknown", key=field, where=where, near=_near(field, known))
    if kind == "missing":
        return refused("policy_key_missing", key=field, where=where)
    if kind == "place_twice":
        return refused("policy_place_twice", place=row["ctx"]["place"])
    if kind == "too_long":
        return refused("policy_too_many", where=where, most=row["ctx"]["max_length"])
    if field in ("allow", "confirm") and kind == "literal_error":
        near = _near(value, ACTIONS)
        return refused("policy_action_unknown", value=value, where=where, near=near)
    form = "policy_not_entries" if kind in _NO_LIST else _FORMS.get(field, "policy_value")
    if field in ("allow", "confirm"):
        form = "policy_not_list"
    return refused(form, value=value, where=where, why=str(row["msg"]))


def _of_yaml(problems: Sequence[Problem]) -> Verdict:
    if not problems:
        return refused("policy_not_mapping")
    facts = dict(problems[0].facts)
    if problems[0].code == "chart_duplicate_key":
        return refused("policy_key_twice", key=facts["word"])
    return refused("policy_not_yaml", why=problems[0].what.rstrip("."))


def _refused(source: str, line: int, why: Verdict) -> RefusedError:
    return RefusedError("policy_invalid", path=source, line=line, why=why)


def _line_of(node: Node, steps: list[Any]) -> int:
    line = node.line
    for step in steps:
        if isinstance(node.value, dict) and step in node.value:
            line, node = node.value[step]
        elif isinstance(node.value, list) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.line
    return line


def _is_step(step: object) -> bool:
    """Tell a place in the file from pydantic's own name for a branch of a union."""
    return not (isinstance(step, str) and "[" in step)


def _near(word: str, known: Iterable[str]) -> str:
    """Return the one of *known* that is meant by *word*, as far as one can tell, else all."""
    words = tuple(known)
    return next(iter(difflib.get_close_matches(word, words, n=1)), " / ".join(words))

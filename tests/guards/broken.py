"""The corpus of broken outputs: what a model wrote, what it means, and where it was seen.

*want* is None where more than one thing may be meant, or where a part is missing. A case whose
meaning is clear may still be left alone; it then counts as missed, never as wrong.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from guards.output_repair import call_in_text, repair_arguments

TOOLS = ("browser_action", "run_skill", "use_skill", "answer_dialog", "ask_person", "finish")


class Case(NamedTuple):
    """One line of the corpus."""

    name: str
    kind: str
    raw: str
    want: dict[str, Any] | None
    seen: str


def cases() -> list[Case]:
    """Return the corpus."""
    path = Path(__file__).with_name("broken_outputs.jsonl")
    return [Case(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def repaired(case: Case) -> dict[str, Any] | None:
    """Return what the product makes of *case*."""
    if case.kind == "arguments":
        found = repair_arguments(case.raw)
        return found.value if found else None
    call = call_in_text(case.raw, TOOLS)
    return {"name": call.name, "arguments": call.value} if call else None


def same(one: object, other: object) -> bool:
    """Tell whether two values are the same JSON: 1, 1.0 and true are not."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)

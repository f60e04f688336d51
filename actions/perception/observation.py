"""The words in which a model is told what came of its call (R1, O2).

What a page said stands inside a fence, stripped of control characters and of the fence itself, so
that page text cannot pass for sgclaw's own (design invariant 8).
"""

import json
import re
from typing import Any

from states.catalogue import Lang, words
from states.task import Request, StepResult

FENCE_OPEN = "<<<page"
FENCE_CLOSE = "page>>>"
DATA_CHARS_MAX = 20_000

_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)

_MARKS = re.compile(r"<{3,}|>{3,}")


def observation_text(request: Request, result: StepResult, lang: Lang) -> str:
    """Return one observation: what was done, what came back, and the page in its fence."""
    name = request.action or request.tool
    key = "observed_ok" if result.success else "observed_failed"
    lines = [words(key, lang, action=name, why=result.message or result.error)]
    if result.data:
        lines.append(fenced(_data_text(result.data)))
    if result.page_text:
        lines.append(fenced(result.page_text))
    return "\n".join(lines)


def fenced(text: str) -> str:
    """Return *text* as untrusted content: bounded, stripped, between the fence's marks."""
    stripped = _CONTROL.sub(" ", text)
    # Replaced, not removed: what is left after a removal could join to a new mark.
    stripped = _MARKS.sub(lambda run: ("‹" if run[0][0] == "<" else "›") * len(run[0]), stripped)
    if len(stripped) > DATA_CHARS_MAX:
        stripped = stripped[:DATA_CHARS_MAX] + "…"
    return f"{FENCE_OPEN}\n{stripped}\n{FENCE_CLOSE}"


def _data_text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True)

"""The words in which a model is told what came of its call (R1, O2).

What a page said stands inside a fence, stripped of control characters and of the fence itself, so
that page text cannot pass for sgclaw's own (design invariant 8).
"""

import json
import re
import unicodedata
from typing import Any

from pydantic import TypeAdapter, ValidationError

from actions.perception.aom import render_part
from actions.perception.marks import mark_lines
from states.catalogue import Lang, words
from states.page import AomNode
from states.task import Request, StepResult

FENCE_OPEN = "<<<page"
FENCE_CLOSE = "page>>>"

_NODES = TypeAdapter(tuple[AomNode, ...])
# What the text of nodes and marks may take of an observation's bound.
_PART = 0.4
_MARKS = re.compile(r"<{3,}|>{3,}")


def observation_text(request: Request, result: StepResult, lang: Lang, chars_max: int) -> str:
    """Return one observation: what was done, what came back, and the page, each in its fence.

    Outside the fences stand only sgclaw's own words: a reason may quote the page or a skill.
    """
    name = request.action or request.tool
    key = "observed_ok" if result.success else "observed_failed"
    lines = [words(key, lang, action=name, code=result.error)]
    data, listed = _read(result.data, int(chars_max * _PART), lang)
    # Nodes that were asked for are the look at the page; the whole of it would hide them.
    page = "" if "nodes" in result.data and listed else result.page_text
    said = [result.message, _data_text(data) if data else "", listed, page]
    lines += [fenced(text, chars_max) for text in said if text]
    return "\n".join(lines)


def _read(data: dict[str, Any], chars_max: int, lang: Lang) -> tuple[dict[str, Any], str]:
    """Return *data* without its nodes and marks, and these as lines."""
    rest = dict(data)
    if "nodes" in rest:
        try:
            nodes = _NODES.validate_python(rest["nodes"])
        except ValidationError:
            return rest, ""
        del rest["nodes"]
        total = rest.get("total")
        counted = total if isinstance(total, int) else 0
        return rest, render_part(nodes, counted, chars_max=chars_max, lang=lang)
    labels = rest.get("som_labels")
    listed = mark_lines(labels, chars_max, lang) if isinstance(labels, list) else ""
    if listed:
        del rest["som_labels"]
    return rest, listed


def fenced(text: str, chars_max: int) -> str:
    """Return *text* as untrusted content: bounded, stripped, between the fence's marks."""
    cut = text if len(text) <= chars_max else text[:chars_max] + "…"
    stripped = "".join(_plain(char) for char in cut)
    # Replaced, not removed: what is left after a removal could join to a new mark.
    stripped = _MARKS.sub(lambda run: ("‹" if run[0][0] == "<" else "›") * len(run[0]), stripped)
    return f"{FENCE_OPEN}\n{stripped}\n{FENCE_CLOSE}"


def _plain(char: str) -> str:
    """Return *char*, a blank for a control character, nothing for one that is not seen."""
    category = unicodedata.category(char)
    if category == "Cc":
        return char if char in "\n\t" else " "
    return "" if category in ("Cf", "Cs", "Co", "Cn", "Zl", "Zp") else char


def _data_text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True)

"""The words in which a model is told what came of its call (R1, O2).

What a page said stands inside a fence (`prompts.fence`), so that page text cannot pass for
sgclaw's own (design invariant 8).
"""

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from actions.perception.aom import render_part
from actions.perception.marks import mark_lines
from prompts.fence import fenced
from states.catalogue import Lang, words
from states.page import AomNode
from states.task import Request, StepResult

_NODES = TypeAdapter(tuple[AomNode, ...])
# What the text of nodes and marks may take of an observation's bound.
_PART = 0.4


def observation_text(
    request: Request, result: StepResult, lang: Lang, chars_max: int, mark: str, number: int
) -> str:
    """Return one observation: what step *number* did, what came back, and the page.

    Each stands in a fence of *mark*; outside the fences are only sgclaw's own words: a reason may
    quote the page or a skill. The step's number is what `finish` cites.
    """
    name = request.action or request.tool
    key = "observed_ok" if result.success else "observed_failed"
    lines = [words(key, lang, number=number, action=name, code=result.error)]
    data, listed = _read(result.data, int(chars_max * _PART), lang)
    # Nodes that were asked for are the look at the page; the whole of it would hide them.
    page = result.page_text
    if "nodes" in result.data and listed:
        # Which page they are of is told all the same: it is the first line of its text.
        listed, page = "\n".join([*page.splitlines()[:1], listed]), ""
    said = [result.message, _data_text(data) if data else "", listed, page]
    lines += [fenced(text, chars_max, mark) for text in said if text]
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


def _data_text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True)

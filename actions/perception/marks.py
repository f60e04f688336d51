"""The marks of a set-of-mark picture (O3) as text, and as what a mark means to the first check."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from actions.perception.node_words import said
from states.catalogue import Lang, words
from states.page import AomNode

_NAME_CHARS = 60


class Mark(BaseModel):
    """One numbered box: *selector* or *ref* is what it stands on."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    id: int
    role: str = ""
    name: str = ""
    selector: str | None = None
    ref: str | None = None
    host: str | None = None


def marks_of(data: Mapping[str, Any]) -> tuple[Mark, ...]:
    """Return the marks that an answer's *data* tells of; none when it tells of none, or badly."""
    labels = data.get("som_labels")
    if not isinstance(labels, list):
        return ()
    try:
        return tuple(Mark.model_validate(label) for label in labels)
    except ValidationError:
        return ()


def mark_lines(labels: Sequence[Any], chars_max: int, lang: Lang) -> str:
    """Return one line a mark, `[3] button "保存" @12`, as many as fit; "" when none can be read."""
    marks = marks_of({"som_labels": list(labels)})
    lines: list[str] = []
    room = chars_max - len(_more(len(marks), lang)) - 1
    for mark in marks:
        line = f"[{mark.id}] {_said(mark)}"
        room -= len(line) + 1
        if room < 0:
            return "\n".join([*lines, _more(len(marks) - len(lines), lang)])
        lines.append(line)
    return "\n".join(lines)


def _said(mark: Mark) -> str:
    ref = mark.ref or (mark.selector if (mark.selector or "").startswith("@") else None)
    return said(AomNode(role=mark.role or "generic", name=mark.name, ref=ref), _NAME_CHARS)


def _more(left: int, lang: Lang) -> str:
    return words("page_marks_cut", lang, left=left)

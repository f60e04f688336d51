"""What a server answered, as a model may read it: cleaned, cut with a notice, text only."""

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from actions.mcp.clean import clean, clean_all, one_line
from states.canonical import canonical_bytes
from states.catalogue import Lang, words

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock

_NAME_CHARS = 200


class McpResult(NamedTuple):
    """The answer to one call, whatever the server made of it; all of it is foreign text.

    *structured* is the answer as data, None when there is none, it is too long, or it holds what no
    row of the ledger can (a number beyond 2^53-1, NaN).
    """

    text: str
    is_error: bool
    structured: dict[str, Any] | None = None


def read_result(result: "CallToolResult", chars_max: int, lang: Lang) -> McpResult:
    """Return *result* with its text joined, cleaned and cut to *chars_max*."""
    structured = result.structured_content
    data = clean_all(structured) if isinstance(structured, dict) else None
    spelled = json.dumps(data, ensure_ascii=False) if data is not None else ""
    parts = [_text_of(block, lang) for block in result.content]
    text = "\n".join(part for part in parts if part) or spelled
    if len(text) > chars_max:
        left = len(text) - chars_max
        text = f"{text[:chars_max]}\n{words('mcp_result_cut', lang, left=left)}"
    is_kept = len(spelled) <= chars_max and _is_canonical(data)
    return McpResult(text, bool(result.is_error), data if is_kept else None)


def _is_canonical(data: Any) -> bool:
    try:
        canonical_bytes(data)
    except ValueError:
        return False
    return True


def _text_of(block: "ContentBlock", lang: Lang) -> str:
    """Return what *block* says; a picture or a sound is named, not shown."""
    if block.type == "text":
        return clean(block.text)
    if block.type == "resource":
        text = getattr(block.resource, "text", None)
        if isinstance(text, str):
            return clean(text)
        return words("mcp_result_part", lang, kind=_short(block.resource.uri))
    if block.type == "resource_link":
        return words("mcp_result_part", lang, kind=_short(block.uri))
    return words("mcp_result_part", lang, kind=_short(block.mime_type))


def _short(name: object) -> str:
    return one_line(clean(str(name)), _NAME_CHARS)

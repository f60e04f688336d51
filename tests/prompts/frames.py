"""Frames for the tests of prompts, and what they print in a process of its own."""

import hashlib
import json

from prompts.compose import PromptFrame, SkillLine
from prompts.prompt import ToolDefinition
from states.catalogue import Lang

TRACE_ID = "sgclaw-20261129-0123456789abcdef"
SKILL = SkillLine("erp-report", "1.0.0", "导出报表。Export the report.", ("erp.example.com",))
CLOCK = ToolDefinition(
    "mcp__time__get_current_time",
    "Tell the time.",
    {"type": "object", "properties": {"timezone": {"type": "string"}}, "required": ["timezone"]},
)


def frame(lang: Lang, *tools: ToolDefinition, skills: tuple[SkillLine, ...] = ()) -> PromptFrame:
    """Return a frame with one skill, or *skills*, and *tools* of MCP servers."""
    domains = ("erp.example.com", "oa.example.com")
    return PromptFrame(lang, TRACE_ID, domains, skills or (SKILL,), tools)


def tools_text(made: PromptFrame) -> str:
    """Return the tools of *made* as the bytes of a request, less blanks."""
    return json.dumps(made.tools, ensure_ascii=False)


def pins() -> dict[str, str]:
    """Return a short hash of each stable part, by language."""
    parts = {}
    for lang in ("en", "zh-CN"):
        made = frame(lang, CLOCK)
        for name, text in (("system", made.system()), ("tools", tools_text(made))):
            parts[f"{name} {lang}"] = hashlib.sha256(text.encode()).hexdigest()[:12]
    return parts


if __name__ == "__main__":
    print(json.dumps(pins()))  # noqa: T201 - what the other process is run for

"""One step's prompt on the five pages, beside what the rivals' models read: characters and tokens.

Each prompt is system text, tools, the task, one call and what came of it, the page included; no
picture. `prompt_fixed_*` is system text and tools alone. They are not of one content: sgclaw folds
like rows and bounds the page's text, and says so in it; Playwright MCP is a tool server, so a
client's own system text comes on top of its rows; browser-use's tools are the schema of its output.
Tokens are cl100k's, and sgclaw's own estimate of them (`_estimated`).
"""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from actions.llm.openai_messages import messages_of, tools_of
from actions.llm.openai_profiles import PROFILES
from actions.perception.observation import observation_text
from benchmarks.model_tokeniser import tokens_of
from benchmarks.rivals.install import install
from benchmarks.rivals.ours import DOMAIN, OurPeer
from benchmarks.rivals.pages import write_pages
from benchmarks.rivals.peers import BrowserUsePeer, McpPeer
from benchmarks.rivals.steps import served
from memory.tokens import estimate
from prompts.compose import PromptFrame, SkillLine
from prompts.prompt import Prompt
from skills.registry import load_library
from states.messages import Message, ToolCall
from states.settings import Settings
from states.task import Request, StepResult

TASK = "Read the list and say which entries are still open."


class StepPrompt(NamedTuple):
    """What one model call is given, as text."""

    system: str
    tools: str
    round: str

    @property
    def whole(self) -> str:
        """All of it."""
        return "\n".join(self)


def measure() -> dict[str, float]:
    """Return `row.peer` for what is the same in each step, and for each page's whole prompt."""
    install()
    texts: dict[str, str] = {}
    for (page, peer), prompt in asyncio.run(_prompts()).items():
        # What comes before the first round is the same on every page.
        texts[f"prompt_fixed_@.{peer}"] = f"{prompt.system}\n{prompt.tools}"
        texts[f"prompt_{page}_@.{peer}"] = prompt.whole
    figures: dict[str, float] = {}
    for (row, text), real in zip(texts.items(), tokens_of(list(texts.values())), strict=True):
        figures[row.replace("@", "chars")] = len(text)
        figures[row.replace("@", "tokens")] = real
        figures[row.replace("@", "estimated")] = estimate(text)
    return {"system_tokens": estimate(_frame().system()), **figures}


async def _prompts() -> dict[tuple[str, str], StepPrompt]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        pages = folder / "pages"
        pages.mkdir()
        (folder / "profiles").mkdir(mode=0o700)
        names = write_pages(pages)
        with served(pages) as port:
            ours = OurPeer(folder / "profiles", port)
            mcp, browser_use = McpPeer(folder), BrowserUsePeer(folder)
            found: dict[tuple[str, str], StepPrompt] = {}
            try:
                for peer in (ours, mcp, browser_use):
                    await peer.start()
                for name in names:
                    for peer in (ours, mcp, browser_use):
                        await peer.navigate(f"http://{DOMAIN}:{port}/{name}.html")
                    found[name, "sgclaw"] = _ours(await ours.snapshot())
                    found[name, "mcp"] = await _mcp(mcp)
                    told = await browser_use.prompt(TASK, "Looked at the page.")
                    found[name, "browser_use"] = StepPrompt(**told)
            finally:
                for peer in (ours, mcp, browser_use):
                    await peer.close()
    return found


def _frame() -> PromptFrame:
    """Return the beginning of a task's prompts with the library that is shipped."""
    skills = tuple(
        SkillLine(header.skill, header.version, header.description, header.domains)
        for header in (skill.header for skill in load_library().skills)
    )
    return PromptFrame("en", "sgclaw-20260101-0123456789abcdef", (DOMAIN,), skills)


def _ours(page: str) -> StepPrompt:
    request = Request(source="model", tool="browser_action", action="getAomSnapshot")
    chars_max = Settings().browser.text_chars_max
    seen = observation_text(
        request, StepResult(success=True, page_text=page), "en", chars_max, "3f9a1c2b", 1
    )
    look = {"action": "getAomSnapshot", "params": {}}
    frame, profile = _frame(), PROFILES["generic"]
    conversation = (
        Message(role="user", text=TASK),
        Message(
            role="assistant", tool_calls=(ToolCall(id="c1", name="browser_action", input=look),)
        ),
        Message(role="tool", text=seen, call_id="c1"),
    )
    prompt = Prompt(frame.system(), frame.tools, conversation)
    system, *rest = messages_of(prompt, profile)
    tools = _json(tools_of(prompt.tools, profile))
    return StepPrompt(system["content"], tools, _spoken(rest))


async def _mcp(peer: McpPeer) -> StepPrompt:
    tools = [
        {"type": "function", "function": {
            "name": tool["name"], "description": tool["description"],
            "parameters": tool["inputSchema"]}}
        for tool in await peer.tools()
    ]  # fmt: skip
    call = {"name": "browser_snapshot", "arguments": "{}"}
    called = {"id": "c1", "type": "function", "function": call}
    rest: list[dict[str, Any]] = [
        {"role": "user", "content": TASK},
        {"role": "assistant", "content": "", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c1", "content": await peer.snapshot()},
    ]
    return StepPrompt("", _json(tools), _spoken(rest))


def _spoken(messages: list[dict[str, Any]]) -> str:
    """Return *messages* as a model reads them: contents as they are, calls as JSON."""
    lines = []
    for message in messages:
        lines.append(str(message["content"]))
        if "tool_calls" in message:
            lines.append(_json([call["function"] for call in message["tool_calls"]]))
    return "\n".join(filter(None, lines))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    for row, value in measure().items():
        print(f"{row:<40} {value:10.1f}")

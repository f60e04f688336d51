"""Runs in the virtual environment of browser-use: one step a line on stdin, one answer a line."""

import asyncio
import base64
import json
import os
import sys
import tempfile
from typing import Any

os.environ.update(
    ANONYMIZED_TELEMETRY="false",
    BROWSER_USE_LOGGING_LEVEL="error",
    BROWSER_USE_VERSION_CHECK="false",
)
ANSWERS = os.dup(1)
os.dup2(2, 1)

from browser_use import BrowserProfile, BrowserSession, Tools  # noqa: E402 - after the settings
from browser_use.agent.message_manager.views import HistoryItem  # noqa: E402
from browser_use.agent.prompts import AgentMessagePrompt, SystemPrompt  # noqa: E402
from browser_use.agent.views import AgentOutput, AgentStepInfo  # noqa: E402
from browser_use.browser.python_highlights import (  # noqa: E402
    create_highlighted_screenshot_async,
)
from browser_use.filesystem.file_system import FileSystem  # noqa: E402
from browser_use.llm.schema import SchemaOptimizer  # noqa: E402


class Side:
    """A session of browser-use and what it last saw."""

    def __init__(self, browser: str) -> None:
        profile = BrowserProfile(
            headless=True,
            executable_path=browser,
            chromium_sandbox=False,
            enable_default_extensions=False,
            user_data_dir=None,
        )
        self.session = BrowserSession(browser_profile=profile)
        self.tools = Tools()
        self.action = self.tools.registry.create_action_model()
        self.seen: Any = None

    async def do(self, step: str, asked: dict[str, Any]) -> object:
        """Do one step."""
        match step:
            case "navigate":
                self.seen = None
                await self._act(navigate={"url": asked["url"], "new_tab": False})
            case "snapshot":
                await self._look(include_screenshot=False)
                return self.seen.dom_state.llm_representation()
            case "prompt":
                return await self._prompt(asked["task"], asked["done"])
            case "click":
                await self._act(click={"index": await self._index(asked["id"])})
            case "type":
                index = await self._index(asked["id"])
                await self._act(input={"index": index, "text": asked["text"]})
            case "get_text":
                return await self._act(evaluate={"code": "document.body.innerText"})
            case "marked":
                await self._look(include_screenshot=True)
                picture = await create_highlighted_screenshot_async(
                    self.seen.screenshot, self.seen.dom_state.selector_map
                )
                return len(base64.b64decode(picture))
        return ""

    async def _prompt(self, task: str, done: str) -> dict[str, str]:
        """Return the text that its agent sends: its defaults, without a picture."""
        await self._look(include_screenshot=False)
        step = HistoryItem(step_number=1, next_goal="Look at the page.", action_results=done)
        with tempfile.TemporaryDirectory() as folder:
            message = AgentMessagePrompt(
                self.seen,
                FileSystem(folder),
                agent_history_description=step.to_string(),
                task=task,
                step_info=AgentStepInfo(step_number=1, max_steps=100),
            ).get_user_message(use_vision=False)
        output = AgentOutput.type_with_custom_actions(self.action)
        schema = SchemaOptimizer.create_optimized_json_schema(output)
        return {
            "system": SystemPrompt().get_system_message().text,
            "tools": json.dumps(schema, ensure_ascii=False),
            "round": message.text,
        }

    async def _look(self, *, include_screenshot: bool) -> None:
        look = self.session.get_browser_state_summary
        self.seen = await look(include_screenshot=include_screenshot)

    async def _index(self, element_id: str) -> int:
        if self.seen is None:
            await self._look(include_screenshot=False)
        found = self.seen.dom_state.selector_map.items()
        wanted = (index for index, node in found if node.attributes.get("id") == element_id)
        return int(next(wanted))

    async def _act(self, **action: Any) -> str:
        result = await self.tools.act(self.action(**action), browser_session=self.session)
        if result.error:
            raise RuntimeError(result.error)
        return str(result.extracted_content)


async def main() -> None:
    """Answer until stdin ends."""
    side = Side(sys.argv[1])
    await side.session.start()
    answer({"value": "ready"})
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        asked = json.loads(line)
        try:
            answer({"value": await side.do(asked["step"], asked)})
        except Exception as error:  # noqa: BLE001 - whatever a rival throws is its answer
            answer({"error": repr(error)[:500]})
    await side.session.kill()


def answer(document: dict[str, object]) -> None:
    """Write one line."""
    os.write(ANSWERS, json.dumps(document).encode() + b"\n")


if __name__ == "__main__":
    asyncio.run(main())

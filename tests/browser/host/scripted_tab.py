"""A tab without a browser: its page answers what a test says, and every question is kept."""

from collections.abc import Callable, Mapping
from typing import Any

from browser.host.outcome import Dialog
from browser.host.tab import Tab
from browser.host.target_session import TargetSession
from browser.host.worlds import World
from states.settings import BrowserLimits
from tests.support.quiet_transport import QuietTransport

ORIGIN = "https://erp.example.com"
DOMAIN = "erp.example.com"
BUTTON: dict[str, Any] = {"role": "button", "name": "查询", "tag": "button", "input_type": ""}


def found(origin: str = ORIGIN, document_id: str = "d1", **target: Any) -> dict[str, Any]:
    """Return what a page answers about the element *target*."""
    return {"origin": origin, "document_id": document_id, "target": {**BUTTON, **target}}


def _nothing(method: str, _: Mapping[str, Any]) -> dict[str, Any]:
    """Answer as a browser that knows nothing of the page."""
    return {"result": {}} if method == "Runtime.evaluate" else {}


class ScriptedTab(Tab):
    """Answers its questions with *answers*, one after the other, the last one for ever."""

    def __init__(self, *answers: dict[str, Any], url: str = f"{ORIGIN}/r") -> None:
        self.transport = QuietTransport(_nothing)
        super().__init__(TargetSession(self.transport, "s", "t", "page"), "", BrowserLimits())
        self.url = url
        self.loader_ids.append("d1")
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._answers = list(answers) or [found()]

    async def top_world(self) -> World:
        """Return the world that answers."""
        return World(self.session, "w")

    async def ask(
        self,
        function: str,
        arg: Mapping[str, Any],
        wait_s: float = 0.0,
        world: World | None = None,
    ) -> dict[str, Any]:
        """Note the question and answer it."""
        del wait_s, world
        self.asked.append((function, dict(arg)))
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def show(self, dialog: Dialog) -> None:
        """Open *dialog*."""
        self.dialog = dialog

    async def until(self, reached: Callable[[], bool], seconds: float) -> bool:
        """Return at once: nothing happens here by itself."""
        del seconds
        return reached()

"""The task's tab: which document it shows, whether it loads, and how to ask its page bundle.

The bundle runs in an isolated world of every document; the world's unique id ties each question
to one document, so an answer can never come from the next one.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from browser.host.errors import (
    BrowserLostError,
    CdpTimeoutError,
    CommandError,
    ContextGoneError,
    HostError,
    PageCrashedError,
)
from browser.host.marks import Marks
from browser.host.outcome import Dialog
from browser.host.refusals import refusal_of
from browser.host.tab_frames import TabFrames
from browser.host.target_session import TargetSession
from browser.host.transport import CdpEvent
from browser.host.worlds import World, Worlds
from states.settings import BrowserLimits

T = TypeVar("T")

_DIALOG_CHARS_MAX = 1_000
_LOADERS_KEPT = 50
_STOP_SCRIPT_S = 2.0


class DialogOpenedError(CommandError):
    """The page shows *dialog*, and nothing else can be done until it is answered."""

    def __init__(self, dialog: Dialog) -> None:
        super().__init__("dialog_open", type=dialog.type, message=dialog.message)
        self.dialog = dialog

    def data(self) -> dict[str, Any]:
        """Return the dialog as a command's data."""
        return {"dialog": {"type": self.dialog.type, "message": self.dialog.message}}


class Tab:
    """One tab and what its events told so far."""

    def __init__(self, session: TargetSession, bundle: str, limits: BrowserLimits) -> None:
        self.session = session
        self.limits = limits
        self.url = ""
        self.loading = False
        self.loader_ids: deque[str] = deque(maxlen=_LOADERS_KEPT)
        self.loaded = False
        self.crashed = False
        self.dialog: Dialog | None = None
        self.worlds = Worlds(session, bundle)
        self.frames = TabFrames(self.worlds)
        # The highest number of a ref so far: a document that comes later begins after it.
        self.refs_told = 0
        self.marks = Marks()
        self._changed = asyncio.Event()
        self._stop_listening: Callable[[], None] = lambda: None

    async def start(self) -> None:
        """Put the bundle into this and every later document of the tab."""
        self._stop_listening = self.session.subscribe(self._heard)
        tree = await self.session.send("Page.getFrameTree")
        frame = tree["frameTree"]["frame"]
        self.url = frame["url"]
        self.loader_ids.append(frame["loaderId"])
        await self.worlds.start()
        await self.session.send("Inspector.enable")
        await self.session.send("Page.setLifecycleEventsEnabled", {"enabled": True})

    def stop(self) -> None:
        """Stop listening."""
        self._stop_listening()
        self.worlds.stop()

    async def send(
        self, method: str, params: Mapping[str, Any], timeout_s: float | None = None
    ) -> dict[str, Any]:
        """Send one command to the tab, waiting as long as the settings say."""
        seconds = self.limits.cdp_seconds if timeout_s is None else timeout_s
        return await self.session.send(method, params, seconds)

    async def ask(
        self,
        function: str,
        arg: Mapping[str, Any],
        wait_s: float = 0.0,
        world: World | None = None,
    ) -> dict[str, Any]:
        """Return what `__sg.function(arg)` answers in *world*, else in the present document.

        *wait_s* is how long the page itself may take beyond an ordinary answer.

        Raises:
            CommandError: the page refused; its sentence says which condition failed.
            ContextGoneError: the document went away.
            CdpTimeoutError: the page hangs.
        """
        asked = world or await self.top_world()
        answer = await asked.session.send(
            "Runtime.evaluate",
            {
                "expression": f"__sg.{function}({json.dumps({'base': self.refs_told, **arg})})",
                "uniqueContextId": asked.context_id,
                "awaitPromise": True,
                "returnByValue": True,
            },
            self.limits.cdp_seconds + wait_s,
        )
        if "exceptionDetails" in answer:
            told = answer["exceptionDetails"].get("exception", {}).get("description", "")
            raise refusal_of({"code": "page_failed", "detail": told[:300]}, arg)
        value = answer["result"].get("value")
        if not isinstance(value, dict):
            raise refusal_of({"code": "page_failed", "detail": "no answer"}, arg)
        if "error" in value:
            raise refusal_of(value["error"], arg)
        return value

    async def until(self, reached: Callable[[], bool], seconds: float) -> bool:
        """Wait until *reached* holds; tell whether it did in time.

        Raises:
            PageCrashedError: the page crashed meanwhile.
            BrowserLostError: the browser is gone.
        """
        deadline = asyncio.get_running_loop().time() + seconds
        while not reached():
            if self.crashed:
                raise PageCrashedError
            if self.session.transport.lost.is_set():
                raise BrowserLostError("it ended")
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return False
            # A lost browser sends no event: look again once a second.
            try:
                async with asyncio.timeout(min(left, 1.0)):
                    await self._changed.wait()
            except TimeoutError:
                continue
        return True

    async def before_dialog(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what *work* gives, unless a native dialog opens first.

        Everything asked of a page waits for its dialog, so *work* is given up then.

        Raises:
            DialogOpenedError: a dialog is open.
        """
        working = asyncio.create_task(work)
        dialog = asyncio.create_task(self._until_dialog())
        try:
            await asyncio.wait({working, dialog}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            raise DialogOpenedError(dialog.result())
        finally:
            for task in (working, dialog):
                task.cancel()
            await asyncio.gather(working, dialog, return_exceptions=True)

    async def _until_dialog(self) -> Dialog:
        while self.dialog is None:
            await self._changed.wait()
        return self.dialog

    async def until_loaded(self, seconds: float) -> bool:
        """Wait until nothing loads any more and the document's world is there."""
        return await self.until(lambda: not self.loading and self.has_document, seconds)

    @property
    def has_document(self) -> bool:
        """Whether the bundle stands ready in the present document."""
        return self.worlds.top is not None

    async def stop_script(self) -> None:
        """End a script of the page that runs on and on."""
        try:
            await self.session.send("Runtime.terminateExecution", {}, _STOP_SCRIPT_S)
        except HostError:
            return

    async def top_world(self) -> World:
        """Return the bundle's world in the document that the tab shows, once it is there.

        Raises:
            CdpTimeoutError: none came.
            ContextGoneError: the document went away.
        """
        seconds = self.limits.cdp_seconds
        if not await self.until(lambda: self.has_document, seconds):
            raise CdpTimeoutError("Runtime.evaluate", seconds)
        if self.worlds.top is None:
            raise ContextGoneError("Runtime.evaluate", "the document went away")
        return self.worlds.top

    # --- what is heard

    def _heard(self, event: CdpEvent) -> None:
        area = event.method.partition(".")[0]
        if area not in {"Page", "Inspector", "Runtime"}:
            return
        if area != "Runtime":
            self._heard_page(event)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _heard_page(self, event: CdpEvent) -> None:
        params = event.params
        mine = params.get("frameId") == self.session.target_id
        match event.method:
            case "Page.frameStartedLoading" if mine:
                self.loading = True
            case "Page.frameStoppedLoading" if mine:
                self.loading = False
            case "Page.lifecycleEvent" if mine:
                self._heard_lifecycle(params)
            case "Page.frameNavigated" if "parentId" not in params["frame"]:
                self.url = params["frame"]["url"] + params["frame"].get("urlFragment", "")
                self.crashed = False
            case "Page.navigatedWithinDocument" if mine:
                self.url = params["url"]
            case "Page.javascriptDialogOpening":
                self.dialog = Dialog(
                    str(params.get("type", "alert")),
                    str(params.get("message", ""))[:_DIALOG_CHARS_MAX],
                    str(params.get("defaultPrompt", ""))[:_DIALOG_CHARS_MAX],
                )
            case "Page.javascriptDialogClosed":
                self.dialog = None
            case "Inspector.targetCrashed":
                self.crashed, self.dialog = True, None
                self.loading = False
            case _:
                pass

    def _heard_lifecycle(self, params: Mapping[str, Any]) -> None:
        if params["name"] == "init":
            self.loader_ids.append(params["loaderId"])
            self.loaded = False
        elif params["name"] == "load" and params["loaderId"] == self.loader_ids[-1]:
            self.loaded = True

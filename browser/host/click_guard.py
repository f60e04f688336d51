"""One click or key, guarded: its press reaches the approved element or nothing.

The rule: before the press, the guard of every frame is armed under one key, and so is each document
that a frame may come to show meanwhile; only the element that the bundle marks under that key lets
a press through. The frames tell what they saw at once, since a click may end their document.
"""

import asyncio
import contextlib
import json
import secrets
from collections.abc import Awaitable
from typing import Any

from browser.host.errors import HostError
from browser.host.target_session import TargetSession
from browser.host.transport import CdpEvent
from browser.host.worlds import TOLD, WORLD, World, Worlds

_TELL_S = 5.0
_HEARD_CHARS_MAX = 160


class ClickGuard:
    """The guard of one click on an element of the document of *aimed*, in the tab of *worlds*.

    With *keys* it is of one key instead. `release` it whatever happens.

    `delivered` tells whether the press reached the approved element, `stopped` where it was
    stopped instead ("" for nowhere).
    """

    def __init__(self, worlds: Worlds, aimed: World | None = None, *, keys: bool = False) -> None:
        self.key = f"sg{secrets.token_hex(16)}"
        self.delivered = False
        self.stopped = ""
        self.late_s = 0.0
        self._keys = keys
        self._worlds = worlds
        self._aimed = aimed or worlds.top
        self._heard_it = asyncio.Event()
        self._covers: list[tuple[TargetSession, str]] = []
        self._stop_listening = worlds.transport.subscribe(self._heard)
        worlds.on_session = self._session_came

    def arming(self) -> list[Awaitable[None]]:
        """Return the steps that arm every frame; the marking question must be sent after them."""
        others = [world for world in self._worlds.present() if world != self._aimed]
        return [
            *(self._cover(session) for session in self._worlds.sessions()),
            *(self._tell(world, "arm") for world in others),
        ]

    async def outcome(self, seconds: float) -> None:
        """Wait, at most *seconds* after every frame was released, until a frame told something."""
        if self._heard_it.is_set():
            return
        await self._release()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._heard_it.wait()

    async def leave(self, world: World) -> None:
        """End the guard in *world* alone: what was pressed may be let go there."""
        await self._tell(world, "release")

    def release(self) -> None:
        """End the guard in every frame, *late_s* from now; nobody needs to wait for it."""
        self._stop_listening()
        self._worlds.on_session = lambda _: None
        self._worlds.soon(self._release_late() if self.late_s else self._release())

    async def _release_late(self) -> None:
        await asyncio.sleep(self.late_s)
        await self._release()

    async def _release(self) -> None:
        covers, self._covers = self._covers, []
        await asyncio.gather(
            *(self._tell(world, "release") for world in self._worlds.present()),
            *(self._uncover(session, script) for session, script in covers),
        )

    # --- each frame

    def _session_came(self, session: TargetSession) -> None:
        self._worlds.soon(self._cover(session))

    async def _cover(self, session: TargetSession) -> None:
        """Arm each document that comes in *session*, from its start."""
        script = {"source": self._call("arm"), "worldName": WORLD}
        method = "Page.addScriptToEvaluateOnNewDocument"
        with contextlib.suppress(HostError):
            answer = await session.send(method, script, _TELL_S)
            self._covers.append((session, str(answer["identifier"])))

    async def _uncover(self, session: TargetSession, script: str) -> None:
        with contextlib.suppress(HostError):
            method = "Page.removeScriptToEvaluateOnNewDocument"
            await session.send(method, {"identifier": script}, _TELL_S)

    async def _tell(self, world: World, function: str) -> None:
        # A document that is gone needs no guard.
        asked = {"expression": self._call(function), "uniqueContextId": world.context_id}
        with contextlib.suppress(HostError):
            await world.session.send("Runtime.evaluate", asked, _TELL_S)

    def _call(self, function: str) -> str:
        return f"__sg.{function}({json.dumps({'key': self.key, 'keys': self._keys})})"

    def _heard(self, event: CdpEvent) -> None:
        if event.method != "Runtime.bindingCalled" or event.params.get("name") != TOLD:
            return
        told: Any = json.loads(event.params["payload"])
        if told["key"] != self.key:
            return
        if told["what"] == "delivered":
            self.delivered = True
        else:
            self.stopped = str(told["by"])[:_HEARD_CHARS_MAX]
        self._heard_it.set()

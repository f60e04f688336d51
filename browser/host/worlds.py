"""The bundle's worlds: one in every frame of a tab, those in other processes too.

A frame of another site runs in a process of its own and comes as a session of its own; the bundle
goes into it before its page runs. Each world has a unique id that ties a question to one document.
"""

import contextlib
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple

from browser.host.errors import HostError
from browser.host.target_session import TargetSession
from browser.host.tasks import TaskSet
from browser.host.transport import CdpEvent

WORLD = "sgclaw"
# What the bundle tells of itself; only its own worlds have this function.
TOLD = "__sg_told"
_WORLDS_MAX = 1_000
_SESSIONS_MAX = 200


class World(NamedTuple):
    """The bundle in one document: *context_id* in *session*, of the frame *frame_id*."""

    session: TargetSession
    context_id: str
    frame_id: str = ""


class Worlds:
    """The worlds of the tab *session*; `top` is the one of the document it shows.

    `on_session` is called with each frame that comes as a session of its own.
    """

    def __init__(self, session: TargetSession, bundle: str) -> None:
        self.transport = session.transport
        self.choosers = 0
        self.top: World | None = None
        self.on_session: Callable[[TargetSession], None] = lambda _: None
        self._tab = session
        self.bundle = bundle
        self._sessions = {session.session_id: session}
        self._worlds: dict[str, World] = {}
        self._tasks = TaskSet()
        self._stop_listening: Callable[[], None] = lambda: None

    async def start(self) -> None:
        """Put the bundle into this and every later document of the tab."""
        self._stop_listening = self.transport.subscribe(self._heard)
        for method, params in self._steps():
            await self._tab.send(method, params)

    def stop(self) -> None:
        """Stop listening."""
        self._stop_listening()
        self._tasks.cancel()

    def soon(self, step: Coroutine[Any, Any, None]) -> None:
        """Let *step* run without anybody waiting for it."""
        self._tasks.run(step)

    def sessions(self) -> tuple[TargetSession, ...]:
        """Return the sessions of the tab's frames, its own first."""
        return tuple(self._sessions.values())

    def present(self) -> tuple[World, ...]:
        """Return the worlds of all documents that the tab holds now."""
        return tuple(self._worlds.values())

    def in_frame(self, frame_id: str) -> World | None:
        """Return the world of the document that stands in *frame_id* now."""
        # A frame that goes to another process is there twice for a moment: the later one counts.
        found = [world for world in self._worlds.values() if world.frame_id == frame_id]
        return found[-1] if found else None

    def stands(self, world: World) -> bool:
        """Tell whether the document of *world* is still there."""
        return world.context_id in self._worlds

    def _steps(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        script = {"source": self.bundle, "worldName": WORLD, "runImmediately": True}
        return (
            ("Page.enable", {}),
            ("Runtime.enable", {}),
            ("Runtime.addBinding", {"name": TOLD, "executionContextName": WORLD}),
            ("Page.addScriptToEvaluateOnNewDocument", script),
            # No file chooser opens: it would wait for a person (action_upload).
            ("Page.setInterceptFileChooserDialog", {"enabled": True}),
        )

    # --- what is heard

    def _heard(self, event: CdpEvent) -> None:
        session = self._sessions.get(event.session_id or "")
        if session is None:
            return
        params = event.params
        match event.method:
            case "Runtime.executionContextCreated":
                self._created(session, params["context"])
            case "Runtime.executionContextDestroyed":
                self._forget(lambda world: world.context_id == params["executionContextUniqueId"])
            case "Runtime.executionContextsCleared":
                self._forget(lambda world: world.session is session)
            case "Inspector.targetCrashed":
                self._forget(lambda world: world.session is session)
            case "Target.attachedToTarget" if params["targetInfo"]["type"] == "iframe":
                self._attached(params)
            case "Page.fileChooserOpened":
                self.choosers += 1
            case "Target.detachedFromTarget":
                gone = self._sessions.pop(str(params.get("sessionId", "")), None)
                self._forget(lambda world: world.session is gone)
            case _:
                pass

    def _created(self, session: TargetSession, context: Mapping[str, Any]) -> None:
        if context["name"] != WORLD or len(self._worlds) >= _WORLDS_MAX:
            return
        frame_id = str(context.get("auxData", {}).get("frameId", ""))
        world = World(session, context["uniqueId"], frame_id)
        self._worlds[world.context_id] = world
        if frame_id == self._tab.target_id:
            self.top = world

    def _forget(self, is_gone: Callable[[World], bool]) -> None:
        self._worlds = {key: world for key, world in self._worlds.items() if not is_gone(world)}
        if self.top is not None and is_gone(self.top):
            self.top = None

    def _attached(self, params: Mapping[str, Any]) -> None:
        if len(self._sessions) >= _SESSIONS_MAX:
            return
        target_id = params["targetInfo"]["targetId"]
        frame = TargetSession(self.transport, params["sessionId"], target_id, "iframe")
        self._sessions[frame.session_id] = frame
        # Sent at once: the gate lets the frame run only after an answer of its own.
        for method, arg in self._steps():
            self._tasks.run(_sent(frame, method, arg))
        self.on_session(frame)


async def _sent(session: TargetSession, method: str, params: Mapping[str, Any]) -> None:
    with contextlib.suppress(HostError):
        await session.send(method, params)

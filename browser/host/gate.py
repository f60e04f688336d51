"""The gate: every request of every page, frame, worker and popup is judged before it leaves.

The rule: a target runs only after its requests are paused for us (`waitForDebuggerOnStart`),
and a paused request goes on only after the policy's verdict. A document is judged by where it
goes, everything else by the document that asks for it. Redirects come by again, hop by hop.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from browser.host.errors import CdpTimeoutError, HostError
from browser.host.frames import FrameDocuments
from browser.host.popups import Popup, Popups
from browser.host.target_session import TargetSession
from browser.host.tasks import TaskSet
from browser.host.transport import CdpEvent, Transport
from guards.policy import resource_verdict, url_verdict
from states.policy import Policy
from states.settings import BrowserLimits
from states.verdict import ALLOWED, Verdict

# These never leave the browser, whoever asks for them.
_LOCAL_SCHEMES = ("data:", "blob:", "about:")
_AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
# The requests of these run through the gate of the page that owns them.
_OWNED_KINDS = frozenset({"worker", "worklet"})
_PAGE_STEPS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("Page.enable", {}),
    ("Page.setPrerenderingAllowed", {"isAllowed": False}),
    ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
    ("Network.setBypassServiceWorker", {"bypass": True}),
)
_BLOCKED_KEPT = 200


class BlockedRequest(NamedTuple):
    """One request that the gate stopped."""

    url: str
    resource_type: str
    document_url: str
    verdict: Verdict
    session_id: str
    top_frame: bool


class Gate:
    """The gate of one browser; `start` it before any page is loaded."""

    def __init__(
        self,
        transport: Transport,
        policy: Policy,
        on_block: Callable[[BlockedRequest], None],
        limits: BrowserLimits | None = None,
    ) -> None:
        self.transport = transport
        self.policy = policy
        bounds = limits or BrowserLimits()
        self.popups = Popups(bounds.popups_max)
        self._ready_s = bounds.cdp_seconds
        self.blocked_count = 0
        self._blocked: deque[BlockedRequest] = deque(maxlen=_BLOCKED_KEPT)
        self._on_block = on_block
        self._frames = FrameDocuments()
        self._sessions: dict[str, TargetSession] = {}
        self._script_urls: dict[str, str] = {}
        self._own_targets: set[str] = set()
        self._ready: dict[str, asyncio.Future[TargetSession]] = {}
        self._opening = asyncio.Lock()
        self._tasks = TaskSet()
        self._stop_listening: Callable[[], None] = lambda: None

    async def start(self) -> TargetSession:
        """Close the gate around the whole browser; return the start page's session."""
        self._stop_listening = self.transport.subscribe(self._heard)
        targets = await self.transport.send("Target.getTargets")
        pages = [info for info in targets["targetInfos"] if info["type"] == "page"]
        self._own_targets.update(info["targetId"] for info in pages)
        await self.transport.send("Target.setAutoAttach", _AUTO_ATTACH)
        if not pages:
            return await self.open_tab()
        return await self._when_ready(pages[0]["targetId"])

    async def open_tab(self) -> TargetSession:
        """Open a blank tab of our own, gated like all others."""
        async with self._opening:
            made = await self.transport.send("Target.createTarget", {"url": "about:blank"})
            self._own_targets.add(made["targetId"])
        return await self._when_ready(made["targetId"])

    async def close_tab(self, session: TargetSession) -> None:
        """Close *session*'s tab."""
        await self._tell(None, "Target.closeTarget", {"targetId": session.target_id})

    def blocked_since(self, count: int) -> tuple[BlockedRequest, ...]:
        """Return the last requests blocked after the first *count* ones, oldest first."""
        new = self.blocked_count - count
        return tuple(self._blocked)[-new:] if new > 0 else ()

    async def stop(self) -> None:
        """Stop listening; what is paused then stays paused: closed, not open."""
        self._stop_listening()
        await self._tasks.stop()

    # --- what is heard

    def _heard(self, event: CdpEvent) -> None:
        params = event.params
        match event.method:
            case "Fetch.requestPaused":
                self._judge(event.session_id or "", params)
            case "Target.attachedToTarget":
                self._attached(params)
            case "Target.detachedFromTarget":
                self._detached(str(params.get("sessionId", "")))
            case "Page.frameNavigated":
                self._frames.committed(params["frame"])
            case "Page.frameAttached":
                self._frames.attached(params["frameId"], params["parentFrameId"])
            case "Page.frameDetached" if params.get("reason") != "swap":
                self._frames.gone(params["frameId"])
            case "Page.javascriptDialogOpening":
                self._dialog_opened(event.session_id)
            case _:
                pass

    def _attached(self, params: Mapping[str, Any]) -> None:
        info = params["targetInfo"]
        session = TargetSession(
            self.transport, params["sessionId"], info["targetId"], info.get("type", "")
        )
        self._sessions[session.session_id] = session
        self._script_urls[session.session_id] = str(info.get("url", ""))
        if session.kind == "page":
            self._frames.attached(session.target_id, str(info.get("openerFrameId", "")))
        self._tasks.run(self._admit(session, str(info.get("url", ""))))

    def _detached(self, session_id: str) -> None:
        session = self._sessions.pop(session_id, None)
        self._script_urls.pop(session_id, None)
        self.popups.closed(session_id)
        if session is not None and session.kind == "page":
            self._own_targets.discard(session.target_id)
            self._ready.pop(session.target_id, None)
            self._frames.gone(session.target_id)

    def _dialog_opened(self, session_id: str | None) -> None:
        popup = self.popups.of_session(session_id)
        if popup is not None:
            # Nobody sees a popup's dialog, and it would stop the opener too: close the popup
            # rather than answer for a person.
            popup.decide(popup.url, blocked=True)
            self._tasks.run(self.close_tab(popup.session))

    # --- targets

    async def _admit(self, session: TargetSession, url: str) -> None:
        """Put *session* behind the gate, then let it run."""
        popup = await self._popup(session, url)
        if popup is not None and popup.blocked:
            await self.close_tab(session)
            return
        try:
            await session.send("Fetch.enable")
        except HostError:
            if session.kind not in _OWNED_KINDS:
                # Nothing pauses its requests: it must not run.
                await self.close_tab(session)
                return
        steps: list[tuple[str, Mapping[str, Any]]] = [("Target.setAutoAttach", _AUTO_ATTACH)]
        if session.kind in {"page", "iframe"}:
            steps += _PAGE_STEPS
        # The renderer of a new tab answers only once it runs, so all go out before the first
        # answer; the browser takes them in this order.
        steps.append(("Runtime.runIfWaitingForDebugger", {}))
        await asyncio.gather(*(self._tell(session, method, params) for method, params in steps))
        if session.kind in {"page", "iframe"}:
            with contextlib.suppress(HostError):
                tree = await session.send("Page.getFrameTree")
                self._note_tree(tree["frameTree"])
        if popup is None and session.kind == "page":
            ready = self._future(session.target_id)
            if not ready.done():
                ready.set_result(session)

    async def _popup(self, session: TargetSession, url: str) -> Popup | None:
        if session.kind != "page":
            return None
        # While a tab of our own is being made, its attachment may be heard before its id.
        async with self._opening:
            if session.target_id in self._own_targets:
                return None
        return self.popups.opened(session, url)

    def _note_tree(self, tree: Mapping[str, Any]) -> None:
        self._frames.committed(tree["frame"])
        for child in tree.get("childFrames", ()):
            self._note_tree(child)

    def _future(self, target_id: str) -> "asyncio.Future[TargetSession]":
        if target_id not in self._ready:
            self._ready[target_id] = asyncio.get_running_loop().create_future()
        return self._ready[target_id]

    async def _when_ready(self, target_id: str) -> TargetSession:
        try:
            async with asyncio.timeout(self._ready_s):
                return await asyncio.shield(self._future(target_id))
        except TimeoutError as error:
            raise CdpTimeoutError("Target.setAutoAttach", self._ready_s) from error

    # --- requests

    def _judge(self, session_id: str, paused: Mapping[str, Any]) -> None:
        url = str(paused["request"]["url"]) + str(paused["request"].get("urlFragment", ""))
        kind = str(paused.get("resourceType", "Other"))
        frame_id = str(paused.get("frameId", ""))
        documents = self._frames.documents_of(frame_id)
        if not documents:
            documents = (self._script_urls.get(session_id, ""),)
        verdict = self._verdict(kind, url, documents)
        session = self._sessions.get(session_id)
        request = {"requestId": paused["requestId"]}
        popup = self.popups.of_session(session_id)
        top_frame = kind == "Document" and self._is_top(session, frame_id)
        if popup is not None and top_frame:
            popup.decide(url, blocked=not verdict)
        if verdict:
            if kind == "Document":
                self._frames.coming(frame_id, url)
            self._tasks.run(self._tell(session, "Fetch.continueRequest", request))
            return
        # Aborted leaves the old document where it is; BlockedByClient would put an error page.
        reason = "Aborted" if kind == "Document" else "BlockedByClient"
        self._tasks.run(
            self._tell(session, "Fetch.failRequest", {**request, "errorReason": reason})
        )
        if popup is not None and top_frame:
            self._tasks.run(self.close_tab(popup.session))
        blocked = BlockedRequest(url, kind, documents[0], verdict, session_id, top_frame)
        self.blocked_count += 1
        self._blocked.append(blocked)
        self._on_block(blocked)

    def _is_top(self, session: TargetSession | None, frame_id: str) -> bool:
        # The main frame of a tab carries the tab's own id.
        return session is not None and session.kind == "page" and frame_id == session.target_id

    def _verdict(self, kind: str, url: str, documents: tuple[str, ...]) -> Verdict:
        if kind == "Document":
            return url_verdict(self.policy, url)
        if url.startswith(_LOCAL_SCHEMES):
            return ALLOWED
        verdicts = [resource_verdict(self.policy, document, url) for document in documents]
        return next((verdict for verdict in verdicts if verdict), verdicts[0])

    # --- sending without waiting

    async def _tell(
        self, session: TargetSession | None, method: str, params: Mapping[str, Any]
    ) -> None:
        # The target may be gone by now, or the browser: then there is nothing left to stop.
        with contextlib.suppress(HostError):
            if session is None:
                await self.transport.send(method, params)
            else:
                await session.send(method, params)

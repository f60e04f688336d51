"""The gate: every request of every page, frame, worker and popup is judged before it leaves.

The rule: the browser itself pauses its requests for us, whoever makes them, and a paused
request goes on only after the policy's verdict; what the browser does not pause (WebSocket,
WebRTC, WebTransport, FedCM, payments) is switched off (`launch_flags`, `_NO_WAY_ROUND`). A
document is judged by where it goes, everything else by the document that asks for it. Redirects
come by again, hop by hop.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from browser.host.errors import CdpTimeoutError, HostError
from browser.host.form_posts import FormPosts
from browser.host.frames import FrameDocuments
from browser.host.judge import Judge, PausedRequest
from browser.host.popups import Popups
from browser.host.target_session import TargetSession
from browser.host.tasks import TaskSet
from browser.host.transport import CdpEvent, Transport
from states.policy import Policy
from states.settings import BrowserLimits
from states.verdict import Verdict, refused

_AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
# Fixed rather than deleted: a worker gets its constructors only after this has run.
_NO_WAY_ROUND = (
    "for (const name of ['WebTransport', 'RTCPeerConnection', 'webkitRTCPeerConnection',"
    " 'PaymentRequest'])"  # the browser itself asks for a payment method's address
    " Object.defineProperty(globalThis, name, {value: undefined});"
)
_Step = tuple[str, Mapping[str, Any]]
_ATTACH: _Step = ("Target.setAutoAttach", _AUTO_ATTACH)
_NETWORK: _Step = ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})
_RUN: _Step = ("Runtime.runIfWaitingForDebugger", {})
_PAGE_STEPS: tuple[_Step, ...] = (
    ("Page.enable", {}),
    (
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": _NO_WAY_ROUND, "runImmediately": True},
    ),
    ("Page.setPrerenderingAllowed", {"isAllowed": False}),
    _NETWORK,
    ("Network.setBypassServiceWorker", {"bypass": True}),
)
_WORKER_STEPS: tuple[_Step, ...] = (
    _NETWORK,
    ("Runtime.evaluate", {"expression": _NO_WAY_ROUND}),
)
_PAGE_KINDS = frozenset({"page", "iframe"})
_WORKER_KINDS = frozenset({"worker", "shared_worker", "service_worker"})
_STEPS: Mapping[str, tuple[_Step, ...]] = MappingProxyType(
    dict.fromkeys(_PAGE_KINDS, _PAGE_STEPS) | dict.fromkeys(_WORKER_KINDS, _WORKER_STEPS)
)
# A form that was sent is not sent again by going back to its answer.
SENT_BEFORE = "history_post"
_BLOCKED_KEPT = 200
_URL_CHARS_MAX = 200
_HELD_MAX = 1_000
# What the browser calls hidden would open tabs that are not told, and hang.
_OUT_OF_SIGHT = {"newWindow": True, "windowState": "minimized", "background": True}
_HELD_S = 5.0


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
        *,
        person_present: bool = False,
    ) -> None:
        bounds = limits or BrowserLimits()
        self.transport = transport
        self.policy = policy
        self.popups = Popups(bounds.popups_max)
        self.posts = FormPosts(person_present=person_present, late_s=bounds.wait_ms / 1000)
        self.blocked_count = 0
        self._blocked: deque[BlockedRequest] = deque(maxlen=_BLOCKED_KEPT)
        self._on_block = on_block
        self._ready_s = bounds.cdp_seconds
        self._frames = FrameDocuments()
        self._judge = Judge(policy, self._frames, self.posts)
        self._held: dict[str, PausedRequest] = {}
        self._sessions: dict[str, TargetSession] = {}
        self._own_targets: set[str] = set()
        self._hidden: dict[str, Callable[[str], None]] = {}
        self._hidden_sessions: dict[str, str] = {}
        self._posts_shut = 0
        self._ready: dict[str, asyncio.Future[TargetSession]] = {}
        self._opening = asyncio.Lock()
        self._tasks = TaskSet()
        self._stop_listening: Callable[[], None] = lambda: None

    async def start(self) -> TargetSession:
        """Close the gate around the whole browser; return the start page's session."""
        self._stop_listening = self.transport.subscribe(self._heard)
        # The browser's own pause meets what no session of a target does: a closing tab's last
        # words, a shared worker's first.
        await self.transport.send("Fetch.enable")
        targets = await self.transport.send("Target.getTargets")
        pages = [info for info in targets["targetInfos"] if info["type"] == "page"]
        self._own_targets.update(info["targetId"] for info in pages)
        await self.transport.send(*_ATTACH)
        if not pages:
            return await self.open_tab()
        return await self._when_ready(pages[0]["targetId"])

    async def open_tab(self, context_id: str = "") -> TargetSession:
        """Open a blank tab of our own, gated like all others; out of sight in its own context."""
        place = {"browserContextId": context_id, **_OUT_OF_SIGHT} if context_id else {}
        async with self._opening:
            made = await self.transport.send("Target.createTarget", {"url": "about:blank", **place})
            self._own_targets.add(made["targetId"])
        return await self._when_ready(made["targetId"])

    def hide(self, context_id: str, on_fault: Callable[[str], None]) -> None:
        """Let nobody be asked in the context *context_id*: a page in it sends no form.

        *on_fault* is called with what nobody could answer for: a `popup` or a `dialog`.
        """
        self._hidden[context_id] = on_fault

    def unhide(self, context_id: str) -> None:
        """Forget the context *context_id*."""
        self._hidden.pop(context_id, None)

    @contextlib.contextmanager
    def without_posts(self) -> Iterator[None]:
        """Let no tab send a form meanwhile, whoever approved it."""
        self._posts_shut += 1
        try:
            yield
        finally:
            self._posts_shut -= 1

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
                self._meet(PausedRequest.of(params))
            case "Network.requestWillBeSent":
                # What a worker asks for has no loader: the worker itself stands for it.
                loader_id = params.get("loaderId") or self._worker_of(event.session_id)
                self._frames.asked(params["requestId"], loader_id)
                self._look_again()
            case "Network.loadingFailed":
                self._frames.failed(params["requestId"])
            case "Target.attachedToTarget":
                self._attached(params)
            case "Target.detachedFromTarget":
                self._detached(str(params.get("sessionId", "")))
            case "Page.javascriptDialogOpening":
                self._dialog_opened(event.session_id)
            case method if method.startswith("Page.frame"):
                self._heard_frame(method, params)
            case _:
                pass

    def _heard_frame(self, method: str, params: Mapping[str, Any]) -> None:
        popup = self.popups.of_target(str(params.get("frameId", "")))
        match method:
            case "Page.frameNavigated":
                self._frames.committed(params["frame"])
                popup = self.popups.of_target(params["frame"]["id"])
                if popup is not None:
                    popup.navigated(str(params["frame"].get("url", "")))
            case "Page.frameStartedNavigating" | "Page.frameStoppedLoading" if popup is not None:
                popup.loads(loading=method == "Page.frameStartedNavigating")
            case "Page.frameAttached":
                self._frames.attached(params["frameId"], params["parentFrameId"])
            case "Page.frameDetached" if params.get("reason") != "swap":
                self._frames.gone(params["frameId"])
            case _:
                return
        self._look_again()

    def _attached(self, params: Mapping[str, Any]) -> None:
        info = params["targetInfo"]
        kind, context_id = str(info.get("type", "")), str(info.get("browserContextId", ""))
        if context_id in self._hidden:
            self._hidden_sessions[params["sessionId"]] = context_id
        session = TargetSession(self.transport, params["sessionId"], info["targetId"], kind)
        self._sessions[session.session_id] = session
        if session.kind == "page":
            self._frames.opened(session.target_id, str(info.get("openerFrameId", "")))
        elif session.kind in _WORKER_KINDS:
            self._frames.works(session.target_id, str(info.get("url", "")))
        self._tasks.run(self._admit(session, info))

    def _detached(self, session_id: str) -> None:
        session = self._sessions.pop(session_id, None)
        self._hidden_sessions.pop(session_id, None)
        self.popups.closed(session_id)
        if session is None:
            return
        if session.kind == "page":
            self._own_targets.discard(session.target_id)
            self._ready.pop(session.target_id, None)
        if session.kind == "page" or session.kind in _WORKER_KINDS:
            self._frames.gone(session.target_id)

    def _dialog_opened(self, session_id: str | None) -> None:
        if self._fault(session_id, "dialog"):
            return
        popup = self.popups.of_session(session_id)
        if popup is not None:
            # Nobody sees a popup's dialog, and it would stop the opener too: close the popup
            # rather than answer for a person.
            popup.decide(popup.url, blocked=True, why=refused("popup_dialog"))
            self._tasks.run(self.close_tab(popup.session))

    def _fault(self, session_id: str | None, what: str) -> bool:
        """Tell who keeps the hidden page of that session, if it is one, what it did."""
        on_fault = self._hidden.get(self._hidden_sessions.get(session_id or "", ""))
        if on_fault is not None:
            on_fault(what)
        return on_fault is not None

    def _worker_of(self, session_id: str | None) -> str:
        session = self._sessions.get(session_id or "")
        return session.target_id if session is not None and session.kind in _WORKER_KINDS else ""

    # --- targets

    async def _admit(self, session: TargetSession, info: Mapping[str, Any]) -> None:
        """Make *session* tell what the gate must know, then let it run."""
        own = await self._is_own(session)
        if not own and self._fault(session.session_id, "popup"):
            await self.close_tab(session)
            return
        url, opener_id = str(info.get("url", "")), str(info.get("openerId", ""))
        popup = None if own else self.popups.opened(session, url, opener_id)
        if popup is not None and popup.blocked:
            await self.close_tab(session)
            return
        steps = [_ATTACH, *_STEPS.get(session.kind, ())]
        if session.kind in {"worker", "shared_worker"}:
            # Another thread lets a worker run, past what waits for its own.
            await self._tell_all(session, steps)
            steps = []
        # The renderer of a new tab (or service worker) answers only once it runs, so all go out
        # before the first answer; the browser takes them in this order.
        await self._tell_all(session, [*steps, _RUN])
        if session.kind in _PAGE_KINDS:
            with contextlib.suppress(HostError):
                tree = await session.send("Page.getFrameTree")
                self._note_tree(tree["frameTree"])
        if popup is None and session.kind == "page":
            ready = self._future(session.target_id)
            if not ready.done():
                ready.set_result(session)

    async def _is_own(self, session: TargetSession) -> bool:
        """Tell whether no page opened *session* as a tab."""
        if session.kind != "page":
            return True
        # While a tab of our own is being made, its attachment may be heard before its id.
        async with self._opening:
            return session.target_id in self._own_targets

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

    def _meet(self, request: PausedRequest, *, last: bool = False) -> None:
        """Decide about *request* now, or hold it until it is known who asks."""
        request = self._judge.asked_by(request)
        page = self._page_of(request.frame_id) if request.kind == "Document" else None
        if request.kind == "Document":
            verdict: Verdict | None = self._document(request, page)
        else:
            verdict = self._judge.resource(request, last=last or len(self._held) >= _HELD_MAX)
        if verdict is None:
            if request.request_id not in self._held:
                self._tasks.run(self._overdue(request.request_id))
            self._held[request.request_id] = request
            return
        self._held.pop(request.request_id, None)
        self._decided(request, page, verdict)

    def _document(self, request: PausedRequest, page: TargetSession | None) -> Verdict:
        if page is not None and request.method == "POST":
            hidden = page.session_id in self._hidden_sessions
            if hidden or self._posts_shut:
                reason = "zombie_form" if hidden else SENT_BEFORE
                return refused(reason, url=request.url[:_URL_CHARS_MAX])
        return self._judge.document(request, top_frame=page is not None)

    def _look_again(self) -> None:
        for request in tuple(self._held.values()):
            self._meet(request)

    async def _overdue(self, request_id: str) -> None:
        await asyncio.sleep(_HELD_S)
        request = self._held.get(request_id)
        if request is not None:
            self._meet(request, last=True)

    def _decided(
        self, request: PausedRequest, page: TargetSession | None, verdict: Verdict
    ) -> None:
        popup = self.popups.of_session(page.session_id) if page is not None else None
        if popup is not None:
            popup.decide(request.url, blocked=not verdict, why=verdict)
        answer = {"requestId": request.request_id}
        if verdict:
            if request.kind == "Document":
                self._frames.coming(request.frame_id, request.url, request.network_id)
            self._tasks.run(self._tell(None, "Fetch.continueRequest", answer))
            return
        # Aborted leaves the old document where it is; BlockedByClient would put an error page.
        answer["errorReason"] = "Aborted" if request.kind == "Document" else "BlockedByClient"
        self._tasks.run(self._tell(None, "Fetch.failRequest", answer))
        if popup is not None:
            self._tasks.run(self.close_tab(popup.session))
        blocked = BlockedRequest(
            request.url,
            request.kind,
            request.askers[0] if request.askers else "",
            verdict,
            page.session_id if page is not None else "",
            page is not None,
        )
        self.blocked_count += 1
        self._blocked.append(blocked)
        self._on_block(blocked)

    def _page_of(self, frame_id: str) -> TargetSession | None:
        """Return the tab whose main frame *frame_id* is: it carries the tab's own id."""
        for session in self._sessions.values():
            if session.kind == "page" and session.target_id == frame_id:
                return session
        return None

    # --- sending without waiting

    async def _tell_all(self, session: TargetSession, steps: list[_Step]) -> None:
        await asyncio.gather(*(self._tell(session, *step) for step in steps))

    async def _tell(
        self, session: TargetSession | None, method: str, params: Mapping[str, Any]
    ) -> None:
        # The target may be gone by now, or the browser: then there is nothing left to stop.
        with contextlib.suppress(HostError):
            if session is None:
                await self.transport.send(method, params)
            else:
                await session.send(method, params)

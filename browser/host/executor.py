"""The executor: one command at a time, from its first check to the page it leaves behind.

The rule: a command is checked, resolved and approved before it acts (`turn`), ends with the
native dialog it opens, is never sent twice when it may have had an effect, and always answers
with the page as it is then.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from browser.host.action_drag import click_or_drag
from browser.host.action_select import select
from browser.host.action_storage import storage_get, storage_set
from browser.host.action_type import type_text
from browser.host.action_upload import chooser_refused
from browser.host.actions_navigate import Navigation
from browser.host.actions_read import (
    get_aom_snapshot,
    get_html,
    get_text,
    page_screenshot,
    scroll_to,
    wait_for_selector,
)
from browser.host.aftermath import Aftermath, Surroundings, seen_page, settle
from browser.host.dialogs import DialogTurn
from browser.host.downloads import Download, Downloads
from browser.host.errors import (
    BrowserLostError,
    CdpTimeoutError,
    CommandError,
    ContextGoneError,
    HostError,
    PageCrashedError,
    wire_error,
)
from browser.host.form_posts import PostingCommand
from browser.host.gate import Gate
from browser.host.outcome import Approve, Dialog, Outcome, ResolvedCall
from browser.host.perceive import Perceived
from browser.host.picture import picture_bytes, picture_of_target
from browser.host.tab import DialogOpenedError, Tab
from browser.host.tabs import TabClosedError, Tabs
from browser.host.turn import ConfirmationNeededError, Request, Turn
from browser.host.uploads import Uploads
from browser.host.zombies import Zombies
from states.actions import PARAMS
from states.catalogue import Lang
from states.page import AomNode, PageState
from states.policy import READ_ACTIONS
from states.wire import WireError

Action = Callable[[Turn], Awaitable[dict[str, Any]]]

PERFORM: Mapping[str, Action] = MappingProxyType(
    {
        "click": click_or_drag,
        "type": type_text,
        "select": select,
        "waitForSelector": wait_for_selector,
        "getText": get_text,
        "getHtml": get_html,
        "scrollTo": scroll_to,
        "getAomSnapshot": get_aom_snapshot,
        "pageScreenshot": page_screenshot,
        "storageGet": storage_get,
        "storageSet": storage_set,
    }
)
_SETTLES = frozenset({"navigate", "click", "type", "select"})
_NEEDS_NO_PAGE = frozenset({"navigate", "zombieSpawn", "zombieKill"})
# A page that was just stopped has this long to show itself.
_LOOK_S = 5.0
_PICTURE_S = 5.0
_URL_CHARS_MAX = 500


class Executor:
    """Does the agent's commands in *tab*, behind *gate*.

    *downloads* takes what pages offer, None refuses it; *uploads* is what pages may be given.
    """

    def __init__(
        self,
        gate: Gate,
        tab: Tab,
        downloads: Downloads | None = None,
        lang: Lang = "en",
        uploads: Uploads | None = None,
    ) -> None:
        limits, bundle = tab.limits, tab.worlds.bundle
        self.tabs = Tabs(gate, tab)
        self.zombies = Zombies(gate, bundle, limits, lang)
        self._gate = gate
        self._limits = limits
        self._downloads = downloads or Downloads(gate.transport, gate.policy, None, limits)
        self._around = Surroundings(gate, self.tabs, self._downloads, self.zombies, lang)
        self._lang = lang
        self._uploads = uploads
        self._one_at_a_time = asyncio.Lock()
        self._pages: dict[str, PageState] = {}
        self._perform: Mapping[str, Action] = {
            **PERFORM,
            "navigate": Navigation(gate).navigate,
            "zombieSpawn": self.zombies.spawn,
            "zombieKill": self._kill,
        }

    async def start(self) -> None:
        """Make the tab ready for commands."""
        await self.tabs.start()
        self.zombies.start()
        await self._downloads.start()

    async def close(self) -> None:
        """End every hidden page, and stop."""
        await self.zombies.close()
        self.stop()

    def stop(self) -> None:
        """Stop listening to the tabs; hidden pages stay until `close`, or the browser's end."""
        self.tabs.stop()
        self.zombies.stop()
        self._downloads.stop()
        if self._uploads is not None:
            self._uploads.close()

    @property
    def tab(self) -> Tab:
        """The tab the task works in now."""
        return self.tabs.current

    @property
    def dialog(self) -> Dialog | None:
        """The native dialog that is open now."""
        return self.tab.dialog

    @property
    def downloads(self) -> tuple[Download, ...]:
        """The finished downloads, oldest first."""
        return self._downloads.finished

    async def execute(
        self, action: str, params: Mapping[str, Any], expected_domain: str, approve: Approve
    ) -> Outcome:
        """Do one command; every failure is an outcome with an error, never an exception.

        *approve* is asked with the resolved call before anything acts.
        """
        async with self._one_at_a_time:
            with self._gate.posts.command(approve, self._lang) as command:
                try:
                    request = self._request(action, params, expected_domain, command.decide)
                except TabClosedError as closed:
                    told = await Aftermath(self._around).data({}, acted=False)
                    return await self._answer(told, closed)
                except HostError as error:
                    return await self._answer({}, error)
                return await self._run(request, command)

    async def answer_dialog(
        self, accept: bool, text: str, expected_domain: str, approve: Approve
    ) -> Outcome:
        """Answer the open dialog, once a person agreed to exactly that answer."""
        async with self._one_at_a_time:
            with self._gate.posts.command(approve, self._lang) as command:
                return await self._answered(accept, text, expected_domain, command)

    async def page_state(self) -> PageState:
        """Return which document the tab shows."""
        async with self._one_at_a_time:
            return (await self._answer({}, None)).page

    async def last_picture(self) -> bytes | None:
        """Return a picture of the page as PNG, or None when none can be had in time."""
        if self.tab.dialog is not None or self.tab.crashed:
            return None
        return await picture_bytes(self.tab, _PICTURE_S)

    async def picture_of_target(self, call: ResolvedCall) -> bytes | None:
        """Return a PNG of the element of *call* in its surroundings, None when none can be had."""
        async with self._one_at_a_time:
            return await picture_of_target(self.tab, call)

    # --- one command

    def _request(
        self, action: str, params: Mapping[str, Any], expected_domain: str, approve: Approve
    ) -> Request:
        if action not in PARAMS:
            raise CommandError("action_unknown", action=action[:60])
        try:
            checked = PARAMS[action].model_validate(dict(params))
        except ValidationError as error:
            raise CommandError("action_params", action=action, why=_problem(error)) from error
        if self.tab.session.transport.lost.is_set():
            raise BrowserLostError("it ended")
        if self.tab.dialog is not None:
            raise DialogOpenedError(self.tab.dialog)
        closed = self.tabs.front_closed
        if closed is not None and action not in _NEEDS_NO_PAGE:
            raise closed  # the command was meant for a page that is no more
        if self.tab.crashed and action not in _NEEDS_NO_PAGE:
            raise PageCrashedError(self.tab.url[:_URL_CHARS_MAX])
        return Request(action, checked, expected_domain, approve)

    async def _answered(
        self, accept: bool, text: str, expected_domain: str, command: PostingCommand
    ) -> Outcome:
        mark = Aftermath(self._around)
        turn = DialogTurn(self.tab, self._gate.policy, self._lang)
        data: dict[str, Any] = {}
        try:
            data = await turn.answer(accept, text, expected_domain, command.decide)
            await self.tabs.before_dialog(settle(self.tab, self._limits.wait_ms / 1000))
        except TabClosedError:
            pass  # the answer let it go
        except ConfirmationNeededError as asked:
            return await self._unconfirmed(command.call or asked.call)
        except DialogOpenedError as opened:
            return await self._answer({**data, **opened.data()}, None)
        except HostError as error:
            return await self._answer(data, error)
        blocked = mark.blocked_error(self._lang)
        return await self._answer(await mark.data(data, acted=True), blocked)

    async def _run(self, request: Request, command: PostingCommand) -> Outcome:
        mark = Aftermath(self._around)
        turn = Turn(self.tab, self._gate.policy, request, self._lang)
        turn.uploads = self._uploads
        try:
            data = await self.tabs.before_dialog(self._in_time(turn))
        except ConfirmationNeededError as asked:
            return await self._unconfirmed(command.call or asked.call)
        except DialogOpenedError as opened:
            # What opened it has acted, or it opened by itself and nothing was done.
            mark.ended(acted=turn.acted)
            failed = mark.blocked_error(self._lang) if turn.acted else opened
            return await self._answer(opened.data(), failed)
        except TabClosedError as closed:
            data = await mark.data({}, acted=turn.acted)
            return await self._answer(data, None if turn.acted else closed)
        except HostError as error:
            told = error.data() if isinstance(error, CommandError) else {}
            explained = self._named(mark.explained(error, self._lang), request.action)
            return await self._answer(await mark.data(told, acted=turn.acted), explained)
        blocked = mark.blocked_error(self._lang) if turn.acted else None
        told = await mark.data(data, acted=turn.acted)
        if turn.seen is not None and blocked is None and self.dialog is None:
            return self._as_seen(told, turn.seen)
        return await self._answer(told, blocked)

    async def _in_time(self, turn: Turn) -> dict[str, Any]:
        """Perform the command within its deadline, whatever the page does."""
        action, limits = turn.request.action, self._limits
        waits_ms = limits.zombie_load_ms if action == "zombieSpawn" else limits.wait_ms
        seconds = getattr(turn.params, "timeout_ms", waits_ms) / 1000 + limits.cdp_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._performed(turn)
        except TimeoutError as error:
            late = CdpTimeoutError(action, seconds)
            if not turn.acted or action in READ_ACTIONS:
                raise late from error
            raise CommandError("unknown_outcome", action=action, why=late) from late

    async def _performed(self, turn: Turn) -> dict[str, Any]:
        action, choosers = turn.request.action, turn.tab.worlds.choosers
        try:
            data = await self._perform[action](turn)
        except ContextGoneError:
            # A read is done again in the new document, once; what may have acted never is.
            if action not in READ_ACTIONS:
                raise
            await self.tab.until_loaded(self._limits.wait_ms / 1000)
            data = await self._perform[action](turn)
        if action in _SETTLES:
            timeout_ms = getattr(turn.params, "timeout_ms", self._limits.wait_ms)
            only_text = action == "type" and not turn.params.keys
            await settle(self.tab, timeout_ms / 1000, brief=only_text)
        if turn.tab.worlds.choosers > choosers:
            raise await chooser_refused(turn)
        return data

    async def _kill(self, turn: Turn) -> dict[str, Any]:
        """Close a hidden page, or a tab that a command opened."""
        wanted = turn.params.zombie_id
        if wanted in self.zombies.ids:
            return await self.zombies.kill(turn)
        if wanted not in self.tabs.adopted:
            known = ", ".join((*self.zombies.ids, *self.tabs.adopted)) or "-"
            raise CommandError("zombie_unknown", zombie_id=wanted, open=known)
        turn.approve_navigation(self.tabs.origin(wanted))
        turn.acted = True
        await self.tabs.close(wanted)
        return {}

    # --- the answer

    async def _unconfirmed(self, call: ResolvedCall) -> Outcome:
        outcome = await self._answer({}, None)
        return outcome._replace(success=False, confirmation=call)

    def _as_seen(self, data: dict[str, Any], seen: Perceived) -> Outcome:
        """Return the answer of a command that itself looked at the whole page."""
        self._pages = {self.tab.session.target_id: seen.page}
        return Outcome(success=True, data=data, error=None, page=seen.page, snapshot=seen.nodes)

    async def _answer(self, data: dict[str, Any], error: HostError | None) -> Outcome:
        wire: WireError | None = None
        if error is not None:
            wire = wire_error(error, self._lang)
        tab, seconds = self.tab, None
        if error is not None and _frozen(error):
            await tab.stop_script()
            seconds = _LOOK_S
        before = self._pages.get(tab.session.target_id, PageState(url=tab.url[:_URL_CHARS_MAX]))
        page, nodes = PageState(url=before.url), tuple[AomNode, ...]()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                page, nodes = await seen_page(tab, self._gate.policy, before)
        self._pages = {tab.session.target_id: page}
        return Outcome(error is None, data, wire, page, nodes)

    def _named(self, error: HostError, action: str) -> HostError:
        """Return *error*, with the page that froze or crashed named in it."""
        url = self.tab.url[:_URL_CHARS_MAX]
        if isinstance(error, PageCrashedError):
            return PageCrashedError(url)
        late = _frozen(error)
        if late is None:
            return error
        frozen = CommandError("page_frozen", url=url, action=action, seconds=late.facts["seconds"])
        if error is late:
            named = frozen
        else:
            named = CommandError("unknown_outcome", action=action, why=frozen)
        named.__cause__ = late
        return named


def _frozen(error: HostError) -> CdpTimeoutError | None:
    """Return the time-out of a page that left a command unanswered, None for another error."""
    late = error if isinstance(error, CdpTimeoutError) else error.__cause__
    is_known = error is late or error.code in {"unknown_outcome", "page_frozen"}
    if not is_known or not isinstance(late, CdpTimeoutError):
        return None
    # What the browser itself does not answer is no page's fault.
    return None if late.method.startswith(("Browser.", "Target.")) else late


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]

"""The executor: one command at a time, from its first check to the page it leaves behind.

The rule: a command is checked, resolved and approved before it acts (`turn`), ends with the
native dialog it opens, is never sent twice when it may have had an effect, and always answers
with the page as it is then.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from browser.host.actions_navigate import navigate
from browser.host.actions_read import (
    get_aom_snapshot,
    get_html,
    get_text,
    page_screenshot,
    scroll_to,
    wait_for_selector,
)
from browser.host.actions_write import click, select, type_text
from browser.host.aftermath import Aftermath, seen_page, settle
from browser.host.dialogs import DialogTurn
from browser.host.downloads import Download, Downloads, deny_downloads
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
from browser.host.picture import picture_bytes
from browser.host.tab import DialogOpenedError, Tab
from browser.host.turn import ConfirmationNeededError, Request, Turn
from states.actions import PARAMS
from states.catalogue import Lang
from states.page import PageState
from states.policy import READ_ACTIONS
from states.wire import WireError

Action = Callable[[Turn], Awaitable[dict[str, Any]]]

PERFORM: Mapping[str, Action] = MappingProxyType(
    {
        "navigate": navigate,
        "click": click,
        "type": type_text,
        "select": select,
        "waitForSelector": wait_for_selector,
        "getText": get_text,
        "getHtml": get_html,
        "scrollTo": scroll_to,
        "getAomSnapshot": get_aom_snapshot,
        "pageScreenshot": page_screenshot,
    }
)
_SETTLES = frozenset({"navigate", "click", "type", "select"})
_PICTURE_S = 5.0


class Executor:
    """Does the agent's commands in *tab*, behind *gate*.

    *downloads* takes what pages offer, None refuses it.
    """

    def __init__(
        self, gate: Gate, tab: Tab, downloads: Downloads | None = None, lang: Lang = "en"
    ) -> None:
        self.tab = tab
        self._gate = gate
        self._limits = tab.limits
        self._downloads = downloads
        self._lang = lang
        self._one_at_a_time = asyncio.Lock()
        self._page = PageState()

    async def start(self) -> None:
        """Make the tab ready for commands."""
        await self.tab.start()
        if self._downloads is not None:
            await self._downloads.start()
        else:
            await deny_downloads(self.tab.session.transport)

    def stop(self) -> None:
        """Stop listening to the tab."""
        self.tab.stop()
        if self._downloads is not None:
            self._downloads.stop()

    @property
    def dialog(self) -> Dialog | None:
        """The native dialog that is open now."""
        return self.tab.dialog

    @property
    def downloads(self) -> tuple[Download, ...]:
        """The finished downloads, oldest first."""
        return self._downloads.finished if self._downloads is not None else ()

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
        later = action not in PERFORM or bool(getattr(checked, "som_overlay", False))
        if later:
            raise CommandError("not_in_this_version", action=action)
        if self.tab.session.transport.lost.is_set():
            raise BrowserLostError("it ended")
        if self.tab.dialog is not None:
            raise DialogOpenedError(self.tab.dialog)
        if self.tab.crashed and action != "navigate":
            raise PageCrashedError
        return Request(action, checked, expected_domain, approve)

    async def _answered(
        self, accept: bool, text: str, expected_domain: str, command: PostingCommand
    ) -> Outcome:
        mark = Aftermath(self._gate, self.tab)
        turn = DialogTurn(self.tab, self._gate.policy, self._lang)
        data: dict[str, Any] = {}
        try:
            data = await turn.answer(accept, text, expected_domain, command.decide)
            await self.tab.before_dialog(settle(self.tab, self._limits.wait_ms / 1000))
        except ConfirmationNeededError as asked:
            return await self._unconfirmed(command.call or asked.call)
        except DialogOpenedError as opened:
            return await self._answer({**data, **opened.data()}, None)
        except HostError as error:
            return await self._answer(data, error)
        return await self._answer({**data, **await mark.data()}, mark.blocked_error(self._lang))

    async def _run(self, request: Request, command: PostingCommand) -> Outcome:
        mark = Aftermath(self._gate, self.tab)
        turn = Turn(self.tab, self._gate.policy, request, self._lang)
        try:
            data = await self.tab.before_dialog(self._performed(turn))
        except ConfirmationNeededError as asked:
            return await self._unconfirmed(command.call or asked.call)
        except DialogOpenedError as opened:
            # What opened it has acted, or it opened by itself and nothing was done.
            failed = mark.blocked_error(self._lang) if turn.acted else opened
            return await self._answer(opened.data(), failed)
        except HostError as error:
            return await self._answer(await mark.data(), mark.explained(error, self._lang))
        blocked = mark.blocked_error(self._lang) if turn.acted else None
        return await self._answer({**data, **await mark.data()}, blocked)

    async def _performed(self, turn: Turn) -> dict[str, Any]:
        action = turn.request.action
        try:
            data = await PERFORM[action](turn)
        except ContextGoneError:
            # A read is done again in the new document, once; what may have acted never is.
            if action not in READ_ACTIONS:
                raise
            await self.tab.until_loaded(self._limits.wait_ms / 1000)
            data = await PERFORM[action](turn)
        if action in _SETTLES:
            timeout_ms = getattr(turn.params, "timeout_ms", self._limits.wait_ms)
            await settle(self.tab, timeout_ms / 1000)
        return data

    # --- the answer

    async def _unconfirmed(self, call: ResolvedCall) -> Outcome:
        outcome = await self._answer({}, None)
        return outcome._replace(success=False, confirmation=call)

    async def _answer(self, data: dict[str, Any], error: HostError | None) -> Outcome:
        wire: WireError | None = None
        if error is not None:
            wire = wire_error(error, self._lang)
        if isinstance(error, CdpTimeoutError) or _hung(error):
            await self.tab.stop_script()
        self._page, nodes = await seen_page(self.tab, self._page)
        return Outcome(error is None, data, wire, self._page, nodes)


def _hung(error: HostError | None) -> bool:
    """Tell whether *error* is of a command that a hanging page left unanswered."""
    return (
        error is not None
        and error.code == "unknown_outcome"
        and isinstance(error.__cause__, CdpTimeoutError)
    )


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]

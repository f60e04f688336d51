"""The tabs that pages opened: counted, judged, bounded; `tabs` adopts what a command opened.

The rule: a tab that nobody adopted shows a person nothing, so one that goes where it may not,
opens a dialog or is one too many is closed rather than answered for.
"""

import asyncio
import time
from collections import deque

from browser.host.target_session import TargetSession
from states.verdict import ALLOWED, Verdict, refused


class Popup:
    """One tab that the tab *opener_id* opened, at monotonic seconds *opened_at*.

    *decided* is set when its first address was judged, *landed* when it shows a page (`shows`),
    or never will.
    """

    def __init__(self, serial: int, session: TargetSession, url: str, opener_id: str = "") -> None:
        self.serial = serial
        self.session = session
        self.url = url
        self.opener_id = opener_id
        self.opened_at = time.monotonic()
        self.blocked = False
        self.why = ALLOWED
        self.closed = False
        self.adopted = False
        self.loading = False
        self.shows = False
        self.decided = asyncio.Event()
        self.landed = asyncio.Event()

    def decide(self, url: str, *, blocked: bool, why: Verdict = ALLOWED) -> None:
        """Note where it goes and whether it may; the first judgement names the popup."""
        if not self.blocked:
            self.why = why
        if not self.decided.is_set():
            self.url = url
        self.blocked = self.blocked or blocked
        self.decided.set()
        if self.blocked:
            self.landed.set()

    def navigated(self, url: str) -> None:
        """Note that it shows the page of *url*; a blank one does not count."""
        if url.startswith(("https:", "http:")):
            self.shows = True
        elif not url.startswith("chrome-error:"):
            return
        self.landed.set()

    def loads(self, *, loading: bool) -> None:
        """Note that it began or ended loading."""
        self.loading = loading
        if not loading and self.decided.is_set():
            self.landed.set()

    def is_lost(self) -> bool:
        """Tell whether nobody can go on in it."""
        return self.blocked or self.closed

    def gone(self) -> None:
        """Note that it is closed."""
        self.closed = True
        self.decided.set()
        self.landed.set()


class Popups:
    """The last popups of a run, and how many there were."""

    def __init__(self, open_max: int) -> None:
        self.count = 0
        self._open_max = open_max
        self._open: dict[str, Popup] = {}
        self._last: deque[Popup] = deque(maxlen=open_max)

    def opened(self, session: TargetSession, url: str, opener_id: str = "") -> Popup:
        """Count and return the new popup; over the bound it is blocked at once."""
        self.count += 1
        popup = Popup(self.count, session, url, opener_id)
        self._last.append(popup)
        if len(self._open) >= self._open_max:
            too_many = refused("popup_one_too_many", count=self._open_max)
            popup.decide(url, blocked=True, why=too_many)
        else:
            self._open[session.session_id] = popup
        return popup

    def adopted(self, popup: Popup) -> None:
        """Note that *popup* is a tab of the task from now on, and no popup any more."""
        popup.adopted = True
        self._open.pop(popup.session.session_id, None)

    def closed(self, session_id: str) -> None:
        """Note that a popup is gone."""
        popup = self._open.pop(session_id, None)
        if popup is not None:
            popup.gone()

    def of_session(self, session_id: str | None) -> Popup | None:
        """Return the open popup of that session."""
        return self._open.get(session_id or "")

    def of_target(self, target_id: str) -> Popup | None:
        """Return the open popup whose tab *target_id* is."""
        for popup in self._open.values():
            if popup.session.target_id == target_id:
                return popup
        return None

    def since(self, serial: int) -> tuple[Popup, ...]:
        """Return the popups after number *serial*, oldest first."""
        return tuple(popup for popup in self._last if popup.serial > serial)

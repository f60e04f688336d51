"""The tabs that pages opened: counted, judged, never switched to."""

import asyncio
from collections import deque

from browser.host.target_session import TargetSession


class Popup:
    """One tab that a page opened; *decided* is set when its first address was judged."""

    def __init__(self, serial: int, session: TargetSession, url: str) -> None:
        self.serial = serial
        self.session = session
        self.url = url
        self.blocked = False
        self.decided = asyncio.Event()

    def decide(self, url: str, *, blocked: bool) -> None:
        """Note where it goes and whether it may; the first judgement names the popup."""
        if not self.decided.is_set():
            self.url = url
        self.blocked = self.blocked or blocked
        self.decided.set()


class Popups:
    """The last popups of a run, and how many there were."""

    def __init__(self, open_max: int) -> None:
        self.count = 0
        self._open_max = open_max
        self._open: dict[str, Popup] = {}
        self._last: deque[Popup] = deque(maxlen=open_max)

    def opened(self, session: TargetSession, url: str) -> Popup:
        """Count and return the new popup; over the bound it is blocked at once."""
        self.count += 1
        popup = Popup(self.count, session, url)
        self._last.append(popup)
        if len(self._open) >= self._open_max:
            popup.decide(url, blocked=True)
        else:
            self._open[session.session_id] = popup
        return popup

    def closed(self, session_id: str) -> None:
        """Note that a popup is gone."""
        popup = self._open.pop(session_id, None)
        if popup is not None:
            popup.decided.set()

    def of_session(self, session_id: str | None) -> Popup | None:
        """Return the open popup of that session."""
        return self._open.get(session_id or "")

    def since(self, serial: int) -> tuple[Popup, ...]:
        """Return the popups after number *serial*, oldest first."""
        return tuple(popup for popup in self._last if popup.serial > serial)

"""What goes wrong on the browser side, split by who must act.

HostError
├── NoBrowserError       the operator installs a browser
├── LaunchError          the operator reads the browser's own words
├── ProfilesFolderError  the operator looks who put a link there, and removes it
├── BrowserLostError     the browser is gone: the task starts again in a new one
├── CdpError             the browser refused one command
│   ├── ContextGoneError     the document it was for is gone
│   └── SessionGoneError     the tab or frame it was for is gone
├── CdpTimeoutError      the browser did not answer
├── PageCrashedError     the page is gone, the tab can be navigated again
└── CommandError         a command was refused or failed: the model may try another way
"""

from typing import Any

from states.catalogue import Lang
from states.errors import SgclawError
from states.verdict import Verdict
from states.wire import WireError


class HostError(SgclawError):
    """The root of the browser side's errors."""


class NoBrowserError(HostError):
    """No Chromium was found where the product looks for one."""

    def __init__(self, looked_for: str) -> None:
        super().__init__("no_browser", looked_for=looked_for)


class LaunchError(HostError):
    """The browser did not come up; *said* is the end of what it wrote."""

    def __init__(self, browser: str, why: object, said: str = "") -> None:
        super().__init__("launch_failed", browser=browser, why=why, said=said or "-")


class ProfilesFolderError(HostError):
    """The folder of the browser profiles is a link, or belongs to somebody else."""

    def __init__(self, folder: str) -> None:
        super().__init__("profiles_folder_strange", folder=folder)


class BrowserLostError(HostError):
    """The browser ended, or its pipe broke."""

    def __init__(self, why: str) -> None:
        super().__init__("browser_lost", why=why)


class CdpError(HostError):
    """The browser answered *method* with an error."""

    def __init__(self, method: str, why: str, code: str = "cdp_refused") -> None:
        super().__init__(code, method=method, why=why)
        self.method = method
        self.why = why


class ContextGoneError(CdpError):
    """The document went away while *method* ran in it."""

    def __init__(self, method: str, why: str) -> None:
        super().__init__(method, why, "page_changed")


class SessionGoneError(CdpError):
    """The tab or frame that *method* was for is closed."""

    def __init__(self, method: str, why: str) -> None:
        super().__init__(method, why, "tab_gone")


class CdpTimeoutError(HostError):
    """No answer to *method* within its time."""

    def __init__(self, method: str, seconds: float) -> None:
        super().__init__("cdp_timeout", method=method, seconds=round(seconds, 1))
        self.method = method


class PageCrashedError(HostError):
    """The renderer of the page at *url* died."""

    def __init__(self, url: str = "-") -> None:
        super().__init__("page_crashed", url=url)


class CommandError(HostError):
    """One command of the agent could not be done."""

    def data(self) -> dict[str, Any]:
        """Return what the command's answer tells besides the sentence."""
        return {}


class PolicyRefusedError(CommandError):
    """The policy said no; *verdict* says why."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.reason, **dict(verdict.facts))
        self.verdict = verdict


def wire_error(error: SgclawError, lang: Lang = "en") -> WireError:
    """Return *error* as it crosses the pipe: its key, and its sentence in *lang*."""
    return WireError(code=error.code, message=error.text(lang))

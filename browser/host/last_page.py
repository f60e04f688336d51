"""The address that a task goes on from in a new browser (L8).

The rule: opening it must repeat nothing. An address that first appeared as the result of a command
that a person approved, or whose outcome nobody knows, may be that command's own request, so it is
never opened again; neither is one that holds a secret.
"""

import re
from urllib.parse import unquote

from guards.policy import domain_of
from states.secrets import is_secret_key, strike

_PARAMETER = re.compile(r"[?&;#]([^=&;#?]*)=")


class LastPage:
    """Keeps the last *address* that may be opened again."""

    def __init__(self) -> None:
        self.address = ""
        self._seen: set[str] = set()
        self._closed: set[str] = set()

    def arrived(self, url: str, *, doubtful: bool) -> bool | None:
        """Note that the page is at *url*, which *doubtful* means a write may have led to.

        Return whether it may be opened again, None when that is no news.
        """
        if not _may_be_kept(url):
            return None
        # Another fragment is the same request.
        both = {url, url.partition("#")[0]}
        is_new = url not in self._seen
        if doubtful:
            self._closed |= both - self._seen
        self._seen |= both
        if not self._closed.isdisjoint(both):
            return False if is_new else None
        if url == self.address:
            return None
        self.address = url
        return True


def _may_be_kept(url: str) -> bool:
    """Tell whether *url* is one of the web and holds nothing that looks like a secret."""
    names = (unquote(name).rstrip("[]") for name in _PARAMETER.findall(url))
    return bool(domain_of(url)) and strike(url) == url and not any(map(is_secret_key, names))

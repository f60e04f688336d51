"""Which document stands in which frame: what a request's initiator is judged by.

The browser tells of a commit (`Page.frameNavigated`) on another wire than of a request, so a
document's first requests may be heard before its commit, and the last ones of the document
before it long after. A request belongs to the document that its loader names
(`Network.requestWillBeSent`), else its own `Origin` or `Referer`; while neither names one, it
belongs to every document that the frame may just then be showing.
"""

import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import ada_url

_FRAMES_MAX = 2_000
_REQUESTS_KEPT = 2_000
_PAST_KEPT = 500
# A document that was replaced speaks this long: its `pagehide` may send beacons.
_FAREWELL_S = 3.0

V = TypeVar("V")


class _Document(NamedTuple):
    """A document: the addresses it acts for (a local one acts for who made it), its load."""

    urls: tuple[str, ...] = ()
    loader_id: str = ""


class _Last(OrderedDict[str, V], Generic[V]):
    """The last *kept* entries."""

    def __init__(self, kept: int) -> None:
        super().__init__()
        self._kept = kept

    def note(self, key: str, value: V) -> None:
        """Keep *value* as the newest entry."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > self._kept:
            self.popitem(last=False)


class FrameDocuments:
    """The documents of all frames of all tabs."""

    def __init__(self) -> None:
        self._shown: dict[str, _Document] = {}
        self._coming: dict[str, _Document] = {}
        self._makers: dict[str, str] = {}
        self._closed: _Last[_Document] = _Last(_PAST_KEPT)
        self._replaced: _Last[tuple[_Document, float]] = _Last(_PAST_KEPT)
        self._loads: _Last[tuple[str, ...]] = _Last(_PAST_KEPT)
        self._loaders: _Last[str] = _Last(_REQUESTS_KEPT)

    # --- what is told

    def attached(self, frame_id: str, parent_id: str) -> None:
        """Note that *frame_id* stands in *parent_id*; its blank document is the parent's."""
        # One wire tells of a parent's commit and of its children, in order.
        self._made(frame_id, parent_id, self._shown.get(parent_id, _Document()).urls)

    def opened(self, frame_id: str, opener_id: str) -> None:
        """Note that *frame_id* is a tab that *opener_id* opened."""
        # Another wire than the opener's commits: any of its documents may have done it.
        self._made(frame_id, opener_id, self._all(opener_id))

    def works(self, worker_id: str, url: str) -> None:
        """Note a worker whose script is *url*: it acts for that script's origin."""
        if not _is_local(url):
            self._show(worker_id, _Document((_without_blob(url),), worker_id))

    def coming(self, frame_id: str, url: str, loader_id: str) -> None:
        """Note that *frame_id* was allowed to load *url*."""
        if frame_id in self._coming or len(self._coming) < _FRAMES_MAX:
            self._coming[frame_id] = _Document((_without_blob(url),), loader_id)
            self._loads.note(loader_id, self._coming[frame_id].urls)

    def committed(self, frame: Mapping[str, Any]) -> None:
        """Note the document of a `Page.Frame`."""
        frame_id, parent_id = str(frame.get("id", "")), str(frame.get("parentId", ""))
        if parent_id:
            self._makers[frame_id] = parent_id
        url, loader_id = _without_blob(str(frame.get("url", ""))), str(frame.get("loaderId", ""))
        urls: tuple[str, ...] = (url,)
        if _is_local(url):
            maker = self._makers.get(frame_id, "")
            urls = self._shown.get(maker, _Document()).urls if parent_id else self._all(maker)
        was = self._shown.get(frame_id)
        if was is not None and was.loader_id != loader_id:
            self._replaced.note(frame_id, (was, time.monotonic()))
        self._show(frame_id, _Document(urls, loader_id))
        coming = self._coming.get(frame_id)
        if coming is not None and coming.loader_id in ("", loader_id):
            del self._coming[frame_id]

    def failed(self, request_id: str) -> None:
        """Note that a request came to nothing: if it was to bring a document, none comes."""
        for frame_id, coming in tuple(self._coming.items()):
            if coming.loader_id == request_id:
                del self._coming[frame_id]

    def asked(self, request_id: str, loader_id: str) -> None:
        """Note that the document or worker of *loader_id* makes this request."""
        if request_id and loader_id:
            self._loaders.note(request_id, loader_id)

    def gone(self, frame_id: str) -> None:
        """Note that *frame_id* is no more; what it sent last may still be on its way."""
        self._coming.pop(frame_id, None)
        self._makers.pop(frame_id, None)
        shown = self._shown.pop(frame_id, None)
        if shown is not None:
            self._closed.note(frame_id, shown)

    # --- what is asked

    def named(self, request_id: str) -> tuple[str, ...] | None:
        """Return the URLs of the document that makes this request, None while it is not told."""
        return self._loads.get(self._loaders.get(request_id, ""))

    def possible(self, frame_id: str, sent_from: str = "") -> tuple[str, ...]:
        """Return the URLs of the documents that may be asking from *frame_id*.

        *sent_from* is the request's `Origin` or `Referer`, when it has one.
        """
        known = self._all(frame_id)
        origin = _origin(sent_from)
        return tuple(url for url in known if origin and _origin(url) == origin) or known

    def _all(self, frame_id: str) -> tuple[str, ...]:
        shown = self._shown.get(frame_id) or self._closed.get(frame_id) or _Document()
        coming = self._coming.get(frame_id, _Document())
        before, replaced_at = self._replaced.get(frame_id, (_Document(), 0.0))
        if time.monotonic() - replaced_at > _FAREWELL_S:
            before = _Document()
        return _once((*shown.urls, *coming.urls, *before.urls))

    def _made(self, frame_id: str, maker_id: str, urls: tuple[str, ...]) -> None:
        if not (frame_id and maker_id) or len(self._makers) >= _FRAMES_MAX:
            return
        self._makers[frame_id] = maker_id
        if frame_id not in self._shown:
            self._show(frame_id, _Document(urls))

    def _show(self, frame_id: str, document: _Document) -> None:
        if frame_id in self._shown or len(self._shown) < _FRAMES_MAX:
            self._shown[frame_id] = document
            if document.loader_id:
                self._loads.note(document.loader_id, document.urls)


def _once(urls: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(urls))


def _is_local(url: str) -> bool:
    # These have no origin of their own address: they act for the page that made them.
    return not url or url.startswith(("about:", "data:"))


def _without_blob(url: str) -> str:
    # A blob's URL names the origin that made it.
    return url.removeprefix("blob:")


def _origin(url: str) -> str:
    try:
        origin = ada_url.URL(url).origin
    except ValueError:
        return ""
    return "" if origin == "null" else str(origin)

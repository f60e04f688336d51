"""Which document stands in which frame: what a request's initiator is judged by.

The browser tells of a commit (`Page.frameNavigated`) on another wire than of a request, so a
document's first requests may be heard before its commit. A frame therefore counts as showing
its last committed document and, until the next commit, the one the gate let it load.
"""

from collections.abc import Mapping
from typing import Any

_FRAMES_MAX = 2_000
_PARENTS_MAX = 32


class FrameDocuments:
    """The documents of all frames of all tabs."""

    def __init__(self) -> None:
        self._committed: dict[str, str] = {}
        self._coming: dict[str, str] = {}
        self._parents: dict[str, str] = {}

    def attached(self, frame_id: str, parent_id: str) -> None:
        """Note that *frame_id* stands in *parent_id*, or was opened by it."""
        if frame_id and parent_id and len(self._parents) < _FRAMES_MAX:
            self._parents[frame_id] = parent_id

    def coming(self, frame_id: str, url: str) -> None:
        """Note that *frame_id* was allowed to load *url*."""
        if len(self._coming) < _FRAMES_MAX:
            self._coming[frame_id] = url

    def committed(self, frame: Mapping[str, Any]) -> None:
        """Note the document of a `Page.Frame`."""
        frame_id = str(frame.get("id", ""))
        self._coming.pop(frame_id, None)
        if frame_id in self._committed or len(self._committed) < _FRAMES_MAX:
            self._committed[frame_id] = str(frame.get("url", ""))
        self.attached(frame_id, str(frame.get("parentId", "")))

    def gone(self, frame_id: str) -> None:
        """Forget *frame_id*."""
        for table in (self._committed, self._coming, self._parents):
            table.pop(frame_id, None)

    def documents_of(self, frame_id: str) -> tuple[str, ...]:
        """Return the URLs that the document of *frame_id* may have, a local one's parent's."""
        found: list[str] = []
        for _ in range(_PARENTS_MAX):
            for table in (self._committed, self._coming):
                url = _without_blob(table.get(frame_id, ""))
                if url and not url.startswith(("about:", "data:")):
                    found.append(url)
            if found or frame_id not in self._parents:
                break
            frame_id = self._parents[frame_id]
        return tuple(found)


def _without_blob(url: str) -> str:
    # A blob's URL names the origin that made it.
    return url.removeprefix("blob:")

"""The 130 pages of miniwob, served on this machine, with the reward counted outside the browser.

Each task page gets a small script of ours at its end: `?seed=N` starts the episode of that seed
without a time limit, and its end is told to the server (`/reward`), which alone counts it. Another
one at its start notes where the page listens for presses (`wobPressed`), for a test to compare.
What the benchmark shows about itself (reward, cover, click picture) is hidden: it is no part of the
task.
"""

import mimetypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs

from tests.support.site import Asked, Page, Reply, Site, serve
from tools.outside.install import html_folder

# Noted before the page's own scripts run: which elements it listens on for presses.
_LISTENERS = """
<script>
globalThis.wobPressed = new Set();
const listen = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (kind, ...rest) {
  const press = /^(click|mousedown|mouseup|pointerdown)$/.test(kind);
  if (press && this instanceof Element) wobPressed.add(this);
  return listen.call(this, kind, ...rest);
};
</script>
"""
_EPISODE = """
<style>#reward-display, #click-canvas, #sync-task-cover { display: none !important }</style>
<script>
addEventListener("load", () => {
  const { seed } = core.QueryString;
  if (!seed) return;
  const end = core.endEpisode;
  core.endEpisode = function (raw, ...rest) {
    const live = core.EP_TIMER !== null;
    end.call(core, raw, ...rest);
    const task = location.pathname.split("/").pop().replace(".html", "");
    if (live) fetch(`/reward?task=${task}&seed=${seed}&raw=${raw}`, { keepalive: true });
  };
  Math.seedrandom(seed);
  core.EPISODE_MAX_TIME = 1000000;
  core.startEpisodeReal();
});
</script>
"""


class Episode(NamedTuple):
    """One task with one seed."""

    task: str
    seed: int

    @property
    def path(self) -> str:
        """The address of the episode on the site."""
        return f"/miniwob/{self.task}.html?seed={self.seed}"


class WobSite:
    """The running *site* and the raw *rewards* it was told, each list in order of arrival."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.rewards: dict[Episode, list[float]] = {}

    def url(self, episode: Episode) -> str:
        """Return the address of *episode*."""
        return self.site.url(episode.path)

    def reward(self, asked: Asked) -> Reply:
        """Count what the page tells at the end of an episode."""
        told = {name: values[0] for name, values in parse_qs(asked.query).items()}
        episode = Episode(told["task"], int(told["seed"]))
        self.rewards.setdefault(episode, []).append(float(told["raw"]))
        return Reply(status=204)


def task_names() -> list[str]:
    """Return the names of all tasks."""
    return sorted(path.stem for path in (html_folder() / "miniwob").glob("*.html"))


@contextmanager
def serve_wob() -> Iterator[WobSite]:
    """Serve the pages on a free port.

    Raises:
        FileNotFoundError: they are not installed; the message says what installs them.
    """
    root = html_folder()
    pages: dict[str, Page] = {
        f"/{path.relative_to(root).as_posix()}": _file(path)
        for path in root.rglob("*")
        if path.is_file()
    }
    with serve(pages) as site:
        wob = WobSite(site)
        site.pages["/reward"] = wob.reward
        yield wob


def _file(path: Path) -> Callable[[Asked], Reply]:
    """Return a page that answers with the file at *path*; a task page holds our script too."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    text = kind.startswith("text/") or kind.endswith("javascript")
    content_type = f"{kind}; charset=utf-8" if text else kind

    def answer(_: Asked) -> Reply:
        body = path.read_bytes()
        if path.parent.name == "miniwob" and path.suffix == ".html":
            body = body.replace(b"<head>", b"<head>" + _LISTENERS.encode(), 1)
            body = body.replace(b"</body>", _EPISODE.encode() + b"</body>")
        return Reply(body, content_type=content_type)

    return answer

"""The same steps on the same pages through every peer, one after the other in each round."""

import asyncio
import functools
import statistics
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.rivals.install import install
from benchmarks.rivals.ours import OurPeer
from benchmarks.rivals.pages import write_pages
from benchmarks.rivals.peers import BrowserUsePeer, McpPeer, Peer

ROUNDS = 7


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve *folder* on a free port of this machine."""
    answerer = functools.partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), answerer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def measure() -> dict[str, float]:
    """Return the median of each step for each peer, `row.peer`, in ms (or characters, bytes)."""
    install()
    return asyncio.run(_measure())


async def _measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        pages = folder / "pages"
        pages.mkdir()
        names = write_pages(pages)
        with served(pages) as port:
            peers: list[Peer] = [
                OurPeer(folder / "profiles", port), McpPeer(folder), BrowserUsePeer(folder),
            ]  # fmt: skip
            (folder / "profiles").mkdir(mode=0o700)
            try:
                for peer in peers:
                    await peer.start()
                return await _rounds(peers, names, f"http://127.0.0.1:{port}")
            finally:
                for peer in peers:
                    await peer.close()


async def _rounds(peers: Sequence[Peer], names: Sequence[str], site: str) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for number in range(ROUNDS):
        print(f"  round {number + 1} of {ROUNDS}", file=sys.stderr, flush=True)
        for name in names:
            for peer in peers:
                took = await _timed(peer.navigate(f"{site}/{name}.html"))
                found[f"navigate_ms.{peer.name}"].append(took)
                started = time.perf_counter()
                text = await peer.snapshot()
                found[f"snapshot_{name}_ms.{peer.name}"].append(_ms(started))
                found[f"snapshot_{name}_chars.{peer.name}"].append(len(text))
        for peer in peers:
            await peer.navigate(f"{site}/small.html")
            await peer.snapshot()
            found[f"click_ms.{peer.name}"].append(await _timed(peer.click("go")))
            found[f"type_ms.{peer.name}"].append(await _timed(peer.type("n", f"SO-{number}")))
            found[f"get_text_ms.{peer.name}"].append(await _timed(peer.get_text()))
            found[f"marked_picture_ms.{peer.name}"].append(await _timed(peer.marked()))
    # The first round warms up.
    return {row: statistics.median(values[1:]) for row, values in found.items()}


async def _timed(step: Awaitable[object]) -> float:
    started = time.perf_counter()
    await step
    return _ms(started)


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1_000


if __name__ == "__main__":
    for row, value in sorted(measure().items()):
        print(f"{row:<40} {value:10.1f}")

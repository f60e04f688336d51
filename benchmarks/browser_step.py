"""What the harness adds to a browser step: the executor against the bare CDP work, interleaved.

The bare step is what the page itself must be asked for a click or a read that answers with a
snapshot; the executor adds the checks, the approval, the second look and the parsing.
"""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from browser.host.tab import Tab
from tests.support.host_lab import TabLab, host_lab

ROUNDS = 25
PAGE = "<h1>报表</h1><p id=said>0</p>" + "".join(
    f"<button id=b{n} onclick='said.textContent = {n}'>查询 {n}</button>" for n in range(60)
)


async def _bare_click(tab: Tab) -> None:
    ready = await tab.ask("ready", {"selector": "#b7", "need": "click", "timeout_ms": 5_000})
    place = {"x": ready["x"], "y": ready["y"], "button": "left", "clickCount": 1}
    moved = {"x": ready["x"], "y": ready["y"], "type": "mouseMoved"}
    events = (moved, {**place, "type": "mousePressed"}, {**place, "type": "mouseReleased"})
    await asyncio.gather(*(tab.send("Input.dispatchMouseEvent", event) for event in events))
    await tab.ask("settled", {"ms_max": 1_000})
    await tab.ask("snapshot", {"limit": 300, "name_chars": 200})


async def _bare_text(tab: Tab) -> None:
    await tab.ask("text", {"selector": "#said", "max_chars": 20_000})
    await tab.ask("snapshot", {"limit": 300, "name_chars": 200})


async def _timed(step: Awaitable[Any]) -> float:
    started = time.perf_counter()
    await step
    return (time.perf_counter() - started) * 1_000


async def _compare(
    name: str, whole: Callable[[], Awaitable[Any]], bare: Callable[[], Awaitable[Any]]
) -> dict[str, float]:
    pairs = []
    for _ in range(ROUNDS):
        pairs.append((await _timed(whole()), await _timed(bare())))
    whole_ms = statistics.median(pair[0] for pair in pairs)
    bare_ms = statistics.median(pair[1] for pair in pairs)
    return {
        f"{name}_ms": whole_ms,
        f"{name}_bare_ms": bare_ms,
        f"{name}_harness_ms": whole_ms - bare_ms,
    }


async def _measured(tab: TabLab) -> dict[str, float]:
    page = tab.executor.tab
    await tab.do("click", selector="#b7")
    await _bare_click(page)
    clicks = await _compare(
        "click", lambda: tab.do("click", selector="#b7"), lambda: _bare_click(page)
    )
    texts = await _compare(
        "get_text", lambda: tab.do("getText", selector="#said"), lambda: _bare_text(page)
    )
    return {**clicks, **texts}


async def _run() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        async with host_lab(Path(folder)) as lab:
            return await _measured(await lab.open(PAGE))


def measure() -> dict[str, float]:
    """Return the medians in milliseconds; the `_harness_ms` ones have the budget."""
    return asyncio.run(_run())


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))

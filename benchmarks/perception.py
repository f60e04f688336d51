"""Perception on a 2,000-element page, beside Chromium's own accessibility tree in the same run.

A snapshot is what a command gets: the bundle is told first what only the browser sees.
"""

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

from actions.perception.aom import render
from browser.host.assist import assist
from browser.host.chromium import Chromium
from browser.host.launch_flags import LaunchOptions
from browser.host.target_session import TargetSession
from browser.host.transport import CdpEvent
from browser.page import bundle_source
from states.page import AomNode, PageState
from states.policy import Policy
from states.settings import Settings

ROWS = 279
ROUNDS = 9
# Every button of the page has a press listener of its own, as a framework's would.
LISTEN = "for (const each of document.querySelectorAll('button')) each.onclick = () => 0"


def page_of(rows: int) -> str:
    """Return an ERP report page of 7 elements a row."""
    cells = "".join(
        f"<tr><td>{n}</td><td>发票 {n:04}</td><td>2026-03-{n % 28 + 1:02}</td>"
        f"<td>{n * 13.5:.2f}</td><td><button>查看</button></td></tr>"
        for n in range(rows)
    )
    return (
        "<title>合规报表</title><nav><a href='/'>首页</a><a href='/r'>报表</a></nav>"
        "<h1>合规报表</h1>"
        "<form><label>月份<input name=month></label><label>部门<select name=d><option>财务部"
        "<option>人事部</select></label><button>查询</button></form><table><thead><tr><th>序号"
        f"<th>发票<th>日期<th>金额<th>操作</tr></thead><tbody>{cells}</tbody></table>"
    )


def measure() -> dict[str, float]:
    """Return medians in ms, their ratio, and the size of the text.

    `snapshot_ms` is the bounded snapshot of the settings, `full_ms` one of every node; both include
    telling the bundle (`assist_ms`; the first time, with every listener new, `first_assist_ms`).
    """
    return asyncio.run(_measure())


async def _measure() -> dict[str, float]:
    limits = Settings().browser
    with tempfile.TemporaryDirectory() as root:
        options = LaunchOptions(policy=Policy(version=1, hosts=()), profiles_root=Path(root))
        async with await Chromium.launch(options) as browser:
            return await _compare(browser, limits.snapshot_nodes_max, limits.snapshot_chars_max)


async def _compare(browser: Chromium, nodes_max: int, chars_max: int) -> dict[str, float]:
    session, context_id = await _opened(browser)
    asked = {"uniqueContextId": context_id, "returnByValue": True}

    async def snapshot(limit: int) -> dict[str, object]:
        await assist(session, context_id)
        expression = f"__sg.snapshot({json.dumps({'limit': limit, 'name_chars': 200})})"
        told = await session.send("Runtime.evaluate", {**asked, "expression": expression})
        answer: dict[str, object] = told["result"]["value"]
        return answer

    started = time.perf_counter()
    await assist(session, context_id)
    first_ms = (time.perf_counter() - started) * 1e3
    times: dict[str, list[float]] = {
        "snapshot_ms": [], "full_ms": [], "assist_ms": [], "ax_tree_ms": []
    }  # fmt: skip
    for _ in range(ROUNDS):
        for name, step in (
            ("snapshot_ms", snapshot(nodes_max)),
            ("full_ms", snapshot(5_000)),
            ("assist_ms", assist(session, context_id)),
            ("ax_tree_ms", session.send("Accessibility.getFullAXTree")),
        ):
            started = time.perf_counter()
            await step
            times[name].append((time.perf_counter() - started) * 1e3)
    medians = {name: statistics.median(each) for name, each in times.items()}
    ratio = medians["snapshot_ms"] / medians["ax_tree_ms"]
    sizes = _text(await snapshot(nodes_max), chars_max)
    return {**medians, "first_assist_ms": first_ms, "snapshot_ratio": ratio, **sizes}


async def _opened(browser: Chromium) -> tuple[TargetSession, str]:
    """Return a tab that shows the page, and the id of the bundle's world in it."""
    send = browser.transport.send
    target = (await send("Target.createTarget", {"url": "about:blank"}))["targetId"]
    attached = await send("Target.attachToTarget", {"targetId": target, "flatten": True})
    session = TargetSession(browser.transport, attached["sessionId"], target, "page")
    frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    await session.send("Page.setDocumentContent", {"frameId": frame, "html": page_of(ROWS)})
    await session.send("Runtime.evaluate", {"expression": LISTEN})
    worlds: dict[str, str] = {}

    def heard(event: CdpEvent) -> None:
        if event.method == "Runtime.executionContextCreated":
            worlds[event.params["context"]["name"]] = event.params["context"]["uniqueId"]

    stop = session.subscribe(heard)
    await session.send("Runtime.enable")
    await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "bench"})
    stop()
    asked = {"uniqueContextId": worlds["bench"], "expression": bundle_source()}
    await session.send("Runtime.evaluate", asked)
    return session, worlds["bench"]


def _text(answer: dict[str, object], chars_max: int) -> dict[str, float]:
    """Return the size of the text of *answer* and the time it took to write it."""
    raw, about = answer["nodes"], answer["page"]
    assert isinstance(raw, list)
    assert isinstance(about, dict)
    nodes = [AomNode.model_validate(node) for node in raw]
    page = PageState.model_validate(about | {"total": answer["total"], "truncated": True})
    started = time.perf_counter()
    text = render(nodes, page, chars_max=chars_max, lang="zh-CN")
    text_ms = (time.perf_counter() - started) * 1e3
    return {"text_chars": float(len(text)), "text_ms": text_ms}


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))

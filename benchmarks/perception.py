"""Perception on a 2,000-element page, beside Chromium's own accessibility tree in the same run."""

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

from actions.perception.aom import render
from browser.host.chromium import Chromium
from browser.host.launch_flags import LaunchOptions
from browser.page import bundle_source
from states.page import AomNode, PageState
from states.policy import Policy
from states.settings import Settings

ROWS = 279
ROUNDS = 9


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

    `snapshot_ms` is the bounded snapshot of the settings, `full_ms` one of every node.
    """
    return asyncio.run(_measure())


async def _measure() -> dict[str, float]:
    limits = Settings().browser
    with tempfile.TemporaryDirectory() as root:
        options = LaunchOptions(policy=Policy(version=1, hosts=()), profiles_root=Path(root))
        async with await Chromium.launch(options) as browser:
            return await _compare(browser, limits.snapshot_nodes_max, limits.snapshot_chars_max)


async def _compare(browser: Chromium, nodes_max: int, chars_max: int) -> dict[str, float]:
    send = browser.transport.send
    target = (await send("Target.createTarget", {"url": "about:blank"}))["targetId"]
    attached = await send("Target.attachToTarget", {"targetId": target, "flatten": True})
    session = attached["sessionId"]
    frame = (await send("Page.getFrameTree", None, session))["frameTree"]["frame"]["id"]
    content = {"frameId": frame, "html": page_of(ROWS)}
    await send("Page.setDocumentContent", content, session)
    world = {"frameId": frame, "worldName": "bench"}
    context = (await send("Page.createIsolatedWorld", world, session))["executionContextId"]
    asked = {"contextId": context, "returnByValue": True}
    await send("Runtime.evaluate", {**asked, "expression": bundle_source()}, session)

    async def snapshot(limit: int) -> dict[str, object]:
        expression = f"__sg.snapshot({json.dumps({'limit': limit, 'name_chars': 200})})"
        told = await send("Runtime.evaluate", {**asked, "expression": expression}, session)
        answer: dict[str, object] = told["result"]["value"]
        return answer

    times: dict[str, list[float]] = {"snapshot_ms": [], "full_ms": [], "ax_tree_ms": []}
    for _ in range(ROUNDS):
        for name, limit in (("snapshot_ms", nodes_max), ("full_ms", 5_000)):
            started = time.perf_counter()
            await snapshot(limit)
            times[name].append((time.perf_counter() - started) * 1e3)
        started = time.perf_counter()
        await send("Accessibility.getFullAXTree", None, session)
        times["ax_tree_ms"].append((time.perf_counter() - started) * 1e3)
    medians = {name: statistics.median(each) for name, each in times.items()}
    ratio = medians["snapshot_ms"] / medians["ax_tree_ms"]
    return {**medians, "snapshot_ratio": ratio, **_text(await snapshot(nodes_max), chars_max)}


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

"""How much of each prompt is, byte for byte, what the prompt before it began with.

A real `sgclaw run` of 12 steps in Chromium asks a model server of this process, which answers by a
script. What a provider's cache could give is counted in the order in which it reads a prompt:
tools, system, messages.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.rivals.pages import write_pages
from benchmarks.rivals.steps import served
from tests.support.byte_server import (
    Script,
    byte_server,
    openai_chunk,
    openai_frames,
    openai_usage,
    stream,
    tool_delta,
)

STEPS = 12
_HOST = "127.0.0.1"
_SGCLAW = Path(sys.executable).parent / "sgclaw"
_SECONDS_MAX = 120


def measure() -> dict[str, float]:
    """Return the share that is the same as before, in percent, for a small page and a large one.

    `*_least_pct` is the step at which it is least: the one that folds old rounds.
    """
    figures: dict[str, float] = {}
    for page, field in (("small", "n"), ("erp", "f0")):
        shares = asyncio.run(_shares(page, field))
        assert len(shares) == STEPS
        figures[f"cached_{page}_pct"] = sum(shares) / len(shares)
        figures[f"cached_{page}_least_pct"] = min(shares)
    return figures


async def _shares(page: str, field: str) -> list[float]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_pages(folder)
        async with byte_server(*_script(field)) as model:
            with served(folder) as port:
                await _run(folder, f"{model.url}/v1", port, page)
            prompts = [_as_read(request.json) for request in model.requests]
    return [100 * _same(before, after) / len(after) for before, after in pairwise(prompts)]


async def _run(folder: Path, base_url: str, port: int, page: str) -> None:
    rule = {"host": _HOST, "scheme": "http", "port": port, "allow": ["*"]}
    policy = folder / "policy.yaml"
    policy.write_text(json.dumps({"version": 1, "hosts": [rule]}), encoding="utf-8")
    child = await asyncio.create_subprocess_exec(
        str(_SGCLAW), "run", "fill the field", "--provider", "openai", "--base-url", base_url,
        "--model", "bench", "--policy", str(policy), "--url", f"http://{_HOST}:{port}/{page}.html",
        "--out", str(folder / "out"),
        env={**os.environ, "SGCLAW_DATA_DIR": str(folder / "data")},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    async with asyncio.timeout(_SECONDS_MAX):
        assert await child.wait() == 0


def _script(field: str) -> Iterator[Script]:
    """Yield a look, the typing of eleven values, and the end of the task."""
    yield _reply(0, "browser_action", {"action": "getAomSnapshot", "params": {}})
    for number in range(1, STEPS):
        params = {"selector": f"#{field}", "text": f"SO-{number}"}
        yield _reply(number, "browser_action", {"action": "type", "params": params})
    yield _reply(STEPS, "finish", {"summary": "It is filled.", "citations": [STEPS]})


def _reply(number: int, tool: str, arguments: dict[str, Any]) -> Script:
    call = tool_delta(0, f"call_{number}", tool, json.dumps(arguments))
    events = [openai_chunk({"role": "assistant", "content": "I go on.", "tool_calls": [call]})]
    return stream(openai_frames(*events, openai_chunk({}, "tool_calls"), openai_usage(3_000, 40)))


def _as_read(body: dict[str, Any]) -> str:
    """Return the prompt of *body* as one text that grows at its end."""
    parts = [*body["tools"], *body["messages"]]
    return "".join(json.dumps(part, ensure_ascii=False) + "\n" for part in parts)


def _same(before: str, after: str) -> int:
    """Return how many characters both begin with."""
    differ = (
        at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other
    )
    return next(differ, min(len(before), len(after)))


if __name__ == "__main__":
    for row, value in measure().items():
        print(f"{row:<30} {value:8.2f}")

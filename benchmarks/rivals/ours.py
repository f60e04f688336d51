"""sgclaw as a peer: the host's executor, with the pipe's proof and the agent's text on top.

What crosses the pipe in a run crosses it here too: each answer is sealed, written as a line, read,
checked and rendered for the model.
"""

import os
from pathlib import Path
from typing import Any

from actions.perception.aom import render
from browser.host.launch_flags import LaunchOptions
from browser.host.opened import OpenBrowser, open_browser
from browser.host.outcome import ALLOW, Outcome
from browser.page import bundle_source
from engine.pipe.envelope import UNSEALED, Envelope
from engine.pipe.framing import decode_line, encode_line
from states.policy import Policy
from states.settings import Settings
from states.wire import Mac, Response

DOMAIN = "127.0.0.1"


class OurPeer:
    """The product without its chart: host, gate, executor, pipe lines and page text."""

    name = "sgclaw"

    def __init__(self, folder: Path, port: int) -> None:
        rule = {"host": DOMAIN, "scheme": "http", "port": port, "allow": ["*"]}
        self._policy = Policy.model_validate({"version": 1, "hosts": [rule]})
        self._profiles = folder
        self._opened: OpenBrowser | None = None
        self._settings = Settings()
        key = os.urandom(32)
        self._host = Envelope(key, "rivals-bench", "host>agent")
        self._agent = Envelope(key, "rivals-bench", "host>agent")
        self._seq = 0

    async def start(self) -> None:
        """Start the browser behind the gate."""
        options = LaunchOptions(policy=self._policy, profiles_root=self._profiles)
        self._opened = await open_browser(options, bundle_source())

    async def navigate(self, url: str) -> None:
        """Open *url*."""
        await self._do("navigate", url=url)

    async def snapshot(self) -> str:
        """Return the page's text as the model reads it."""
        return (await self._do("getAomSnapshot"))[1]

    async def click(self, element_id: str) -> None:
        """Click by selector."""
        await self._do("click", selector=f"#{element_id}")

    async def type(self, element_id: str, text: str) -> None:
        """Type by selector."""
        await self._do("type", selector=f"#{element_id}", text=text)

    async def get_text(self) -> str:
        """Return the body's text."""
        return str((await self._do("getText"))[0].data["text"])

    async def marked(self) -> int:
        """Take the set-of-mark picture."""
        outcome, _ = await self._do("pageScreenshot", som_overlay=True)
        return len(outcome.data["image_base64"]) * 3 // 4

    def pids(self) -> list[int]:
        """Return nothing: host and agent are measured in a whole run."""
        return []

    async def close(self) -> None:
        """End the browser."""
        if self._opened is not None:
            await self._opened.close()

    async def _do(self, action: str, **params: Any) -> tuple[Outcome, str]:
        assert self._opened is not None
        execute = self._opened.executor.execute
        outcome = await execute(action, params, DOMAIN, lambda _: ALLOW)
        if outcome.error is not None:
            raise RuntimeError(outcome.error.message)
        return outcome, self._read(outcome)

    def _read(self, outcome: Outcome) -> str:
        """Take the answer over the pipe and return the page's text."""
        self._seq += 1
        answer = Response(
            seq=self._seq,
            success=outcome.success,
            data=outcome.data,
            page=outcome.page,
            aom_snapshot=outcome.snapshot,
            security=Mac(hmac=UNSEALED),
        )
        pipe = self._settings.pipe
        line = encode_line(self._host.seal(answer))
        document = decode_line(line.rstrip(b"\n"), pipe, pipe.response_bytes_max)
        self._agent.verify_answer(document, self._seq)
        read = Response.model_validate(document)
        chars_max = self._settings.browser.snapshot_chars_max
        return render(read.aom_snapshot, read.page, chars_max=chars_max)

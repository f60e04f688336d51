"""A browser ready for commands: started, gated, its first tab with an executor."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

from browser.host.chromium import Chromium
from browser.host.downloads import Downloads
from browser.host.executor import Executor
from browser.host.gate import BlockedRequest, Gate
from browser.host.launch_flags import LaunchOptions
from browser.host.page_source import page_source
from browser.host.tab import Tab
from browser.host.uploads import Uploads
from states.catalogue import Lang

# Of the files that pages are given; it goes with the profile, whatever happens.
_COPIES = "sgclaw-uploads"


class OpenBrowser(NamedTuple):
    """The browser of one task; `async with` it, or `close` it."""

    chromium: Chromium
    gate: Gate
    executor: Executor

    async def close(self) -> None:
        """End the browser and everything that listens to it."""
        try:
            await self.executor.close()
            await self.gate.stop()
        finally:
            await self.chromium.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def open_browser(
    options: LaunchOptions,
    bundle: str,
    *,
    downloads_to: Path | None = None,
    files: Path | None = None,
    on_block: Callable[[BlockedRequest], None] = lambda _: None,
    lang: Lang = "en",
) -> OpenBrowser:
    """Start a browser behind the gate and return it with its executor.

    *bundle* is the page bundle's source, *downloads_to* the folder for what pages hand over
    (None: nothing), *files* the folder of what they may be given; *on_block* hears of each request
    the gate stopped.

    Raises:
        HostError: there is no browser, or it did not come up.
    """
    chromium = await Chromium.launch(options)
    try:
        transport, limits = chromium.transport, options.limits
        gate = Gate(transport, options.policy, on_block, limits, person_present=options.headed)
        session = await gate.start()
        downloads = None
        if downloads_to is not None:
            downloads = Downloads(transport, options.policy, downloads_to, limits)
        finished = (lambda: downloads.finished) if downloads is not None else tuple
        uploads = Uploads(files, chromium.profile / _COPIES, limits, finished)
        tab = Tab(session, page_source(bundle, options.policy), limits)
        executor = Executor(gate, tab, downloads, lang, uploads)
        await executor.start()
    except BaseException:
        await chromium.close()
        raise
    return OpenBrowser(chromium, gate, executor)

"""A good site, a server that nobody may reach and that counts who did, and three browsers.

*open_browser* has neither gate nor our resolver rules: the control, it reaches whatever it is led
to. *gated* has the gate but finds every name at the evil server: what is stopped there is stopped
by the gate alone. *shipped* is what the product starts, unchanged.
"""

import asyncio
import shlex
import socketserver
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from browser.host.chromium import Chromium, find_browser
from browser.host.executor import Executor
from browser.host.gate import BlockedRequest, Gate
from browser.host.launch_flags import LaunchOptions
from browser.host.opened import open_browser
from browser.host.outcome import ALLOW, Outcome
from browser.host.target_session import TargetSession
from browser.page import bundle_source
from states.policy import Policy
from tests.support.site import Site, serve
from tests.support.until import SECONDS_MAX, until

GOOD_ORIGIN = "http://good.test"
_AT_ONCE = 8
_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\n"
    b"Access-Control-Allow-Headers: *\r\nAccess-Control-Allow-Methods: *\r\n"
    b"Content-Length: 5\r\nConnection: close\r\n\r\nevil!"
)


class EvilServer(socketserver.ThreadingTCPServer):
    """The listening *port*, and the first bytes of everything that *arrived*."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self) -> None:
        self.arrived: list[bytes] = []
        super().__init__(("127.0.0.1", 0), _Ear)
        self.port: int = self.server_address[1]

    def heard(self, token: str) -> bool:
        """Tell whether something with *token* in it arrived."""
        return any(token.encode() in said for said in tuple(self.arrived))

    def handle_error(self, *_: Any) -> None:
        """A browser that hangs up is no error of the server."""


class _Ear(socketserver.BaseRequestHandler):
    server: EvilServer

    def handle(self) -> None:
        """Keep what is said, and answer what looks like HTTP."""
        self.request.settimeout(5)
        said = b""
        try:
            while b"\r\n\r\n" not in said and len(said) < 300_000 and said[:1] != b"\x16":
                chunk = self.request.recv(65_536)
                if not chunk:
                    break
                said += chunk
        except OSError:
            pass
        if said:
            self.server.arrived.append(said[:4_000])
            if said[:1] != b"\x16":
                self.request.sendall(_ANSWER)


class EvilLab(NamedTuple):
    """One browser between the good site and the evil server."""

    chromium: Chromium
    good: Site
    evil: EvilServer
    gate: Gate | None
    executor: Executor | None
    blocked: list[BlockedRequest]

    def good_heard(self, token: str) -> bool:
        """Tell whether the good site was asked for something with *token* in it."""
        return any(token in f"{hit.path}?{hit.query}" for hit in tuple(self.good.hits))

    async def navigate(self, url: str) -> Outcome:
        """Return the outcome of the command to open *url*."""
        assert self.executor is not None
        return await self.executor.execute("navigate", {"url": url}, "good.test", lambda _: ALLOW)

    async def tab(self) -> TargetSession:
        """Return a new blank tab."""
        if self.gate is not None:
            return await self.gate.open_tab()
        send = self.chromium.transport.send
        target = (await send("Target.createTarget", {"url": "about:blank"}))["targetId"]
        attached = await send("Target.attachToTarget", {"targetId": target, "flatten": True})
        return TargetSession(self.chromium.transport, attached["sessionId"], target, "page")

    async def visit(
        self, urls: Iterable[str], over: Callable[[str], bool], seconds: float = SECONDS_MAX
    ) -> list[str]:
        """Open each of *urls* in a tab of its own until *over* says so; return which never were."""
        turns = asyncio.Semaphore(_AT_ONCE)
        late: list[str] = []

        async def one(url: str) -> None:
            async with turns:
                tab = await self.tab()
                await tab.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
                await tab.send("Page.navigate", {"url": url})
                try:
                    await until(lambda: over(url), seconds)
                except TimeoutError:
                    late.append(url)
                await tab.transport.send("Target.closeTarget", {"targetId": tab.target_id})

        await asyncio.gather(*(one(url) for url in urls))
        return late


def wrapped(folder: Path, *flags: str, without: str = "about:blank") -> Path:
    """Return a program that starts the browser with *flags* last, *without* some of ours."""
    program = folder / "browser"
    # A distribution's own start script reads flags up to the first address only.
    program.write_text(f"""#!/bin/sh
for word in "$@"; do
  shift
  case "$word" in {without}) ;; *) set -- "$@" "$word" ;; esac
done
exec {shlex.quote(str(find_browser()))} "$@" {shlex.join(flags)} about:blank
""")
    program.chmod(0o700)
    return program


def good_policy() -> Policy:
    """Return the policy that names the good host alone."""
    rule = {"host": "good.test", "scheme": "http", "allow": ["*"]}
    return Policy.model_validate({"version": 1, "hosts": [rule]})


@contextmanager
def _places() -> Iterator[tuple[Site, EvilServer]]:
    with serve({}) as good, EvilServer() as evil:
        thread = threading.Thread(target=evil.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield good, evil
        finally:
            evil.shutdown()
            thread.join()


def _options(folder: Path, good: Site, *flags: str, without: str = "") -> LaunchOptions:
    secure = f"--unsafely-treat-insecure-origin-as-secure={GOOD_ORIGIN},http://evil.test"
    browser = wrapped(folder, secure, *flags, without=f"about:blank{without}")
    return LaunchOptions(
        policy=good_policy(),
        profiles_root=folder / "profiles",
        host_map={"good.test": f"127.0.0.1:{good.port}"},
        # Powers that a page over TLS has: what it may abuse there it may abuse here.
        browser=browser,
    )


def all_to(evil: EvilServer, good: Site) -> str:
    """Return the flag under which every name but the good one is at *evil*."""
    rules = [
        f"MAP good.test:80 127.0.0.1:{good.port}",
        "MAP nowhere.invalid ~NOTFOUND",
        # The browser's own errands, which no page causes.
        *(f"MAP *.{host} ~NOTFOUND" for host in ("google.com", "googleapis.com", "gstatic.com")),
        f"MAP * 127.0.0.1:{evil.port}",
    ]
    return f"--host-resolver-rules={', '.join(rules)}"


def good_alone(good: Site) -> str:
    """Return the flag that gives the good host its address and leaves all other names alone."""
    return f"--host-resolver-rules=MAP good.test:80 127.0.0.1:{good.port}"


# What the product's flags switch off is on again in the control.
_AS_USUAL = (
    "--disable-features=HttpsUpgrades,LocalNetworkAccessChecks",
    "--proxy-server=direct://",
    "--short-reporting-delay",
)
_LEFT_OUT = "|--no-pings|--dns-prefetch-disable|--webrtc-*|--force-webrtc-*"


@asynccontextmanager
async def lab(folder: Path, kind: str, *flags: str) -> AsyncIterator[EvilLab]:
    """Start the lab of *kind*: "open", "named", "gated" or "shipped", with more *flags*.

    "named" is without a gate too, and looks up all names but the good host's as usual.
    """
    with _places() as (good, evil):
        if kind in {"open", "named"}:
            names = all_to(evil, good) if kind == "open" else good_alone(good)
            options = _options(folder, good, names, *_AS_USUAL, *flags, without=_LEFT_OUT)
            async with await Chromium.launch(options) as chromium:
                yield EvilLab(chromium, good, evil, None, None, [])
            return
        mapped = (all_to(evil, good),) if kind == "gated" else ()
        blocked: list[BlockedRequest] = []
        options = _options(folder, good, *mapped, *flags)
        opened = await open_browser(options, bundle_source(), on_block=blocked.append)
        async with opened:
            yield EvilLab(opened.chromium, good, evil, opened.gate, opened.executor, blocked)

"""The debugging pipe: each command ends exactly once, whatever the browser sends or omits."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from browser.host.errors import (
    BrowserLostError,
    CdpError,
    CdpTimeoutError,
    ContextGoneError,
    PageCrashedError,
    SessionGoneError,
)
from browser.host.pipe_transport import PipeTransport
from browser.host.transport import CdpEvent

LIMIT = 1_000_000


class Peer:
    """The browser's end of the pipes, played by the test."""

    def __init__(self, transport: PipeTransport, reads: int, writes: int) -> None:
        self.transport = transport
        self._reads, self._writes = reads, writes
        self._open = {reads, writes}

    async def asked(self) -> dict[str, Any]:
        """Return the next command (one at a time)."""
        line = await asyncio.to_thread(os.read, self._reads, LIMIT)
        document: dict[str, Any] = json.loads(line.split(b"\0")[0])
        return document

    def say(self, *documents: object) -> None:
        """Send messages."""
        self.say_bytes(b"".join(json.dumps(each).encode() + b"\0" for each in documents))

    def say_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        os.write(self._writes, data)

    def hang_up(self) -> None:
        """Close both ends."""
        for fd in self._open:
            os.close(fd)
        self._open = set()


@pytest_asyncio.fixture
async def peer() -> AsyncIterator[Peer]:
    peer_reads, we_write = os.pipe()
    we_read, peer_writes = os.pipe()
    transport = await PipeTransport.open(we_read, we_write, message_bytes_max=LIMIT, timeout_s=20)
    peer = Peer(transport, peer_reads, peer_writes)
    yield peer
    transport.end("the test is over")
    peer.hang_up()
    await asyncio.sleep(0)


async def test_an_answer_reaches_its_command_even_byte_by_byte(peer: Peer) -> None:
    call = asyncio.create_task(peer.transport.send("A.b", {"x": "日"}, "S1"))
    asked = await peer.asked()
    assert asked == {"id": asked["id"], "method": "A.b", "params": {"x": "日"}, "sessionId": "S1"}
    for byte in json.dumps({"id": asked["id"], "result": {"ok": 1}}).encode() + b"\0":
        peer.say_bytes(bytes([byte]))
        await asyncio.sleep(0)
    assert await call == {"ok": 1}


async def test_events_arrive_in_order_until_unsubscribed(peer: Peer) -> None:
    heard: list[CdpEvent] = []
    stop = peer.transport.subscribe(heard.append)
    peer.say({"method": "A.one"}, {"method": "A.two", "params": {"n": 2}, "sessionId": "S"})
    call = asyncio.create_task(peer.transport.send("X.y"))
    peer.say({"id": (await peer.asked())["id"], "result": {}})
    await call
    stop()
    peer.say({"method": "A.three"})
    call = asyncio.create_task(peer.transport.send("X.y"))
    peer.say({"id": (await peer.asked())["id"], "result": {}})
    await call
    assert heard == [CdpEvent("A.one", {}, None), CdpEvent("A.two", {"n": 2}, "S")]


async def test_a_late_answer_is_dropped_and_the_transport_lives_on(peer: Peer) -> None:
    with pytest.raises(CdpTimeoutError, match=r"Slow\.call"):
        await peer.transport.send("Slow.call", timeout_s=0.01)
    late = await peer.asked()
    peer.say({"id": late["id"], "result": {"late": True}}, {"id": 999, "result": {}})
    call = asyncio.create_task(peer.transport.send("Next.call"))
    peer.say({"id": (await peer.asked())["id"], "result": {"fresh": True}})
    assert await call == {"fresh": True}


@pytest.mark.parametrize(
    ("why", "error"),
    [
        ("Cannot find context with specified id", ContextGoneError),
        ("Session with given id not found.", SessionGoneError),
        ("Something else", CdpError),
    ],
)
async def test_a_refusal_names_the_method_and_the_reason(
    peer: Peer, why: str, error: type[CdpError]
) -> None:
    call = asyncio.create_task(peer.transport.send("A.b"))
    peer.say({"id": (await peer.asked())["id"], "error": {"code": -32000, "message": why}})
    with pytest.raises(error, match=why) as refusal:
        await call
    assert type(refusal.value) is error
    assert refusal.value.method == "A.b"


async def test_the_end_of_the_browser_fails_everything_in_flight(peer: Peer) -> None:
    calls = [asyncio.create_task(peer.transport.send("A.b")) for _ in range(3)]
    await peer.asked()
    peer.hang_up()
    for call in calls:
        with pytest.raises(BrowserLostError):
            await call
    assert peer.transport.lost.is_set()
    with pytest.raises(BrowserLostError):
        await peer.transport.send("A.c")


@pytest.mark.parametrize("data", [b"x" * (LIMIT + 1), b"{not json}\0", b"[" * 200_000 + b"\0"])
async def test_an_unreadable_message_ends_the_transport(peer: Peer, data: bytes) -> None:
    call = asyncio.create_task(peer.transport.send("A.b"))
    await peer.asked()
    await asyncio.to_thread(peer.say_bytes, data)
    with pytest.raises(BrowserLostError):
        await call


async def test_a_crash_fails_the_calls_of_its_own_session_only(peer: Peer) -> None:
    crashed = asyncio.create_task(peer.transport.send("A.b", session_id="S1"))
    await peer.asked()
    other = asyncio.create_task(peer.transport.send("A.b", session_id="S2"))
    other_id = (await peer.asked())["id"]
    peer.say({"method": "Inspector.targetCrashed", "params": {}, "sessionId": "S1"})
    with pytest.raises(PageCrashedError):
        await crashed
    peer.say({"id": other_id, "result": {}})
    assert await other == {}


async def test_a_closed_tab_fails_its_calls(peer: Peer) -> None:
    call = asyncio.create_task(peer.transport.send("A.b", session_id="S1"))
    await peer.asked()
    peer.say({"method": "Target.detachedFromTarget", "params": {"sessionId": "S1"}})
    with pytest.raises(SessionGoneError):
        await call


async def test_a_browser_that_stops_reading_does_not_fill_our_memory(peer: Peer) -> None:
    big = {"x": "y" * (LIMIT // 3)}
    calls = [asyncio.create_task(peer.transport.send("A.b", big)) for _ in range(8)]
    with pytest.raises(BrowserLostError):
        await asyncio.gather(*calls)
    await asyncio.gather(*calls, return_exceptions=True)
    assert peer.transport.lost.is_set()

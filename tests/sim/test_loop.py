"""The virtual loop: no time passes while anything is ready, and nothing runs for ever."""

import asyncio
import time
from collections.abc import Iterator

import pytest

from tests.sim.loop import StuckEpisodeError, VirtualLoop


@pytest.fixture
def loop() -> Iterator[VirtualLoop]:
    loop = VirtualLoop()
    loop.reset(seconds_max=1e9)
    yield loop
    loop.close()


def test_a_month_of_sleep_takes_no_time(loop: VirtualLoop) -> None:
    began = time.perf_counter()
    loop.run_until_complete(asyncio.sleep(30 * 86_400))
    assert loop.time() == pytest.approx(30 * 86_400)
    assert time.perf_counter() - began < 5


def test_timers_ring_in_the_order_of_their_times(loop: VirtualLoop) -> None:
    rung: list[tuple[str, float]] = []

    async def wait(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        rung.append((name, loop.time()))

    async def all_of_them() -> None:
        await asyncio.gather(wait("late", 3), wait("early", 1), wait("middle", 2))

    loop.run_until_complete(all_of_them())
    assert rung == [("early", 1.0), ("middle", 2.0), ("late", 3.0)]


def test_who_waits_for_nothing_is_told(loop: VirtualLoop) -> None:
    async def forever() -> None:
        await loop.create_future()

    with pytest.raises(StuckEpisodeError, match="no timer runs"):
        loop.run_until_complete(forever())
    # The task is not left to be found by the collector.
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))


def test_who_goes_on_without_end_is_told(loop: VirtualLoop) -> None:
    def again() -> None:
        loop.call_soon(again)

    again()
    with pytest.raises(StuckEpisodeError, match="turns"):
        loop.run_forever()


def test_a_jump_of_the_clock_rings_what_is_due(loop: VirtualLoop) -> None:
    rung: list[str] = []

    async def jump() -> None:
        loop.call_later(10, rung.append, "ten")
        loop.advance(60)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    loop.run_until_complete(jump())
    assert rung == ["ten"]
    assert loop.time() == 60


def test_an_executor_runs_in_its_place(loop: VirtualLoop) -> None:
    async def both() -> list[int]:
        return [await loop.run_in_executor(None, abs, -1), abs(-2)]

    assert loop.run_until_complete(both()) == [1, 2]

"""Waiting in a test for a fact that nothing announces."""

import asyncio
from collections.abc import Awaitable, Callable

SECONDS_MAX = 20.0
_PAUSE_S = 0.02


async def until(
    reached: Callable[[], bool | Awaitable[bool]], seconds: float = SECONDS_MAX
) -> None:
    """Wait until *reached* holds, at most *seconds*; a wait in vain fails with TimeoutError."""
    async with asyncio.timeout(seconds):
        while True:
            answer = reached()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(_PAUSE_S)

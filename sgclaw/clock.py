"""The system's clocks, read here and handed on: nothing below reads one by itself."""

import asyncio
import time
from datetime import UTC, date, datetime


class MonotonicClock:
    """Seconds that only go forward."""

    def monotonic(self) -> float:
        """Return seconds since some fixed point."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait *seconds*."""
        await asyncio.sleep(seconds)


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the one place


def local_today() -> date:
    """Return the date on the person's own calendar: what "this month" means to them."""
    return utc_now().astimezone().date()

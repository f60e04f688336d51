"""The two time bounds of one try that no HTTP client has: first token, and the whole try (R4).

A client's read timeout counts from byte to byte, so a server that sends only keep-alives is waited
for without end. A token is text, reasoning or a tool call: never a role, a ping or a comment.
"""

import asyncio
from types import TracebackType
from typing import Self

from actions.llm.errors import NetworkFailedError
from states.settings import ModelLimits


class Deadline:
    """Bounds what runs inside it; `token_seen` moves the bound from the first to the second.

    Raises:
        NetworkFailedError: a bound passed; the code says which.
    """

    def __init__(self, limits: ModelLimits) -> None:
        self._first_s = min(limits.first_token_seconds, limits.try_seconds)
        self._whole_s = limits.try_seconds
        self._began = 0.0
        self._seen = False
        self._timeout = asyncio.timeout(None)

    def token_seen(self) -> None:
        """Say that a token came: from now on only the whole try is bounded."""
        if not self._seen and not self._timeout.expired():
            self._seen = True
            self._timeout.reschedule(self._began + self._whole_s)

    async def __aenter__(self) -> Self:
        self._began = asyncio.get_running_loop().time()
        self._timeout = asyncio.timeout_at(self._began + self._first_s)
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError:
            raise self._late() from None
        # Some client turned the cancelling into an error of its own: the bound passed all the same.
        if self._timeout.expired():
            raise self._late() from None
        return None

    def _late(self) -> NetworkFailedError:
        if self._seen or self._first_s == self._whole_s:
            return NetworkFailedError("model_try_late", seconds=self._whole_s)
        return NetworkFailedError("model_first_token_late", seconds=self._first_s)

"""Steps that nobody waits for: kept alive until they end, bounded, cancelled together."""

import asyncio
from collections.abc import Coroutine
from typing import Any

_TASKS_MAX = 10_000


class TaskSet:
    """A bounded set of running steps."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, step: Coroutine[Any, Any, None]) -> None:
        """Start *step*; over the bound it never runs."""
        if len(self._tasks) >= _TASKS_MAX:
            step.close()
            return
        task = asyncio.get_running_loop().create_task(step)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        """Cancel what runs."""
        for task in tuple(self._tasks):
            task.cancel()

    async def stop(self) -> None:
        """Cancel what runs and wait for its end."""
        tasks = tuple(self._tasks)
        self.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

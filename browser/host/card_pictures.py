"""Pictures for an approval card: each element the answer is about, framed in its surroundings.

The rule: a picture is a help to the person and never a condition. What cannot be had in time is
left out, the card says so, and the question is asked all the same.
"""

import asyncio
import contextlib
from collections.abc import Sequence

from browser.host.approver import ApprovalCard
from browser.host.command_executor import CommandExecutor
from browser.host.outcome import ResolvedCall


async def pictured(
    card: ApprovalCard, calls: Sequence[ResolvedCall], executor: CommandExecutor, seconds: float
) -> ApprovalCard:
    """Return *card* with a picture for each of *calls*, as many as can be had in *seconds*.

    The first of *calls* is the card's own, the others are those of `also`.
    """
    pictures: list[bytes | None] = []
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for call in calls:
                pictures.append(await executor.picture_of_target(call))
    pictures += [None] * (len(calls) - len(pictures))
    also = tuple(
        item.model_copy(update={"picture": picture})
        for item, picture in zip(card.also, pictures[1:], strict=True)
    )
    return card.model_copy(update={"picture": pictures[0], "also": also})

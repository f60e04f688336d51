"""The first model call: its text is the plan (L1)."""

from typing import Any

from actions.ports import Ports
from actions.telling import Telling
from actions.think import Emit, ask_model
from states.task import Context


async def plan(context: Context, ports: Ports, emit: Emit) -> dict[str, Any]:
    """Return the judged first reply: the payload of `done.invoke.plan`.

    Raises:
        ProviderError: the model cannot answer.
    """
    telling = Telling(ports.log, emit)
    payload = await ask_model(context, ports, telling)
    text = payload["record"]["turn"]["text"]
    if text and not telling.said_any:  # what was told as it came is not told twice
        ports.log("planned", text=text)
    return payload

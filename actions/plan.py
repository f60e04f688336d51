"""The first model call: its text is the plan (L1)."""

from typing import Any

from actions.ports import Ports
from actions.think import ask_model
from states.task import Context


async def plan(context: Context, ports: Ports) -> dict[str, Any]:
    """Return the judged first reply: the payload of `done.invoke.plan`.

    Raises:
        ProviderError: the model cannot answer.
    """
    payload = await ask_model(context, ports)
    text = payload["record"]["turn"]["text"]
    if text:
        ports.log("planned", text=text)
    return payload

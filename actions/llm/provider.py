"""What the task needs of a model: one complete reply to a conversation (R1, R3)."""

from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from states.catalogue import Lang
from states.messages import Message, ModelTurn


class ModelRequest(BaseModel):
    """One model call: the conversation so far, and the page as text."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    trace_id: str
    instruction: str
    conversation: tuple[Message, ...]
    page_text: str = ""
    language: Lang = "en"
    call_number: int
    last_data: dict[str, Any] = {}
    last_message: str = ""
    last_error: str = ""


class Provider(Protocol):
    """Somebody who answers model calls."""

    name: str

    def skip(self, calls: int) -> None:
        """Go on after *calls* replies: they were given before the agent was killed."""
        ...

    async def complete(self, request: ModelRequest) -> ModelTurn:
        """Return one complete reply.

        Raises:
            ProviderError: there is none; the task fails with its text.
        """
        ...

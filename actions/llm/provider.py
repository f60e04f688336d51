"""What the task needs of a model: one complete reply to a conversation (R1, R3)."""

from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from actions.llm.chunks import Hear, nobody
from states.catalogue import Lang
from states.messages import Message, ModelTurn


class ModelRequest(BaseModel):
    """One model call: the conversation so far, and the page as text.

    *picture* is a base64 picture that the last command took, "" for none. *squeeze* counts how
    often the model said that its window was full: each time the conversation is given shorter.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    trace_id: str
    instruction: str
    conversation: tuple[Message, ...]
    page_text: str = ""
    picture: str = ""
    squeeze: int = 0
    language: Lang = "en"
    call_number: int
    last_data: dict[str, Any] = {}
    last_message: str = ""
    last_error: str = ""


class Provider(Protocol):
    """Somebody who answers model calls."""

    name: str
    # Whether all calls of one reply run, one after the other, or only the first (R5).
    runs_lists: bool

    def skip(self, calls: int) -> None:
        """Go on after *calls* replies: they were given before the agent was killed."""
        ...

    async def complete(self, request: ModelRequest, hear: Hear = nobody) -> ModelTurn:
        """Return one complete reply; *hear* is told pieces of it, and of failed tries.

        Raises:
            ProviderError: there is none; the task fails with its text.
        """
        ...

    async def close(self) -> None:
        """Close what is open; the task is over."""
        ...

"""One API family of models: it makes one try of one request (R3)."""

from typing import Protocol

from actions.llm.chunks import Hear
from prompts.prompt import Prompt
from states.messages import ModelTurn


class Family(Protocol):
    """Speaks one provider's API. It neither retries nor decides what a reply means."""

    name: str
    model: str

    async def attempt(self, prompt: Prompt, hear: Hear) -> ModelTurn:
        """Make one try and return its whole reply; *hear* is told pieces as they come.

        Raises:
            ModelCallError: there is none; the class says who must act, or that another try may do.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...

"""Where a model answers: what a family is given, and each provider's own address (R3)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

# Claude's without `/v1`, the others with it: what each SDK makes of its base URL.
BASE_URLS: Mapping[str, str] = MappingProxyType(
    {
        "claude": "https://api.anthropic.com",
        "openai": "https://api.openai.com/v1",
        "ollama": "http://127.0.0.1:11434/v1",
    }
)


class Endpoint(Protocol):
    """Where a model answers, and with which key; *kind* is the provider's name."""

    @property
    def kind(self) -> str:
        """The provider's name."""
        ...

    @property
    def model(self) -> str:
        """The model's name."""
        ...

    @property
    def base_url(self) -> str:
        """The address, "" for the provider's own."""
        ...

    @property
    def api_key(self) -> str:
        """The key, "" where none is wanted."""
        ...

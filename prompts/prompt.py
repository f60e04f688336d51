"""What a model is given, whoever's API it goes to: system text, tools, messages (R2).

Pure data. Order and bytes of *system* and *tools* stay the same through a task, so that a
provider's prompt cache finds them again.
"""

from typing import Any, NamedTuple

from states.messages import Message


class ToolDefinition(NamedTuple):
    """One tool as a model is told of it; *schema* is a JSON Schema of an object."""

    name: str
    description: str
    schema: dict[str, Any]


class Prompt(NamedTuple):
    """One request. *picture* is a base64 PNG or JPEG that belongs to the last message, or ""."""

    system: str
    tools: tuple[ToolDefinition, ...]
    messages: tuple[Message, ...]
    picture: str = ""
    output_tokens_max: int = 4_096

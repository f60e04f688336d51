"""From a decoded document to a closed wire model; strict, so that "1" and true are no numbers."""

import json
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from engine.pipe.errors import ProtocolViolationError
from engine.pipe.strict_json import readable_seq
from states.wire import AGENT_MESSAGES, HOST_MESSAGES, AgentMessage, HostMessage

_REASON_CHARS = 300

Message = TypeVar("Message")


def parse_agent_message(document: dict[str, Any]) -> AgentMessage:
    """Return what the agent sent as its model.

    Raises:
        ProtocolViolationError: message_schema.
    """
    return _parse(AGENT_MESSAGES, document)


def parse_host_message(document: dict[str, Any]) -> HostMessage:
    """Return what the host sent as its model.

    Raises:
        ProtocolViolationError: message_schema.
    """
    return _parse(HOST_MESSAGES, document)


def reason_of(error: ValidationError) -> str:
    """Return the first complaints of *error* on one line, without the values it met.

    A value may be a secret or page text; neither belongs in a sentence that is logged.
    """
    parts = [
        ".".join(str(step) for step in row["loc"]) + ": " + row["msg"]
        for row in error.errors(include_url=False, include_context=False, include_input=False)[:3]
    ]
    return ascii("; ".join(parts))[1:-1][:_REASON_CHARS]


def _parse(messages: TypeAdapter[Message], document: dict[str, Any]) -> Message:
    try:
        # Strict mode knows JSON's types only when it reads JSON (a list is a tuple there).
        return messages.validate_json(json.dumps(document), strict=True)
    except ValidationError as error:
        seq = readable_seq(document)
        raise ProtocolViolationError("message_schema", seq, why=reason_of(error)) from None

"""Read one server-sent event of the Messages API as a frame: a JSON object with its type (R3).

The SDK drops events without a name; some gateways send none. The type that each frame holds
itself says the same, so it is what counts.
"""

from typing import Any, Protocol

from actions.llm.errors import StreamBrokenError
from actions.llm.status_errors import Words
from actions.llm.strict_json import StrictJsonError, strict_object

# Some gateways end every stream as an OpenAI-compatible server does.
_FOREIGN_END = "[DONE]"


class FrameEvent(Protocol):
    """One event as the SDK decoded it."""

    @property
    def event(self) -> str | None:
        """The event's name."""
        ...

    @property
    def data(self) -> str:
        """Its lines of data."""
        ...


def frame_of(event: FrameEvent, tell: Words) -> dict[str, Any] | None:
    """Return the frame that *event* carries, None for one that carries nothing.

    *tell* is how its words are told.

    Raises:
        StreamBrokenError: its data are no strict JSON object.
    """
    text = event.data.strip()
    if not text or text == _FOREIGN_END:
        return None
    try:
        frame = strict_object(text)
    except StrictJsonError as error:
        if event.event == "error":
            return {"type": "error", "error": text}
        raise StreamBrokenError("model_unreadable", said=tell.of(error)) from None
    fallback = "error" if "error" in frame else event.event
    return frame if "type" in frame else {**frame, "type": fallback}

"""What a trace id looks like: the pipe's own form (`states.wire.TraceId`), asked of a text."""

from functools import cache

from pydantic import TypeAdapter, ValidationError


@cache
def _form() -> "TypeAdapter[str]":
    # The wire's models take time to build, and most commands ask for no trace.
    from states.wire import TraceId

    return TypeAdapter(TraceId)


def is_trace(text: str) -> bool:
    """Tell whether *text* is a trace id, and so a safe name for a file."""
    try:
        _form().validate_python(text)
    except ValidationError:
        return False
    return text.isascii() and text.isprintable()

"""What a trace id looks like (the pipe's own form, `states.wire.TraceId`), and a new one."""

import secrets
from datetime import datetime
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


def new_trace_id(now: datetime) -> str:
    """Return a trace id of the form `sgclaw-{date}-{random}` (A1)."""
    return f"sgclaw-{now:%Y%m%d}-{secrets.token_hex(8)}"

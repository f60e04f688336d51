"""Errors of the pipe: the other end must act.

PipeError
├── ProtocolViolationError   a line that cannot be taken: nothing of it was acted upon
├── EnvelopeError            a message whose proof or number is wrong
├── UnsendableMessageError   a message of ours breaks the bounds of the pipe and was not sent
└── PipeClosedError          the other end is gone
"""

from typing import Any

from states.errors import SgclawError


class PipeError(SgclawError):
    """Root of this package's errors."""


class ProtocolViolationError(PipeError):
    """A line breaks the protocol; *seq* is its number when one could be read."""

    def __init__(self, code: str, seq: int | None = None, **facts: Any) -> None:
        super().__init__(code, **facts)
        self.seq = seq


class EnvelopeError(PipeError):
    """The HMAC or the seq of a message is wrong; *seq* is what it claims to be."""

    def __init__(self, code: str, seq: int | None = None, **facts: Any) -> None:
        super().__init__(code, **facts)
        self.seq = seq


class UnsendableMessageError(PipeError):
    """A message of ours breaks a bound that the other end enforces; it was not sent."""


class PipeClosedError(PipeError):
    """The other end of the pipe is gone; nothing can be sent any more."""

    def __init__(self) -> None:
        super().__init__("pipe_closed")

"""Why a model gave no reply, split by who must act (R4).

ModelCallError (a ProviderError: the task fails with its text)
├── UserMustActError       key refused, quota or credit spent, not permitted
├── OperatorMustActError   base URL, model name, a request that this server does not take
├── ContextTooLongError    the prompt does not fit the model's window
└── RetryableError         worth another try
    ├── NetworkFailedError     no connection, no byte in time, cut while it was read
    ├── ProviderBusyError      5xx, overloaded
    ├── RateLimitedError       429 that is no quota
    └── StreamBrokenError      an answer that is no whole, readable stream
"""

from typing import ClassVar

from actions.errors import ProviderError
from actions.llm.chunks import TryKind
from states.messages import Usage


class ModelCallError(ProviderError):
    """One try gave no reply. *usage* is what it cost all the same."""

    usage: Usage = Usage()


class UserMustActError(ModelCallError):
    """The person must act: the key or the account."""


class OperatorMustActError(ModelCallError):
    """Whoever set this up must act: address, model name, profile."""


class ContextTooLongError(ModelCallError):
    """The prompt does not fit the model's window."""


class RetryableError(ModelCallError):
    """Another try may do; *retry_after_s* is the wait that the provider asks for."""

    kind: ClassVar[TryKind] = "network"
    retry_after_s: float | None = None


class NetworkFailedError(RetryableError):
    """The provider was not reached, or went silent."""


class ProviderBusyError(RetryableError):
    """The provider says that the fault is its own."""

    kind: ClassVar[TryKind] = "overload"


class RateLimitedError(RetryableError):
    """Too many requests."""

    kind: ClassVar[TryKind] = "rate"


class StreamBrokenError(RetryableError):
    """The stream ended early or cannot be read."""

    kind: ClassVar[TryKind] = "stream"

"""What can go wrong while acting, split by who must act.

ActionError
├── ProviderError       the model's side: operator or provider must act; the task fails
├── NoAnswerError       the browser did not answer; the model looks again, nothing is re-sent
├── ApprovalMissingError  what needs a person's yes has none; nothing was sent
└── LinkClosedError     the host is gone; the agent ends
"""

from states.errors import SgclawError


class ActionError(SgclawError):
    """Root of this package's errors."""


class ProviderError(ActionError):
    """The model cannot answer this call."""


class NoAnswerError(ActionError):
    """A command was sent and no answer came in time: its effect is not known."""


class ApprovalMissingError(ActionError):
    """A tool that may change something was to be called without its approval."""


class LinkClosedError(ActionError):
    """The pipe to the host closed while an answer was awaited."""

"""Why a call of an MCP tool came to nothing, split by who must act.

McpError (an ActionError: the model is told, the task goes on)
├── McpArgumentsError     the model: no such tool, or arguments that break its schema; nothing sent
├── McpToolChangedError   a person: the tool is not what was approved; nothing sent
├── McpStartError         whoever set the server up: it does not start or speak MCP; nothing sent
├── McpCallError          nobody knows what came of it: it was sent, and no usable answer came
└── McpSchemaError        the author of the tool: a schema that is not safe to apply

What a server itself answers, errors included, is no McpError but an `McpResult`.
"""

from actions.errors import ActionError


class McpError(ActionError):
    """Root of this package's errors."""


class McpArgumentsError(McpError):
    """The call is none of an approved tool; nothing was sent."""


class McpToolChangedError(McpError):
    """The server no longer offers the tool as it was approved; nothing was sent."""


class McpStartError(McpError):
    """The server cannot be used; nothing was sent."""


class McpCallError(McpError):
    """The call was sent and no usable answer came: its effect is not known."""


class McpSchemaError(McpError):
    """A tool's schema cannot be used safely; such a tool is never approved."""

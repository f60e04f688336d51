"""What a person approves of a server: its tools as a model would be told of them, and pins."""

from collections import Counter
from collections.abc import Sequence

from pydantic import ValidationError

from actions.mcp.clean import clean, one_line
from actions.mcp.errors import McpError, McpSchemaError
from actions.mcp.schema import approvable
from states.mcp import McpTool, ToolOffer, pin_of
from states.settings import McpLimits

_SHOWN_CHARS = 80


def approved_tool(offer: ToolOffer, limits: McpLimits, *, read_only: bool) -> McpTool:
    """Return *offer* as the approved tool that it becomes when a person says yes.

    Raises:
        McpSchemaError: it cannot be approved.
    """
    shown = one_line(offer.name, _SHOWN_CHARS)
    schema = approvable(offer.name, offer.input_schema, limits.schema_chars_max)
    if offer.output_schema is not None:
        approvable(offer.name, offer.output_schema, limits.schema_chars_max)
    try:
        pin = pin_of(offer)
    except ValueError as error:
        why = one_line(str(error), _SHOWN_CHARS)
        raise McpSchemaError("mcp_schema_invalid", tool=shown, why=why) from None
    words = clean(offer.description or "").strip()
    bound = limits.description_chars_max
    description = words if len(words) <= bound else words[: bound - 1] + "…"
    try:
        return McpTool(
            name=offer.name,
            description=description,
            input_schema=schema,
            read_only=read_only,
            pin=pin,
        )
    except ValidationError:
        raise McpSchemaError("mcp_name_odd", tool=shown) from None


def candidates(
    offers: Sequence[ToolOffer], limits: McpLimits, *, read_only: bool = False
) -> list[tuple[ToolOffer, McpTool | McpError]]:
    """Return each of *offers* with the tool that it may become, or why it may become none."""
    counted = Counter(offer.name for offer in offers)
    found: list[tuple[ToolOffer, McpTool | McpError]] = []
    for offer in offers:
        try:
            if counted[offer.name] > 1:
                name = one_line(offer.name, _SHOWN_CHARS)
                raise McpSchemaError("mcp_name_twice", tool=name)
            found.append((offer, approved_tool(offer, limits, read_only=read_only)))
        except McpSchemaError as error:
            found.append((offer, error))
    return found

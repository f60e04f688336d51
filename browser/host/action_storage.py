"""The page's storage: read and set one key of the document the tab shows.

The rule: whose storage it is is checked in the same answer that touches it, and a value that looks
like a credential leaves the page masked.
"""

from typing import Any

from browser.host.errors import CdpTimeoutError, CommandError, ContextGoneError
from browser.host.turn import Turn


async def storage_get(turn: Turn) -> dict[str, Any]:
    """Read one key; an answer with `masked` hid a credential."""
    await turn.meet_document()
    place = {"area": turn.params.area, "key": turn.params.key}
    limit = {"chars_max": turn.tab.limits.storage_chars_max}
    return await turn.ask("storage_get", {**place, **limit})


async def storage_set(turn: Turn) -> dict[str, Any]:
    """Set one key, or clear it with null."""
    await turn.meet_document()
    params = turn.params
    place = {"area": params.area, "key": params.key, "value": params.value}
    turn.acted = True
    try:
        await turn.ask("storage_set", place)
    except (ContextGoneError, CdpTimeoutError) as error:
        why = str(error)[:200]
        raise CommandError("unknown_outcome", action=turn.request.action, why=why) from error
    return {"value": params.value}

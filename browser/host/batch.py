"""The list on a card: the commands that follow the asked one, as far as one answer can reach.

The rule: every command on it is resolved now, without acting, and stands there with all that its
approval will be bound to. The list ends at the first command that acts and cannot stand on it: what
acts outside the list takes the rest of its approvals back anyway.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable

from pydantic import ValidationError

from browser.host.channel import completed_params
from browser.host.outcome import ResolvedCall
from engine.pipe.envelope import UNSEALED
from guards.policy import effect_of
from states.actions import PARAMS
from states.policy import READ_ACTIONS, Effect, Policy
from states.wire import Command, CommandSecurity, ListedCall

Resolve = Callable[[Command], Awaitable[ResolvedCall | None]]
Wanted = Callable[[ResolvedCall], bool]


async def calls_to_list(
    also: Iterable[Command], resolve: Resolve, wanted: Wanted, seconds: float
) -> list[ResolvedCall]:
    """Return what of *also* can be listed, in order; after *seconds* what is found must do.

    *resolve* answers what a command meets now, None when it meets nothing; *wanted* tells whether
    a person must agree to it and may still be asked.
    """
    found: list[ResolvedCall] = []
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for command in also:
                met = await resolve(command)
                if met is not None and wanted(met):
                    found.append(met)
                elif command.action not in READ_ACTIONS:
                    break
    return found


def as_commands(also: Iterable[ListedCall], policy: Policy) -> list[Command]:
    """Return *also* up to the first call that the pipe would not take as a command."""
    commands: list[Command] = []
    for call in also:
        if not _may_be_listed(call, policy):
            break
        security = CommandSecurity(expected_domain=call.expected_domain, hmac=UNSEALED)
        commands.append(Command(seq=1, action=call.action, params=call.params, security=security))
    return commands


def _may_be_listed(call: ListedCall, policy: Policy) -> bool:
    """Tell whether *call* is known, complete and allowed."""
    if call.action not in PARAMS:
        return False
    try:
        completed_params(call.action, call.params)
    except ValidationError:
        return False
    effect, _ = effect_of(policy, call.expected_domain, call.action, call.params)
    return effect is not Effect.DENY

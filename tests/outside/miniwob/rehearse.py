"""The rehearsal: what a policy reads is read here, in a tab of its own, before the agent runs.

The same seed gives the same page, so what a policy noted down here is what a scripted model can say
in the real run, where nothing is known to it but its own lines.
"""

from collections.abc import Awaitable, Callable

from browser.host.outcome import ALLOW
from tests.outside.miniwob.case import Case, Seen, Step
from tests.support.host_lab import TabLab
from tests.support.wob_site import Episode, WobSite

GOAL = "core.getUtterance().utterance ?? core.getUtterance()"
Policy = Callable[[Case], Awaitable[None]]


class StepFailedError(Exception):
    """A step of a rehearsal failed: the policy is wrong, or the product."""


async def rehearse(tab: TabLab, wob: WobSite, episode: Episode, policy: Policy) -> Case:
    """Return the case of *episode* with the steps that *policy* noted."""
    first = await _perform(tab, Step("navigate", {"url": wob.url(episode)}))
    goal = str(await tab.script(GOAL))

    async def perform(step: Step) -> Seen:
        return await _perform(tab, step)

    case = Case(episode, goal, first, perform)
    await policy(case)
    return case


async def _perform(tab: TabLab, step: Step) -> Seen:
    outcome = await tab.do(step.action, approve=lambda _: ALLOW, **step.params)
    if outcome.error is not None:
        raise StepFailedError(f"{step.action} {step.params}: {outcome.error.message}")
    return Seen(outcome.data, outcome.snapshot)

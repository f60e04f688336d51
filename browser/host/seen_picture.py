"""The marked picture that goes with an answer when words do not tell the page (O3, O4).

The rule is the seed's: the text when it names more than four fifths of what can be pressed, else
the picture, and both where the layout says what words do not. It is a reading like any other, so
the policy decides whether it may be taken; without one the answer stands as it is.
"""

import asyncio

from browser.host.command_executor import CommandExecutor
from browser.host.host_log import NumberedLog
from browser.host.outcome import ALLOW, Approval, Outcome, ResolvedCall, deny
from guards.perception import look_of
from guards.policy import domain_of
from states.policy import Effect
from states.settings import Settings
from states.wire import ProviderSpec

_ACTION = "pageScreenshot"
_PARAMS = {"som_overlay": True}
_TAKEN = ("image_base64", "som_labels")
# These have no eyes, or most of their models have none: only on the operator's word.
_BLIND = frozenset({"offline", "scripted", "ollama"})


class SeenPictures:
    """Adds the picture to the answers of one task, if its model sees pictures."""

    def __init__(
        self, executor: CommandExecutor, settings: Settings, provider: ProviderSpec
    ) -> None:
        self._executor = executor
        self._seconds = settings.browser.seen_picture_seconds
        wanted = settings.model.pictures
        self._wanted = wanted == "on" or (wanted == "auto" and provider.kind not in _BLIND)

    async def added(self, outcome: Outcome, log: NumberedLog) -> Outcome:
        """Return *outcome* with the marked picture of its page, where the rule wants one."""
        if not self._wanted or not _needs_picture(outcome):
            return outcome
        try:
            async with asyncio.timeout(self._seconds):
                taken = await self._executor.execute(
                    _ACTION, _PARAMS, domain_of(outcome.page.url), _if_it_reads
                )
        except TimeoutError:
            log.note("PICTURE_NOT_TAKEN", why="timeout")
            return outcome
        if not taken.success or taken.page.document_id != outcome.page.document_id:
            log.note("PICTURE_NOT_TAKEN", why=taken.error.code if taken.error else "page_changed")
            return outcome
        picture = {name: taken.data[name] for name in _TAKEN if name in taken.data}
        return outcome._replace(data={**outcome.data, **picture})


def _needs_picture(outcome: Outcome) -> bool:
    if outcome.confirmation is not None or not outcome.page.document_id:
        return False
    has_one = "image_base64" in outcome.data or "dialog" in outcome.data
    return not has_one and look_of(outcome.page) != "aom"


def _if_it_reads(call: ResolvedCall) -> Approval:
    return ALLOW if call.effect is Effect.READ else deny("refused", call.reason)

"""Answering a native dialog: only what is open, only where it belongs, only as a person said."""

from typing import Any

from browser.host.errors import CommandError, PolicyRefusedError
from browser.host.outcome import Approve, ResolvedCall
from browser.host.tab import Tab
from browser.host.turn import ConfirmationNeededError, NotApprovedError
from guards.policy import domain_of, origin_is_domain, url_verdict
from states.catalogue import Lang, words
from states.policy import Effect, Policy, Target
from states.verdict import refused

DIALOG_RESPONSE = "dialog_response"


class DialogTurn:
    """The answer to the dialog that *tab* shows."""

    def __init__(self, tab: Tab, policy: Policy, lang: Lang) -> None:
        self._tab = tab
        self._policy = policy
        self._lang = lang

    async def answer(
        self, accept: bool, text: str, expected_domain: str, approve: Approve
    ) -> dict[str, Any]:
        """Give the answer when *approve* allows exactly it.

        Raises:
            CommandError: nothing to answer, the wrong page, or nobody agreed.
        """
        call = self._call(text, expected_domain, accept=accept)
        approval = approve(call)
        if approval.kind == "needs_confirmation":
            raise ConfirmationNeededError(call)
        if approval.kind != "allow":
            raise NotApprovedError(approval.code, approval.reason)
        shown = self._tab.dialog
        answer: dict[str, Any] = {"accept": accept}
        if text and accept:
            answer["promptText"] = text
        await self._tab.send("Page.handleJavaScriptDialog", answer)
        # The event that closes it may come after the answer, the next dialog right behind it.
        await self._tab.until(lambda: self._tab.dialog is not shown, self._tab.limits.cdp_seconds)
        return {"answered": "accepted" if accept else "dismissed"}

    def _call(self, text: str, expected_domain: str, *, accept: bool) -> ResolvedCall:
        dialog, url = self._tab.dialog, self._tab.url
        if dialog is None:
            raise CommandError("no_open_dialog")
        verdict = url_verdict(self._policy, url)
        if verdict and not origin_is_domain(url, expected_domain):
            verdict = refused("domain_mismatch", expected=expected_domain, actual=domain_of(url))
        if not verdict:
            raise PolicyRefusedError(verdict)
        return ResolvedCall(
            action=DIALOG_RESPONSE,
            params={"accept": accept, "text": text},
            origin=domain_of(url),
            # The page cannot be asked while its dialog is open; its load names the document.
            document_id=self._tab.loader_ids[-1],
            target=Target(role="dialog", name=dialog.message, frame=dialog.type),
            effect=Effect.CONFIRM,
            reason=words("risk_dialog", self._lang, name=dialog.message),
        )

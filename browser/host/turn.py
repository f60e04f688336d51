"""One command in progress: checked, resolved, approved, and only then acted.

The rule of a turn: the document's own origin is compared with the expected domain in the same
answer that resolves the element, the approval is about exactly that element, and every later
question names that origin, document and element again, so nothing else can be met.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from browser.host.errors import CommandError, PolicyRefusedError
from browser.host.outcome import Approve, ResolvedCall
from browser.host.tab import Tab
from guards.policy import domain_of, effect_of, origin_is_domain
from states.actions import Params
from states.catalogue import Lang
from states.policy import Effect, Policy, Target
from states.verdict import Verdict, refused


class ConfirmationNeededError(CommandError):
    """A person must agree to *call* first; nothing was done."""

    def __init__(self, call: ResolvedCall) -> None:
        super().__init__("needs_confirmation")
        self.call = call


class NotApprovedError(CommandError):
    """The host's approval said no, in its own words."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(code)
        self.reason = reason

    def text(self, lang: Lang = "en") -> str:
        """Return the approval's own sentence."""
        return getattr(self, "reason", "") or super().text(lang)


class Request(NamedTuple):
    """What was asked: a validated action, and who decides about it."""

    action: str
    params: Params
    expected_domain: str
    approve: Approve


class Turn:
    """The command *request* on *tab*; `acted` is true from the moment it may have an effect."""

    def __init__(self, tab: Tab, policy: Policy, request: Request, lang: Lang) -> None:
        self.tab = tab
        self.policy = policy
        self.request = request
        self.acted = False
        self.met: dict[str, Any] = {}
        self._lang = lang
        self._effect = Effect.DENY
        self._about: dict[str, Any] = {}
        self._expected: dict[str, Any] = {}

    @property
    def params(self) -> Any:
        """The validated parameters of the action (its own closed model)."""
        return self.request.params

    async def meet_document(self) -> None:
        """Look at the document, without any element, and have the command approved on it."""
        self._approve(await self.tab.ask("identity", {}), None)

    async def meet(self, selector: str, wait_ms: int | None = None) -> None:
        """Resolve *selector*, waiting for it *wait_ms* if given, and have the command approved."""
        self._about = {"action": self.request.action}
        if self.request.action == "select":
            self._about["choice"] = self.params.value
        asked = {"selector": selector, **self._about}
        if wait_ms is None:
            found = await self.tab.ask("resolve", asked)
        else:
            arg = {**asked, "need": "attached", "timeout_ms": wait_ms}
            found = await self.tab.ask("ready", arg, wait_ms / 1000)
        self._approve(found, Target.model_validate(found["target"]))

    def approve_navigation(self, origin: str) -> None:
        """Have the command approved for a page at *origin* that is not there yet."""
        self._decide(origin, "", None)

    async def ask(self, function: str, arg: Mapping[str, Any], wait_ms: int = 0) -> dict[str, Any]:
        """Ask the bundle in the document that was met, and no other."""
        asked = {**arg, **self._about, **self._expected}
        return await self.tab.ask(function, asked, wait_ms / 1000)

    async def ask_to_act(
        self, function: str, arg: Mapping[str, Any], wait_ms: int = 0
    ) -> dict[str, Any]:
        """Ask about the element that was approved; the bundle refuses it when it changed.

        Raises:
            CommandError: it is another element now, or one that a person would be asked about.
        """
        arg = {**arg, "expected_target": self._expected_target()}
        answer = await self.ask(function, arg, wait_ms)
        self._judge_again(Target.model_validate(answer["target"]))
        return answer

    def _expected_target(self) -> dict[str, Any]:
        """Return the fields that must stay: to a person's yes all count, else what is acted on."""
        target: dict[str, Any] = self.met["target"]
        words = {"said"} if self.request.action == "select" else set()
        if self._effect is Effect.CONFIRM:
            kept = (target.keys() - {"said"}) | words
        else:
            kept = {"role", "name", "tag", "input_type"} | words
        return {name: target[name] for name in sorted(kept)}

    def _judge_again(self, target: Target) -> None:
        """Refuse what passed without a person's yes and would need one as it is now."""
        if self._effect is Effect.CONFIRM or self.request.action == "select":
            return
        effect, verdict = self._effect_on(str(self.met["origin"]), target)
        if effect is not self._effect:
            raise CommandError("stale_element", detail=verdict.text(self._lang).rstrip(".。"))

    def _approve(self, found: dict[str, Any], target: Target | None) -> None:
        origin = str(found["origin"])
        self.met = found
        if origin == "null" and self.tab.url == "about:blank":
            raise CommandError("page_not_open")
        if not origin_is_domain(origin, self.request.expected_domain):
            expected, actual = self.request.expected_domain, domain_of(origin) or self.tab.url[:200]
            raise PolicyRefusedError(refused("domain_mismatch", expected=expected, actual=actual))
        self._decide(origin, str(found["document_id"]), target)
        self._expected = {"expected_origin": origin, "document_id": found["document_id"]}

    def _decide(self, origin: str, document_id: str, target: Target | None) -> None:
        effect, verdict = self._effect_on(origin, target)
        if effect is Effect.DENY:
            raise PolicyRefusedError(verdict)
        self._effect = effect
        completed, reason = self._completed(), verdict.text(self._lang)
        action = self.request.action
        call = ResolvedCall(action, completed, origin, document_id, target, effect, reason)
        approval = self.request.approve(call)
        if approval.kind == "needs_confirmation":
            raise ConfirmationNeededError(call)
        if approval.kind != "allow":
            raise NotApprovedError(approval.code, approval.reason)

    def _effect_on(self, origin: str, target: Target | None) -> tuple[Effect, Verdict]:
        return effect_of(self.policy, origin, self.request.action, self._completed(), target)

    def _completed(self) -> dict[str, Any]:
        return self.request.params.completed()

"""One command in progress: checked, resolved, approved, and only then acted.

The rule of a turn: the document's own origin is compared with the expected domain in the same
answer that resolves the element, the approval is about exactly that element, and every later
question names that origin, document and element again, so nothing else can be met.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from browser.host.errors import CommandError, ContextGoneError, PolicyRefusedError
from browser.host.locate import Place, entered, locate
from browser.host.outcome import Approve, ResolvedCall
from browser.host.perceive import Perceived
from browser.host.tab import Tab
from browser.host.uploads import Uploads
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


# Looks at what was found and returns what an approval is bound to besides the parameters.
Prepare = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


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
        self.place: Place | None = None
        self.uploads: Uploads | None = None
        # A look at the whole page that the command itself took.
        self.seen: Perceived | None = None
        self._lang = lang
        self._effect = Effect.DENY
        self._about: dict[str, Any] = {}
        self._added: dict[str, Any] = {}
        self.expected: dict[str, Any] = {}

    @property
    def params(self) -> Any:
        """The validated parameters of the action (its own closed model)."""
        return self.request.params

    @property
    def lang(self) -> Lang:
        """The language of the sentences that are put into others."""
        return self._lang

    @property
    def effect(self) -> Effect:
        """What the policy made of the command when its element was met."""
        return self._effect

    @property
    def selector(self) -> str:
        """What the element is called in its own document."""
        return self.place.selector if self.place is not None else "body"

    async def meet_document(self, selector: str | None = None, wait_ms: int = 0) -> int:
        """Look at the document, without any element, and have the command approved on it.

        It is the one that *selector* leads into, which may take *wait_ms*; returns what is left.
        """
        started = asyncio.get_running_loop().time()
        if selector is not None:
            self.place = await locate(self.tab, selector, wait_ms)
        self._approve(await self._asked("identity", {}), None)
        return _left(started, wait_ms)

    async def meet(
        self,
        selector: str,
        wait_ms: int | None = None,
        *,
        enter: bool = False,
        prepare: Prepare | None = None,
    ) -> None:
        """Resolve *selector*, waiting for it *wait_ms* if given, and have the command approved.

        With *enter* a frame stands for the document in it; what *prepare* returns of the element
        is part of what is approved. A document that goes away while it is waited for is followed
        by the next one, once.
        """
        self._about = self._said_about()
        started = asyncio.get_running_loop().time()
        try:
            found = await self._found(selector, wait_ms)
        except ContextGoneError:
            if wait_ms is None:
                raise
            left = _left(started, wait_ms)
            await self.tab.until_loaded(left / 1000)
            found = await self._found(selector, _left(started, wait_ms))
        if enter and found.get("owner") is not None and self.place is not None:
            inner = await entered(self.tab, self.place, found["owner"])
            if inner != self.place:
                self.place = inner
                found = await self._asked("resolve", {"selector": self.selector, **self._about})
        name = self.place.name if self.place is not None else ""
        found["target"] = {**found["target"], "frame": name}
        if prepare is not None:
            self._added = await prepare(found)
        self._approve(found, Target.model_validate(found["target"]))

    def _said_about(self) -> dict[str, Any]:
        """Return what the bundle must know of the command to tell what it would set off."""
        about: dict[str, Any] = {"action": self.request.action}
        if self.request.action == "select":
            about["choice"] = self.params.value
        if self.request.action == "type" and self.params.keys:
            about["keys"] = list(self.params.keys)
        return about

    async def _found(self, selector: str, wait_ms: int | None) -> dict[str, Any]:
        started = asyncio.get_running_loop().time()
        self.place = await locate(self.tab, selector, wait_ms or 0)
        asked = {"selector": self.selector, **self._about}
        if wait_ms is None:
            return await self._asked("resolve", asked)
        left = _left(started, wait_ms)
        # A sentence tells how long was waited in all, for a frame or a locator too.
        arg = {**asked, "need": "attached", "timeout_ms": left, "told_ms": wait_ms}
        return await self._asked("ready", arg, left)

    async def _asked(
        self, function: str, arg: Mapping[str, Any], wait_ms: int = 0
    ) -> dict[str, Any]:
        world = self.place.world if self.place is not None else None
        return await self.tab.ask(function, arg, wait_ms / 1000, world)

    async def send(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send one command to the frame of the element: its keyboard, its nodes."""
        if self.place is None:
            return await self.tab.send(method, params)
        return await self.place.world.session.send(method, params, self.tab.limits.cdp_seconds)

    def approve_navigation(self, origin: str, entry: Target | None = None) -> None:
        """Have the command approved for a page at *origin* that is not there yet.

        *entry* is the page of the tab's history that it is about.
        """
        self._decide(origin, "", entry)

    async def ask(self, function: str, arg: Mapping[str, Any], wait_ms: int = 0) -> dict[str, Any]:
        """Ask the bundle in the document that was met, and no other."""
        return await self._asked(function, {**arg, **self._about, **self.expected}, wait_ms)

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
        target = {key: told for key, told in self.met["target"].items() if key != "frame"}
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
        self.expected = {"expected_origin": origin, "document_id": found["document_id"]}

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
        return {**self.request.params.completed(), **self._added}


def _left(started: float, wait_ms: int) -> int:
    """Return how much of *wait_ms* is left; always enough for one look."""
    spent = (asyncio.get_running_loop().time() - started) * 1000
    return max(round(wait_ms - spent), 0)

"""A tiny site in memory and the browser that shows it: pages, buttons, a server that counts.

It stands for `browser.host.executor`: it resolves the element, asks the host's last word with
what it found, and only then acts. Which buttons write is the site's own truth, not the policy's.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from browser.host.channel import completed_params
from browser.host.errors import BrowserLostError, CommandError, wire_error
from browser.host.outcome import Approve, Outcome, ResolvedCall
from guards.policy import effect_of, origin_is_domain
from states.digest import digest_of
from states.page import AomNode, PageState
from states.policy import READ_ACTIONS, Effect, HostRule, Policy, Target
from tests.sim.calls import number_of
from tests.sim.evidence import Done, Evidence, Reached

ERP = "https://erp.example.com"
SHOP = "https://shop.example.com"
ERP_ALLOWS = (
    "click", "type", "navigate", "getText", "waitForSelector", "select", "scrollTo",
    "getAomSnapshot", "storageGet", "storageSet",
)  # fmt: skip
POLICY = Policy(
    version=1,
    hosts=(
        HostRule(host="erp.example.com", allow=ERP_ALLOWS),
        HostRule(host="shop.example.com", allow=("navigate", "getText")),
    ),
)
# The same once more, written by hand: what may reach the browser at all (invariant 8).
MAY_REACH = {
    "erp.example.com": frozenset({*ERP_ALLOWS, "dialog_response"}),
    "shop.example.com": frozenset({"navigate", "getText", "dialog_response"}),
}
WRITES = frozenset({"#pay", "#void", "#save"})
PASSWORD_CANARY = "canary-password-7f3a"
_PAGES = {
    "list": ("#query", "#next", "#pay", "#void", "#menu", "#note"),
    "form": ("#query", "#pay", "#menu", "#note", "#save", "#secret"),
}
_TARGETS = {
    "#query": Target(role="button", name="Query", tag="button", serial=1),
    "#next": Target(role="link", name="Next", tag="a", href=ERP + "/form", serial=2),
    "#pay": Target(role="button", name="Pay", tag="button", serial=3, form_state=PASSWORD_CANARY),
    "#void": Target(role="button", name="作废", tag="button", serial=4),
    "#menu": Target(role="button", name="Menu", tag="button", serial=5),
    "#note": Target(role="textbox", name="Note", tag="input", input_type="text", serial=6),
    "#save": Target(role="button", name="OK", tag="button", submits=True, serial=7,
                    form_state=PASSWORD_CANARY),
    "#secret": Target(role="textbox", name="Password", tag="input", input_type="password",
                      in_password_form=True, serial=8),
}  # fmt: skip
# Shown in the snapshot, so that the agent can tell the risk by itself; the others only the host.
_SHOWN = frozenset({"#query", "#next", "#pay", "#note", "#menu"})


class Trouble(Protocol):
    """What goes wrong with one command."""

    @property
    def kind(self) -> str: ...
    @property
    def before_s(self) -> float: ...
    @property
    def after_s(self) -> float: ...


class _Well(NamedTuple):
    kind: str = "none"
    before_s: float = 0.0
    after_s: float = 0.0


class SiteBrowser:
    """The browser of one episode; *troubles* come with its commands, in order."""

    def __init__(self, evidence: Evidence, trace_id: str, lost: Callable[[], None]) -> None:
        self._evidence = evidence
        self._troubles = evidence.plan.browser
        self._trace_id = trace_id
        self._lost = lost
        self._commands = 0
        self._documents = 1
        self._writes = 0
        self._dialog = ""
        self.is_gone = False
        self.page = PageState(url=ERP + "/list", origin=ERP, title="list", document_id="d1")

    async def page_state(self) -> PageState:
        """Return the page."""
        return self.page

    async def execute(
        self, action: str, params: Mapping[str, Any], expected_domain: str, approve: Approve
    ) -> Outcome:
        """Do *action* if *approve* allows what it resolves to."""
        trouble = await self._begin(action, params, expected_domain)
        completed = completed_params(action, params)
        if not self._is_at(action, completed, expected_domain):
            return self._failed(CommandError("domain_mismatch", expected=expected_domain,
                                             actual=self.page.origin))  # fmt: skip
        selector = completed.get("selector")
        target = self._target(str(selector)) if selector not in (None, "body") else None
        if (target is None and selector not in (None, "body")) or trouble.kind == "failed":
            return self._failed(CommandError("element_not_found", selector=selector or "-"))
        origin = (
            ERP if action == "navigate" and "erp" in str(completed["url"]) else self.page.origin
        )
        effect, verdict = effect_of(
            POLICY, self._where(action, completed), action, completed, target
        )
        if trouble.kind == "asks" and effect is Effect.ACT:
            effect = Effect.CONFIRM
        call = ResolvedCall(action, completed, origin, self.page.document_id, target, effect,
                            verdict.text())  # fmt: skip
        return await self._decided(call, approve, trouble, str(selector))

    async def answer_dialog(
        self, accept: bool, text: str, expected_domain: str, approve: Approve
    ) -> Outcome:
        """Answer the open dialog if *approve* allows."""
        params = {"accept": accept, "text": text}
        trouble = await self._begin("dialog_response", params, expected_domain)
        if not self._dialog:
            return self._failed(CommandError("no_open_dialog"))
        call = ResolvedCall("dialog_response", params, self.page.origin, self.page.document_id,
                            Target(role="dialog", name=self._dialog), Effect.CONFIRM)  # fmt: skip
        return await self._decided(call, approve, trouble, "dialog")

    async def picture_of_target(self, call: ResolvedCall) -> bytes | None:
        """Return no picture: nothing is drawn here."""
        del call
        return None

    async def _begin(self, action: str, params: Mapping[str, Any], domain: str) -> Trouble:
        number, self._commands = self._commands, self._commands + 1
        trouble: Trouble = self._troubles[number] if number < len(self._troubles) else _Well()
        place = self._evidence.tell("browser", f"reached by {action}", dict(params))
        self._evidence.reached.append(Reached(place, action, domain, dict(params)))
        await asyncio.sleep(trouble.before_s)
        if trouble.kind == "gone" or self.is_gone:
            self.is_gone = True
            self._lost()
            raise BrowserLostError("closed")
        if trouble.kind == "raises":
            raise RuntimeError("the executor has a fault")
        return trouble

    async def _decided(
        self, call: ResolvedCall, approve: Approve, trouble: Trouble, what: str
    ) -> Outcome:
        approval = approve(call)
        if approval.kind == "needs_confirmation":
            return Outcome(False, {}, None, self.page, confirmation=call)  # noqa: FBT003
        if approval.kind == "deny":
            return self._failed(CommandError(approval.code))
        if call.action not in READ_ACTIONS:
            self._act(call, what)
        await asyncio.sleep(trouble.after_s)
        if trouble.kind == "gone_after":
            self.is_gone = True
            self._lost()
            raise BrowserLostError("closed")
        data = {"done": call.action}
        if call.action == "getText":
            data = {"text": f"{self._writes} writes"}
        return Outcome(True, data, None, self.page, snapshot=self._nodes())  # noqa: FBT003

    def _act(self, call: ResolvedCall, what: str) -> None:
        target = call.target or Target()
        writes = what in WRITES or what == "dialog" or call.action == "storageSet"
        digest = digest_of(call.action, call.params, call.origin, call.document_id, target,
                           self._trace_id)  # fmt: skip
        number = number_of(call.params)
        place = self._evidence.tell("site", f"did {call.action} {what}", {"number": number})
        bound = bound_of(call.action, call.params, call.origin, target)
        self._evidence.done.append(
            Done(
                place,
                number,
                call.action,
                call.params,
                digest,
                bound,
                writes or call.effect is Effect.CONFIRM,
            )
        )
        if writes:
            self._writes += 1
        self._change(call, what)

    def _change(self, call: ResolvedCall, what: str) -> None:
        if what == "dialog":
            self._dialog = ""
        elif what == "#menu":
            self._dialog = "Delete all?"
        elif what == "#next":
            self._open(ERP + "/form")
        elif call.action == "navigate":
            self._open(str(call.params["url"]))

    def renew(self, url: str) -> None:
        """Be a new browser at *url*: what was open in the old one is gone."""
        self.is_gone = False
        self._dialog = ""
        self._open(url or ERP + "/list")

    def _open(self, url: str) -> None:
        self._documents += 1
        origin = SHOP if url.startswith(SHOP) else ERP
        title = "form" if url.endswith("/form") else "list"
        self.page = PageState(url=url, origin=origin, title=title,
                              document_id=f"d{self._documents}")  # fmt: skip

    def _is_at(self, action: str, params: Mapping[str, Any], domain: str) -> bool:
        return action == "navigate" or origin_is_domain(self.page.origin, domain)

    def _where(self, action: str, params: Mapping[str, Any]) -> str:
        if action != "navigate":
            return self.page.origin
        return SHOP if str(params["url"]).startswith(SHOP) else ERP

    def _target(self, selector: str) -> Target | None:
        on_page = _PAGES[self.page.title] if self.page.origin == ERP else ()
        return _TARGETS[selector] if selector in on_page else None

    def _nodes(self) -> tuple[AomNode, ...]:
        shown = [s for s in _PAGES[self.page.title] if s in _SHOWN and self.page.origin == ERP]
        nodes = [
            AomNode(role=_TARGETS[s].role, name=_TARGETS[s].name, selector=s, ref=f"@{n}")
            for n, s in enumerate(shown, start=1)
        ]
        count = AomNode(role="status", name="writes", value=str(self._writes))
        return (*nodes, count)

    def _failed(self, error: CommandError) -> Outcome:
        return Outcome(False, {}, wire_error(error), self.page)  # noqa: FBT003


def bound_of(
    action: str, params: Mapping[str, Any], origin: str, target: Target
) -> tuple[object, ...]:
    """Return all that an approval of a command is about, in a form that can be compared."""
    meant = tuple(sorted((k, str(v)) for k, v in params.items() if k != "timeout_ms"))
    return (action, meant, origin, target.role, target.name, target.serial)

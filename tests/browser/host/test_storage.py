"""The page's storage is read and set where the page has it; credentials in it stay in the page."""

import json
from typing import Any

import pytest

from browser.host.errors import CommandError
from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, ResolvedCall
from states.policy import Effect
from states.settings import BrowserLimits
from tests.support.host_lab import DOMAIN, HostLab, TabLab
from tests.support.site import Reply

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

MASK = "••••••"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


async def put(tab: TabLab, key: str, value: str, area: str = "local") -> None:
    await tab.script(f"{area}Storage.setItem({json.dumps(key)}, {json.dumps(value)})")


async def got(tab: TabLab, key: str, **params: Any) -> Any:
    outcome = await tab.do("storageGet", key=key, **params)
    assert outcome.error is None, outcome.error
    return outcome.data


@pytest.mark.parametrize("area", ["local", "session"])
async def test_a_key_is_set_read_and_cleared_as_the_page_itself_would(
    lab: HostLab, area: str
) -> None:
    tab = await lab.open("x")
    key, value = "视图 'a'", "列表\n“1”"
    outcome = await tab.do("storageSet", key=key, value=value, area=area)
    assert (outcome.success, outcome.data) == (True, {"value": value})
    assert await tab.script(f"{area}Storage.getItem({json.dumps(key)})") == value
    assert await got(tab, key, area=area) == {"value": value}
    await tab.do("storageSet", key=key, value=None, area=area)
    assert await tab.script(f"{area}Storage.length") == 0
    assert await got(tab, key, area=area) == {"value": None}


async def test_setting_needs_a_person_and_reading_does_not(lab: HostLab) -> None:
    tab = await lab.open("x")
    asked: list[ResolvedCall] = []

    def person(call: ResolvedCall) -> Approval:
        asked.append(call)
        return NEEDS_CONFIRMATION if call.effect is Effect.CONFIRM else ALLOW

    outcome = await tab.do("storageSet", key="k", value=None, approve=person)
    assert outcome.confirmation is not None
    assert outcome.confirmation.params == {"key": "k", "value": None, "area": "local"}
    assert outcome.confirmation.origin == lab.good.origin
    assert (await tab.do("storageGet", key="k", approve=person)).success
    assert [call.effect for call in asked] == [Effect.CONFIRM, Effect.READ]


async def test_a_refused_setting_leaves_what_was_there(lab: HostLab) -> None:
    tab = await lab.open("x")
    await put(tab, "k", "old")
    await tab.do("storageSet", key="k", value="new", approve=lambda _: NEEDS_CONFIRMATION)
    await tab.do("storageSet", key="k", value="new", domain="localhost")
    assert await got(tab, "k") == {"value": "old"}


SECRETS: dict[str, tuple[str, str, str]] = {
    "key names it": ("access_token", "abc", MASK),
    "key in camel case": ("userSessionId", "abc", MASK),
    "key in Chinese": ("登录令牌", "abc", MASK),
    "short key": ("sid", "abc", MASK),
    "jwt under a plain key": ("x", f"a {JWT} b", f"a {MASK} b"),
    "bearer": ("x", "Bearer abcdefgh12345", MASK),
    "opaque": ("x", "a1" * 24, MASK),
    "part of a document": ("x", '{"name":"王","jwt":"q1"}', '{"name":"王","jwt":"' + MASK + '"}'),
    "deep in a document": ("x", '[{"a":{"apiKey":7}}]', '[{"a":{"apiKey":"' + MASK + '"}}]'),
    "document in a document": (
        "persist:root",
        json.dumps({"user": json.dumps({"password": "pw"})}, separators=(",", ":")),
        json.dumps(
            {"user": json.dumps({"password": MASK}, separators=(",", ":"), ensure_ascii=False)},
            separators=(",", ":"),
            ensure_ascii=False,
        ),
    ),
}


@pytest.mark.parametrize("case", SECRETS)
async def test_a_credential_never_leaves_the_page(lab: HostLab, case: str) -> None:
    key, value, shown = SECRETS[case]
    tab = await lab.open("x")
    await put(tab, key, value)
    assert await got(tab, key) == {"value": shown, "masked": True}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("author", "王小明"),
        ("theme", "dark"),
        ("columns", '{"a": [1, 2], "b": null, "wide": true}'),
        ("draft", "发票 2026-03，共 12 行，金额 1,234.50"),
        ("device", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"),
        ("html", "<b>a</b> & 'c'"),
    ],
)
async def test_an_ordinary_value_is_read_as_it_is(lab: HostLab, key: str, value: str) -> None:
    tab = await lab.open("x")
    await put(tab, key, value)
    assert await got(tab, key) == {"value": value}


async def test_a_password_that_stands_on_the_page_is_masked_in_storage_too(lab: HostLab) -> None:
    tab = await lab.open("<input type=password value=geheim99>")
    await put(tab, "form", "user=a&p=geheim99")
    assert await got(tab, "form") == {"value": f"user=a&p={MASK}", "masked": True}


async def test_a_full_storage_is_said_and_loses_nothing(lab: HostLab) -> None:
    tab = await lab.open("<script>localStorage.big = 'x'.repeat(5242000)</script>")
    outcome = await tab.do("storageSet", key="more", value="y" * 2_000)
    assert outcome.error is not None
    assert (outcome.error.code, "more" in outcome.error.message) == ("storage_full", True)
    assert await tab.script("localStorage.big.length") == 5_242_000


async def test_a_page_without_storage_says_so(lab: HostLab) -> None:
    headers = {"Content-Security-Policy": "sandbox allow-scripts"}
    tab = await lab.open("x", lambda _: Reply("<h1>boxed</h1>", headers=headers))
    await tab.do("navigate", url=lab.good.url("/1"))
    asked: dict[str, dict[str, Any]] = {"storageGet": {}, "storageSet": {"value": "v"}}
    for action, params in asked.items():
        outcome = await tab.do(action, key="k", **params)
        assert outcome.error is not None
        # A boxed document has no origin of its own, so it is on no allowed host.
        assert outcome.error.code in {"storage_disabled", "domain_mismatch"}


async def test_a_disabled_storage_is_a_sentence(lab: HostLab) -> None:
    tab = await lab.open("x")
    top = await tab.executor.tab.top_world()
    shut = (
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('off') }})"
    )
    arg = {"expression": shut, "uniqueContextId": top.context_id}
    await tab.executor.tab.session.send("Runtime.evaluate", arg)
    outcome = await tab.do("storageGet", key="k")
    assert outcome.error is not None
    assert outcome.error.code == "storage_disabled"
    assert "k: off" in outcome.error.message


async def test_a_value_too_large_is_refused_rather_than_cut(lab: HostLab) -> None:
    tab = await lab.open("x", limits=BrowserLimits(storage_chars_max=10))
    await put(tab, "k", "x" * 11)
    outcome = await tab.do("storageGet", key="k")
    assert outcome.error is not None
    assert (outcome.error.code, "11 > 10" in outcome.error.message) == ("storage_too_large", True)
    await put(tab, "k", "x" * 10)
    assert await got(tab, "k") == {"value": "x" * 10}


async def test_the_page_cannot_answer_for_its_storage(lab: HostLab) -> None:
    page = """<form id=localStorage></form><script>
        localStorage.k = 'true'; Storage.prototype.getItem = () => 'forged';
        Object.defineProperty(window, 'localStorage', {value: {getItem: () => 'forged'}});
    </script>"""
    tab = await lab.open(page)
    assert await got(tab, "k") == {"value": "true"}


async def test_what_was_approved_for_one_document_is_not_done_in_the_next(lab: HostLab) -> None:
    tab = await lab.open("<h1>0</h1>", "<h1>1</h1>")
    page = tab.executor.tab
    met = await page.ask("identity", {})
    about = {"expected_origin": lab.good.origin, "document_id": met["document_id"]}
    arg = {"area": "local", "key": "k", "value": "v", "chars_max": 10, **about}
    await page.ask("storage_set", arg)
    assert await got(tab, "k") == {"value": "v"}
    await tab.do("navigate", url=lab.good.url("/1"))
    for function in ("storage_set", "storage_get"):
        with pytest.raises(CommandError) as refusal:
            await page.ask(function, {**arg, "value": "w"})
        assert refusal.value.code == "document_changed"
    elsewhere = {**arg, "document_id": None, "expected_origin": lab.bad.origin}
    with pytest.raises(CommandError):
        await page.ask("storage_set", elsewhere)
    assert await got(tab, "k") == {"value": "v"}


async def test_a_storage_of_a_page_elsewhere_is_refused(lab: HostLab) -> None:
    tab = await lab.open("x")
    outcome = await tab.do("storageGet", key="k", domain="localhost")
    assert outcome.error is not None
    assert outcome.error.code == "domain_mismatch"
    assert DOMAIN in outcome.error.message

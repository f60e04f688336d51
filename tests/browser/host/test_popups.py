"""Popups are counted, judged once and for good, and bounded."""

from browser.host.popups import Popups
from browser.host.target_session import TargetSession
from states.verdict import refused
from tests.support.quiet_transport import QuietTransport


def session(number: int) -> TargetSession:
    return TargetSession(QuietTransport(), f"s{number}", f"t{number}", "page")


async def test_over_the_bound_a_popup_is_blocked_at_once_and_room_is_made_by_closing() -> None:
    popups = Popups(open_max=2)
    first, second, third = (popups.opened(session(n), "https://a.example/") for n in range(3))
    assert [first.blocked, second.blocked, third.blocked] == [False, False, True]
    assert third.decided.is_set()
    assert popups.of_session("s2") is None
    popups.closed("s0")
    assert not popups.opened(session(3), "https://a.example/").blocked
    assert (popups.count, [p.serial for p in popups.since(2)]) == (4, [3, 4])


async def test_a_popup_lands_when_it_shows_a_page_and_not_before() -> None:
    popup = Popups(open_max=2).opened(session(1), "", "opener")
    popup.navigated("about:blank")
    popup.loads(loading=False)
    assert not popup.landed.is_set()
    popup.decide("https://erp.example.com/", blocked=False)
    popup.loads(loading=True)
    assert not popup.landed.is_set()
    popup.navigated("https://erp.example.com/")
    assert (popup.landed.is_set(), popup.shows, popup.loading) == (True, True, True)


async def test_a_popup_that_shows_an_error_or_nothing_lands_without_a_page() -> None:
    failed = Popups(open_max=2).opened(session(1), "")
    failed.navigated("chrome-error://chromewebdata/")
    empty = Popups(open_max=2).opened(session(2), "")
    empty.decide("https://erp.example.com/f.csv", blocked=False)
    empty.loads(loading=False)
    assert [(p.landed.is_set(), p.shows) for p in (failed, empty)] == [(True, False)] * 2


async def test_an_adopted_popup_leaves_room_and_is_no_popup_any_more() -> None:
    popups = Popups(open_max=1)
    popup = popups.opened(session(1), "https://a.example/")
    popups.adopted(popup)
    assert (popup.adopted, popups.of_session("s1"), popups.of_target("t1")) == (True, None, None)
    assert not popups.opened(session(2), "https://a.example/").blocked
    popups.closed("s1")
    assert not popup.is_lost()


async def test_the_reason_of_the_first_refusal_stays() -> None:
    popup = Popups(open_max=2).opened(session(1), "")
    popup.decide("https://evil.test/", blocked=True, why=refused("popup_dialog"))
    popup.decide("https://evil.test/", blocked=True, why=refused("host_not_in_policy", host="x"))
    assert popup.why.reason == "popup_dialog"
    assert popup.landed.is_set()


async def test_a_popup_once_blocked_stays_blocked_and_keeps_its_first_address() -> None:
    popup = Popups(open_max=2).opened(session(1), "about:blank")
    popup.decide("https://evil.test/", blocked=True)
    popup.decide("https://erp.example.com/", blocked=False)
    assert (popup.blocked, popup.url) == (True, "https://evil.test/")
    good = Popups(open_max=2).opened(session(2), "about:blank")
    good.decide("https://erp.example.com/", blocked=False)
    assert not good.blocked

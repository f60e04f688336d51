"""Popups are counted, judged once and for good, and bounded."""

from browser.host.popups import Popups
from browser.host.target_session import TargetSession
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


async def test_a_popup_once_blocked_stays_blocked_and_keeps_its_first_address() -> None:
    popup = Popups(open_max=2).opened(session(1), "about:blank")
    popup.decide("https://evil.test/", blocked=True)
    popup.decide("https://erp.example.com/", blocked=False)
    assert (popup.blocked, popup.url) == (True, "https://evil.test/")
    good = Popups(open_max=2).opened(session(2), "about:blank")
    good.decide("https://erp.example.com/", blocked=False)
    assert not good.blocked

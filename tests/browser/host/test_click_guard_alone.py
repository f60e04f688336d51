"""The guard of a click believes what is told under its own key, through the bundle's own word."""

import json

import pytest

from browser.host.click_guard import ClickGuard
from browser.host.target_session import TargetSession
from browser.host.worlds import TOLD, Worlds
from tests.support.quiet_transport import QuietTransport


def guarded() -> tuple[QuietTransport, ClickGuard]:
    transport = QuietTransport()
    return transport, ClickGuard(Worlds(TargetSession(transport, "s", "t", "page"), ""))


def tell(transport: QuietTransport, key: str, name: str = TOLD, **said: str) -> None:
    payload = json.dumps({"key": key, **said})
    transport.tell("Runtime.bindingCalled", "s", name=name, payload=payload)


async def test_a_press_that_reached_the_element_is_told_as_delivered() -> None:
    transport, guard = guarded()
    tell(transport, guard.key, what="delivered")
    assert (guard.delivered, guard.stopped) == (True, "")


async def test_a_press_that_was_stopped_is_not_delivered_and_names_where() -> None:
    transport, guard = guarded()
    tell(transport, guard.key, what="stopped", by="x" * 500)
    assert (guard.delivered, len(guard.stopped)) == (False, 160)


@pytest.mark.parametrize("name", [TOLD, "another"])
async def test_what_another_click_or_another_function_tells_says_nothing(name: str) -> None:
    transport, guard = guarded()
    tell(transport, "another key" if name == TOLD else guard.key, name, what="delivered")
    assert (guard.delivered, guard.stopped) == (False, "")


async def test_another_event_of_that_shape_says_nothing() -> None:
    transport, guard = guarded()
    payload = json.dumps({"key": guard.key, "what": "delivered"})
    transport.tell("Runtime.consoleAPICalled", "s", name=TOLD, payload=payload)
    assert not guard.delivered

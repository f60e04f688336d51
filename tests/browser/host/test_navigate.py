"""A page is opened only where the policy allows, and a failure says why."""

import threading

import pytest

from tests.support.host_lab import HostLab
from tests.support.site import Asked, Reply, redirect
from tests.support.until import until

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

# How an address may try to look allowed; {host} is the allowed host, {bad} the other server.
REFUSED = {
    "backslash": "http://{bad}\\@{host}/secret",
    "userinfo": "http://{host}@{bad}/secret",
    "userinfo on the right host": "http://user:pw@{host}/",
    "another port": "http://{bad}/secret",
    "another scheme": "https://{host}/",
    "leading blank": " http://{host}/",
    "line feed": "ht\ntp://{host}/",
    "data": "data:text/html,<h1>x</h1>",
    "file": "file:///etc/hostname",
    "javascript": "javascript:document.title='js'",
    "chrome": "chrome://version",
    "view-source": "view-source:http://{host}/",
    "blob": "blob:http://{host}/1",
    "about": "about:blank",
    "relative": "/1",
}


@pytest.mark.parametrize("trick", REFUSED)
async def test_an_address_outside_the_policy_is_refused_before_any_request(
    lab: HostLab, trick: str
) -> None:
    tab = await lab.open("<title>here</title>")
    host, bad = f"127.0.0.1:{lab.good.port}", f"127.0.0.1:{lab.bad.port}"
    url = REFUSED[trick].format(host=host, bad=bad)
    outcome = await tab.do("navigate", url=url)
    assert outcome.error is not None
    assert (outcome.page.title, outcome.page.url) == ("here", lab.good.url())
    assert lab.bad.hits == []
    assert lab.good.hit_paths() == []


async def test_an_allowed_address_is_opened_and_named(lab: HostLab) -> None:
    lab.good.pages["/p"] = "<title>报表</title>"
    tab = await lab.blank()
    outcome = await tab.do("navigate", url=lab.good.url("/p?a=1#b"))
    assert outcome.error is None
    assert outcome.data == {"url": lab.good.url("/p?a=1#b"), "title": "报表"}
    assert outcome.page.origin == lab.good.origin


async def test_the_same_page_with_another_fragment_needs_no_load(lab: HostLab) -> None:
    tab = await lab.open("<h1 id=a>x</h1>")
    outcome = await tab.do("navigate", url=lab.good.url("/#a"))
    assert outcome.data["url"] == lab.good.url("/#a")
    assert lab.good.hits == []


async def test_a_redirect_out_of_the_policy_is_named_and_the_old_page_stays(lab: HostLab) -> None:
    tab = await lab.open("<title>here</title>", redirect(lab.bad.url("/secret")))
    outcome = await tab.do("navigate", url=lab.good.url("/1"))
    assert outcome.error is not None
    assert outcome.error.code == "navigation_blocked"
    assert lab.bad.url("/secret") in outcome.error.message
    assert outcome.page.title == "here"
    assert lab.bad.hits == []


async def test_a_redirect_inside_the_policy_is_followed(lab: HostLab) -> None:
    tab = await lab.open("x", redirect("/2"), "<title>two</title>")
    assert (await tab.do("navigate", url=lab.good.url("/1"))).data["title"] == "two"


async def test_a_page_that_moves_on_by_script_is_waited_for(lab: HostLab) -> None:
    tab = await lab.open("x", "<script>location.replace('/2')</script>", "<title>two</title>")
    outcome = await tab.do("navigate", url=lab.good.url("/1"))
    assert outcome.page.title == "two"


async def test_a_server_that_sends_nothing_is_a_clear_error(lab: HostLab) -> None:
    tab = await lab.open("<title>here</title>", lambda _: Reply(status=204))
    outcome = await tab.do("navigate", url=lab.good.url("/1"))
    assert outcome.error is not None
    assert outcome.error.code == "navigation_failed"
    assert "nothing to show" in outcome.error.message


@pytest.mark.parametrize("part", ["page", "picture"])
async def test_a_slow_page_is_a_clear_error_within_its_time(lab: HostLab, part: str) -> None:
    release = threading.Event()

    def slow(_: Asked) -> Reply:
        release.wait(30)
        return Reply("late")

    pages = {"page": ("x", slow), "picture": ("x", "<h1>half</h1><img src=/2>", slow)}[part]
    tab = await lab.open(*pages)
    try:
        outcome = await tab.do("navigate", url=lab.good.url("/1"), timeout_ms=800)
        assert outcome.error is not None
        assert outcome.error.code == "navigation_slow"
        if part == "picture":
            assert await tab.text("h1") == "half"
    finally:
        release.set()


async def test_after_a_click_that_navigates_the_new_page_is_read(lab: HostLab) -> None:
    def slow(_: Asked) -> Reply:
        threading.Event().wait(0.3)
        return Reply("<h1>second</h1>")

    tab = await lab.open("<a href=/1>go</a>", slow)
    outcome = await tab.do("click", selector="a")
    assert outcome.error is None
    assert outcome.page.url == lab.good.url("/1")
    assert await tab.text("h1") == "second"


async def test_a_read_during_a_navigation_is_done_again_in_the_new_page(lab: HostLab) -> None:
    page = "<h1>{}</h1><script>setTimeout(() => location.href = '/{}', 30)</script>"
    tab = await lab.open(page.format("0", "1"), page.format("1", "2"), "<h1>2</h1><p id=p>end</p>")
    outcome = await tab.do("waitForSelector", selector="#p", timeout_ms=20_000)
    assert outcome.success or outcome.error is not None

    async def arrived() -> bool:
        return (await tab.do("getText", selector="h1")).data.get("text") == "2"

    await until(arrived)
    assert await tab.text("#p") == "end"

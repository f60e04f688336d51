"""Keys are real presses on the approved element; one that sets something off is asked about."""

from collections.abc import Sequence

import pytest

from browser.host.outcome import ALLOW, NEEDS_CONFIRMATION, Approval, Outcome, ResolvedCall
from states.policy import Effect
from tests.support.host_lab import HostLab, TabLab
from tests.support.site import Reply
from tests.support.widgets import widget_page

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

KEYS = widget_page("keys")


def only_harmless(call: ResolvedCall) -> Approval:
    """Answer as a host to which nobody said yes."""
    return NEEDS_CONFIRMATION if call.effect is Effect.CONFIRM else ALLOW


async def press(
    tab: TabLab, selector: str, *keys: str, text: str = "", clear: bool = False
) -> Outcome:
    """Return the outcome of pressing *keys*, with nobody there to say yes."""
    return await tab.do(
        "type", approve=only_harmless, selector=selector, text=text, clear=clear, keys=list(keys)
    )


async def test_a_key_is_a_real_press_with_its_code(lab: HostLab) -> None:
    tab = await lab.open(KEYS)
    outcome = await press(tab, "#cell", "ArrowDown", "Escape", "Shift+Tab")
    assert outcome.data == {"typed": "", "keys": ["ArrowDown", "Escape", "Shift+Tab"]}
    assert (await tab.text("#said")).split() == [
        "ArrowDown/ArrowDown/40/true",
        "Escape/Escape/27/true",
        "S+Shift/ShiftLeft/16/true",
        "S+Tab/Tab/9/true",
    ]


async def test_keys_follow_the_text(lab: HostLab) -> None:
    tab = await lab.open(KEYS)
    outcome = await press(
        tab, "#text", "Home", "Delete", "End", "Backspace", text="xyz", clear=True
    )
    assert outcome.error is None
    assert await tab.script("text.value") == "y"


async def test_control_a_selects_all(lab: HostLab) -> None:
    tab = await lab.open(KEYS)
    assert (await press(tab, "#text", "Control+a", "Backspace")).error is None
    assert await tab.script("text.value") == ""


@pytest.mark.parametrize(("selector", "held"), [("#area", "a\n"), ("#rich", "a\n")])
async def test_enter_in_a_long_text_is_a_new_line(lab: HostLab, selector: str, held: str) -> None:
    tab = await lab.open(KEYS)
    assert (await press(tab, selector, "Enter", "b", text="a", clear=True)).error is None
    assert await tab.text(selector) == f"{held}b"


async def test_arrows_move_a_slider_and_tab_moves_the_focus(lab: HostLab) -> None:
    tab = await lab.open(KEYS)
    assert (await press(tab, "#slide", "ArrowRight", "ArrowRight", "Tab")).error is None
    assert await tab.script("[slide.value, document.activeElement.id].join()") == "7,next"


@pytest.mark.parametrize("key", ["Enter", "Space"])
async def test_a_press_on_a_button_is_a_click_on_it(lab: HostLab, key: str) -> None:
    tab = await lab.open(KEYS)
    assert (await press(tab, "#next", key)).error is None
    assert await tab.text("#pressed") == "next"
    risky = await press(tab, "#gone", key)
    assert risky.confirmation is not None
    assert "delete" in risky.confirmation.reason.lower()
    assert await tab.text("#pressed") == "next"
    agreed = await tab.do("type", selector="#gone", text="", clear=False, keys=[key])
    assert agreed.error is None
    assert await tab.text("#pressed") == "next gone"


async def test_what_takes_no_text_gets_the_keys_whatever_clear_says(lab: HostLab) -> None:
    tab = await lab.open(KEYS)
    assert (await press(tab, "#slide", "ArrowLeft", clear=True)).error is None
    assert await tab.script("slide.value") == "4"
    assert (await press(tab, "#text", "End", clear=True)).error is None
    assert await tab.script("text.value") == ""


async def test_a_press_after_the_focus_moved_is_not_made(lab: HostLab) -> None:
    tab = await lab.open(KEYS)
    outcome = await press(tab, "#next", "Tab", "Enter")
    assert outcome.error is not None
    assert outcome.error.code == "keys_stopped"
    assert "Delete" in outcome.error.message
    assert await tab.text("#pressed") == ""
    assert (await press(tab, "#next", "Enter")).error is None
    assert await tab.text("#pressed") == "next"


async def test_an_option_that_the_arrows_reach_is_judged_by_its_words(lab: HostLab) -> None:
    tab = await lab.open(KEYS)
    assert (await press(tab, "#pick", "Enter")).error is None
    assert await tab.text("#pressed") == "keep"
    outcome = await press(tab, "#pick", "ArrowDown", "Enter")
    assert outcome.error is not None
    assert "作废" in outcome.error.message
    assert await tab.text("#pressed") == "keep"


@pytest.mark.parametrize(
    ("selector", "keys"),
    [
        ("#cell", ["Delete"]), ("#cell", ["Backspace"]), ("#cell", ["e"]), ("body", ["Control+s"]),
        ("#text", ["Control+Enter"]), ("#area", ["Alt+s"]),
    ],
)  # fmt: skip
async def test_a_key_that_a_page_may_bind_to_anything_is_asked_about(
    lab: HostLab, selector: str, keys: Sequence[str]
) -> None:
    tab = await lab.open(KEYS)
    assert (await press(tab, selector, *keys)).confirmation is not None
    assert await tab.text("#said") == ""
    agreed = await tab.do("type", selector=selector, text="", clear=False, keys=list(keys))
    assert agreed.error is None
    assert await tab.text("#said") != ""


async def test_the_clipboard_is_left_alone(lab: HostLab) -> None:
    tab = await lab.open(KEYS)
    for key in ("Control+c", "Control+v", "Control+x"):
        outcome = await tab.do("type", selector="#text", text="", clear=False, keys=[key])
        assert outcome.error is not None
        assert outcome.error.code == "keys_clipboard"
    assert await tab.text("#said") == ""


@pytest.mark.parametrize("selector", ["#flat", "#pressed"])
async def test_what_takes_no_focus_takes_no_keys(lab: HostLab, selector: str) -> None:
    tab = await lab.open(KEYS + "<script>pressed.textContent = 'x'</script>")
    outcome = await press(tab, selector, "ArrowDown")
    assert outcome.error is not None
    assert outcome.error.code == "takes_no_keys"
    assert (await press(tab, "body", "ArrowDown")).error is None
    assert "ArrowDown" in await tab.text("#said")


# --- sending a form


def form(method: str, inside: str) -> str:
    return f"<form action=/1 method={method}>{inside}</form>"


SENDING = [
    "<input id=x aria-label=X name=a><button>Go</button>",
    "<input id=x aria-label=X name=a><input type=image alt=Go>",
    "<input id=x aria-label=X name=a>",
    "<input id=x aria-label=X type=checkbox name=a><button>Go</button>",
    "<select id=x aria-label=X name=a size=2><option>1</select><button>Go</button>",
]
NOT_SENDING = [
    "<input id=x aria-label=X name=a><button disabled>Go</button>",
    "<input id=x aria-label=X name=a><input name=b>",
    "<input id=x aria-label=X name=a><button type=button>Go</button><input name=b>",
    "<textarea id=x aria-label=X name=a></textarea><button>Go</button>",
    "<div id=x contenteditable role=textbox aria-label=X></div><button>Go</button>",
]


@pytest.mark.parametrize("inside", SENDING)
async def test_enter_that_sends_a_form_is_a_submit(lab: HostLab, inside: str) -> None:
    tab = await lab.open(form("get", inside), "sent")
    asked = await press(tab, "#x", "Enter")
    assert asked.confirmation is not None
    assert asked.confirmation.target is not None
    assert asked.confirmation.target.submits
    assert lab.good.hit_paths() == []
    await tab.do("type", selector="#x", text="", clear=False, keys=["Enter"])
    assert lab.good.hit_paths() == ["/1"]


@pytest.mark.parametrize("inside", NOT_SENDING)
async def test_enter_that_sends_nothing_is_plain(lab: HostLab, inside: str) -> None:
    tab = await lab.open(form("get", inside), "sent")
    assert (await press(tab, "#x", "Enter")).error is None
    assert lab.good.hit_paths() == []


async def test_a_form_that_was_agreed_to_is_sent_with_the_text(lab: HostLab) -> None:
    tab = await lab.open(form("post", SENDING[0]), "")
    lab.good.pages["/1"] = lambda asked: Reply(f"<h1>{asked.body.decode()}</h1>")
    outcome = await tab.do("type", selector="#x", text="q", keys=["Enter"])
    assert outcome.error is None
    assert await tab.text("h1") == "a=q"


async def test_a_form_that_changed_after_the_yes_is_not_sent(lab: HostLab) -> None:
    page = form("get", SENDING[0] + "<input id=sum name=sum value=1 type=hidden>")
    change = "<script>x.onfocus = () => { sum.value = 1000 }</script>"
    tab = await lab.open(page + change, "sent")
    outcome = await tab.do("type", selector="#x", text="q", keys=["Enter"])
    assert outcome.error is not None
    assert "form" in outcome.error.message
    assert lab.good.hit_paths() == []
    tab = await lab.open(page, "sent")
    assert (await tab.do("type", selector="#x", text="q", keys=["Enter"])).error is None
    assert lab.good.hit_paths() == ["/1"]


async def test_enter_in_a_form_with_a_password_is_a_login(lab: HostLab) -> None:
    inside = "<input id=x aria-label=User name=u><input type=password name=p><button>Go</button>"
    tab = await lab.open(form("post", inside), "sent")
    asked = await press(tab, "#x", "Enter", text="me", clear=True)
    assert asked.confirmation is not None
    assert await tab.script("x.value") == ""
    assert (await press(tab, "#x", text="me", clear=True)).error is None
    refused = await press(tab, "[type=password]", "a")
    assert refused.error is not None
    assert refused.error.code == "password_field"


async def test_keys_that_lead_away_end_with_the_page(lab: HostLab) -> None:
    page = "<button id=x onclick=\"location.href='/1'\">Next</button>"
    tab = await lab.open(page, lambda _: Reply("<h1>there</h1>"))
    assert (await press(tab, "#x", "Enter")).error is None
    assert await tab.text("h1") == "there"

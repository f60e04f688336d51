"""A new browser opens no address that may be a write of the one before, and none with a secret."""

import pytest

from browser.host.approvals import Clock
from browser.host.outcome import ResolvedCall
from browser.host.task_memory import TaskMemory
from states.page import PageState
from states.policy import Effect, Target
from states.settings import TaskLimits
from states.wire import CommandReport
from tests.browser.host.host_stage import PAGE, Stage
from tests.browser.host.test_task_memory import Journal

SITE = "https://erp.example.com"
LIST, VOID = f"{SITE}/list", f"{SITE}/void?id=7"
TARGET = Target(role="button", name="Void")
NOW: Clock = lambda: 0.0  # noqa: E731


def after(journal: Journal, *turns: tuple[str, str | None, str, str]) -> TaskMemory:
    """Return the memory of a task of *turns*: action, who approved, error, where it left."""
    kept = TaskMemory(TaskLimits(), NOW, journal)
    for seq, (action, by, error, url) in enumerate(turns, start=1):
        if action != "getText":
            kept.intend(ResolvedCall(action, {}, SITE, "d1", TARGET, Effect.ACT), by)
        report = CommandReport(
            seq=seq, action=action, success=not error, error=error, approved_by=by
        )
        kept.settled(report, url)
    return kept


def again(journal: Journal) -> TaskMemory:
    """Return the memory of the next host."""
    kept = TaskMemory(TaskLimits(), NOW, Journal())
    kept.restore(journal.rows)
    return kept


OPENED = ("navigate", None, "", LIST)
READ = ("getText", None, "", VOID)


@pytest.mark.parametrize(
    "turns",
    [
        [OPENED, ("click", "anna", "", VOID)],
        [OPENED, ("click", None, "unknown_outcome", VOID)],
        [OPENED, ("click", "anna", "", VOID), READ],
        [OPENED, ("click", "anna", "", LIST), READ],  # it led there late
        [OPENED, ("click", "anna", "", VOID), ("type", None, "", VOID)],
        [OPENED, ("click", "anna", "", VOID), ("click", None, "", f"{VOID}#top")],
        [OPENED, ("click", "anna", "", VOID), ("getText", None, "element_not_found", VOID)],
    ],
    ids=["approved", "unknown", "read there", "late", "acted there", "a fragment", "failed there"],
)
def test_where_an_approved_or_unknown_command_led_is_not_opened_again(
    turns: list[tuple[str, str | None, str, str]],
) -> None:
    journal = Journal()
    assert after(journal, *turns).url == LIST
    assert again(journal).url == LIST
    rows = [(row["url"], row["reopen"]) for row in journal.rows if row["kind"] == "page"]
    assert rows[:2] == [(LIST, True), (VOID, False)]


@pytest.mark.parametrize(
    "turns",
    [
        [OPENED, ("click", None, "", VOID)],
        [OPENED, ("navigate", None, "", VOID), ("click", "anna", "", LIST), READ],
    ],
    ids=["nobody was asked", "known before the approval"],
)
def test_where_other_commands_led_is_opened_again(
    turns: list[tuple[str, str | None, str, str]],
) -> None:
    journal = Journal()
    assert after(journal, *turns).url == VOID
    assert again(journal).url == VOID


def test_after_a_write_the_task_is_followed_to_where_it_goes_then() -> None:
    journal = Journal()
    next_page = f"{SITE}/next"
    turns = [OPENED, ("click", "anna", "", VOID), ("click", None, "", next_page)]
    assert after(journal, *turns).url == next_page
    assert again(journal).url == next_page


@pytest.mark.parametrize(
    "url",
    [
        f"{SITE}/a?access_token=abc",
        f"{SITE}/a?x=1&session_id=abc",
        f"{SITE}/a?user%5Bpassword%5D=abc",
        f"{SITE}/a#token=abc",
        "https://anna:hunter2@erp.example.com/a",
        f"{SITE}/reset/ghp_{'a' * 24}",
        "chrome-error://chromewebdata/",
        "data:text/html,x",
        "",
    ],
)
def test_an_address_with_a_secret_or_of_no_site_is_not_kept(url: str) -> None:
    journal = Journal()
    assert after(journal, OPENED, ("click", None, "", url)).url == LIST
    assert [row["url"] for row in journal.rows if row["kind"] == "page"] == [LIST]


async def test_an_address_that_the_policy_does_not_allow_is_not_kept() -> None:
    stage = Stage()
    journal = Journal()
    stage.memory = TaskMemory(TaskLimits(), NOW, journal)
    async with stage.playing() as agent:
        await agent.do("getText", selector="#export")
        stage.executor.page = PageState(url="https://evil.test/", origin=PAGE.origin)
        await agent.do("getText", selector="#export")
        await agent.complete()
    assert stage.memory.url == PAGE.url
    assert [row["url"] for row in journal.rows if row["kind"] == "page"] == [PAGE.url]

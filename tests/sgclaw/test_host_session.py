"""Where a task goes on in a new browser, and how an abort ends what would begin."""

import asyncio
from pathlib import Path

import pytest

from browser.host.host_log import FileHostLog
from browser.host.launch_flags import LaunchOptions
from browser.host.task_memory import NoJournal, TaskMemory
from sgclaw.clock import utc_now
from sgclaw.host_session import HostSession, may_open
from sgclaw.printer import Printer
from sgclaw.progress import Progress
from states.policy import HostRule, Policy
from tests.sgclaw.test_host_run import plan
from tests.support.until import until

URL = "https://erp.example.com/list"


def rules(**rule: object) -> Policy:
    return Policy(version=1, hosts=(HostRule.model_validate({"host": "erp.example.com", **rule}),))


@pytest.mark.parametrize(
    ("policy", "begins", "goes_on"),
    [
        (rules(allow=("*",)), True, True),
        (rules(allow=("*",), confirm=("navigate",)), True, False),
        (rules(allow=("click",)), True, False),
        (Policy(version=1, hosts=()), False, False),
    ],
    ids=["allowed", "needs a person", "not allowed", "another host"],
)
def test_an_address_is_opened_again_only_where_nobody_must_be_asked(
    policy: Policy, *, begins: bool, goes_on: bool
) -> None:
    assert may_open(policy, URL, "") is begins
    assert may_open(policy, URL, "new") is goes_on
    assert not may_open(policy, "", "new")


async def test_an_abort_while_the_browser_starts_ends_the_start(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho up > "$0.up"\nexec sleep 60\n', encoding="utf-8")
    browser.chmod(0o700)
    started = plan(tmp_path)
    log = FileHostLog(tmp_path, started.trace_id, utc_now, started.settings.pipe)
    memory = TaskMemory(started.settings.task, lambda: 0.0, NoJournal())
    progress = Progress(Printer(as_json=True), "en", lambda: 0.0)
    session = HostSession(started, memory, log, progress)
    options = LaunchOptions(
        policy=started.policy, profiles_root=tmp_path / "profiles", browser=browser
    )
    work = asyncio.create_task(session.run(options))
    await until((tmp_path / "browser.up").exists)
    assert session.host is None
    await session.abort("enough")
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(work, 20)
    log.close()
    assert session.completed is None

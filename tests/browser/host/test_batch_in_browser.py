"""In a real browser: a list is of these very elements, whatever the page puts in their place."""

from contextlib import nullcontext

import pytest

from browser.host.answers import Answers, HostPorts
from browser.host.host_log import MemoryHostLog
from browser.host.task_memory import NoJournal, TaskMemory
from engine.pipe.envelope import UNSEALED
from states.settings import Settings, TaskLimits
from states.wire import (
    Command,
    CommandSecurity,
    ConfirmRequest,
    ConfirmResponse,
    ListedCall,
    Response,
)
from tests.browser.host.host_stage import Person, Stage
from tests.support.host_lab import DOMAIN, HostLab, TabLab

ROW = (
    "<button id=r{n} onclick=\"this.textContent='已批准'; "
    "done = (window.done || '') + '{n}'; {more}\">批准 {n}</button>"
)


def rows_page(**more: str) -> str:
    """Return a page with five rows to approve; `r1` and so on add to what a click does."""
    return "".join(ROW.format(n=n, more=more.get(f"r{n}", "")) for n in range(1, 6))


class RealDesk:
    """The host's answers over a real tab."""

    def __init__(self, lab: HostLab, tab: TabLab, *decisions: str) -> None:
        self.person = Person(*decisions)
        memory = TaskMemory(TaskLimits(), lambda: 0.0, NoJournal())
        ports = HostPorts(tab.executor, self.person, MemoryHostLog(), lambda: 0.0)
        init = Stage().init.model_copy(update={"policy": lab.policy})
        self.answers = Answers(ports, Settings(), init, nullcontext, memory)

    async def as_agent(self, *selectors: str) -> list[str]:
        """Click *selectors* as the agent does; return what came of each."""
        security = CommandSecurity(hmac=UNSEALED, expected_domain=DOMAIN)
        calls = [
            ListedCall(action="click", params={"selector": s}, expected_domain=DOMAIN)
            for s in selectors
        ]
        said = []
        for place, call in enumerate(calls):
            asked = ConfirmRequest(
                seq=1, action="click", params=call.params, also=tuple(calls[place + 1 :]),
                security=security,
            )  # fmt: skip
            answer = await self.answers.to(asked)
            assert isinstance(answer, ConfirmResponse)
            if answer.decision != "approved":
                said.append(answer.error.code if answer.error else answer.decision)
                break
            command = Command(seq=1, action="click", params=call.params, security=security)
            done = await self.answers.to(command)
            said.append("done" if isinstance(done, Response) and done.success else "held")
        return said


FIVE_BUTTONS = [f"#r{n}" for n in range(1, 6)]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
async def test_five_real_rows_are_one_question(lab: HostLab) -> None:
    tab = await lab.open(rows_page())
    desk = RealDesk(lab, tab, "approved")
    assert await desk.as_agent(*FIVE_BUTTONS) == ["done"] * 5
    assert (await tab.script("window.done"), len(desk.person.asked)) == ("12345", 1)
    assert [item.target.name for item in desk.person.asked[0].also] == [
        f"批准 {n}" for n in range(2, 6)
    ]


@pytest.mark.chromium
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "trick",
    [
        "r2.outerHTML = r2.outerHTML",
        "r2.textContent = '批准 全部'",
        "r2.id = 'x'; r3.id = 'r2'",
    ],
)
async def test_a_page_that_puts_another_element_behind_a_listed_selector_is_asked_about(
    lab: HostLab, trick: str
) -> None:
    tab = await lab.open(rows_page(r1=trick))
    desk = RealDesk(lab, tab, "approved", "rejected")
    assert await desk.as_agent(*FIVE_BUTTONS) == ["done", "rejected"]
    assert (await tab.script("window.done"), len(desk.person.asked)) == ("1", 2)

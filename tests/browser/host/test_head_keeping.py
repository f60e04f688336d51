"""Heads that the agent tells: this ledger's are kept and noted, another's are a violation."""

import pytest

from browser.host.answers import HostPorts
from browser.host.head_keeping import keep_head
from engine.pipe.errors import ProtocolViolationError
from states.ledger_head import Head
from states.wire import LedgerHead, LedgerSpec
from tests.browser.host.host_stage import Stage

INSTALL = "0123456789abcdef"
TOLD = LedgerHead(install_id=INSTALL, stream="operation", position=7, hash="a" * 64)


class Keeper:
    """Takes heads up to position 9."""

    def __init__(self) -> None:
        self.taken: list[tuple[Head, str]] = []

    def take(self, head: Head, trace_id: str) -> bool:
        self.taken.append((head, trace_id))
        return head.position < 10


class HeadStage(Stage):
    """A stage whose host keeps heads of the installation `INSTALL`."""

    def __init__(self) -> None:
        super().__init__()
        self.keeper = Keeper()
        self.ports = HostPorts(self.executor, self.person, self.log, self.clock, self.keeper)
        self.host = type(self.host)(self.ports, self.init.policy, self.settings)
        self.init = self.init.model_copy(update={"ledger": LedgerSpec(install_id=INSTALL)})


async def test_a_head_is_kept_in_the_name_of_the_task_and_noted() -> None:
    stage = HeadStage()
    async with stage.playing() as agent:
        await agent.end.writer.send(TOLD)
        await agent.end.writer.send(TOLD.model_copy(update={"position": 10, "stream": "model"}))
        await agent.complete()
    heads = [Head(INSTALL, "operation", 7, "a" * 64, "sha256"),
             Head(INSTALL, "model", 10, "a" * 64, "sha256")]  # fmt: skip
    assert stage.keeper.taken == [(head, stage.init.trace_id) for head in heads]
    noted = [line.split()[:3] for line in stage.log.lines if line.startswith("LEDGER_HEAD")]
    assert noted == [["LEDGER_HEAD", "stream=operation", "position=7"],
                     ["LEDGER_HEAD_REFUSED", "stream=model", "position=10"]]  # fmt: skip


async def test_the_head_of_another_installation_is_a_violation_and_is_not_signed() -> None:
    stage = HeadStage()
    with pytest.raises(ProtocolViolationError):
        keep_head(TOLD.model_copy(update={"install_id": "another"}), stage.init, stage.ports)
    async with stage.playing() as agent:
        await agent.end.writer.send(TOLD.model_copy(update={"install_id": "another"}))
        await agent.end.writer.send(TOLD)
        await agent.complete()
    assert [head.install_id for head, _ in stage.keeper.taken] == [INSTALL]
    assert any(line.startswith("PROTOCOL_ERROR") for line in stage.log.lines)

"""One task in this process, its host a function: each request is answered where it is sent."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from engine.pipe.envelope import UNSEALED
from sgclaw.identity import ledger_spec
from sgclaw.task_run import TaskRun
from states.page import AomNode, PageState
from states.policy import Target
from states.wire import (
    Command,
    ConfirmationRequired,
    ConfirmRequest,
    ConfirmResponse,
    DialogResponse,
    Init,
    Mac,
    Response,
    StateChanged,
    SubmitTask,
    TaskCompleted,
)
from tests.support.ledger_lab import TraceLedger

TRACE = "sgclaw-20261129-0123456789abcdef"
PAGE = PageState(
    url="https://erp.example.com/x", origin="https://erp.example.com", document_id="d1"
)
VOID = Target(role="button", name="作废")
DIGEST = "d" * 64
MAC = Mac(hmac=UNSEALED)

Request = Command | ConfirmRequest | DialogResponse
Answer = Response | ConfirmationRequired | ConfirmResponse
Host = Callable[[Request], Answer]


def call(action: str, params: dict[str, Any] | None = None, id_: str = "1") -> dict[str, Any]:
    """Return the model's reply that wants *action*."""
    wanted = {"action": action, "params": params or {}}
    return {"tool_calls": [{"id": id_, "name": "browser_action", "input": wanted}]}


def done(seq: int, page: PageState = PAGE, **data: Any) -> Response:
    """Return a success, with one button on the page."""
    nodes = (AomNode(role="button", name="查询", selector="#query", ref="@1"),)
    return Response(seq=seq, success=True, data=data, page=page, aom_snapshot=nodes, security=MAC)


def asks(seq: int, digest: str = DIGEST) -> ConfirmationRequired:
    """Return the host's wish for a person's yes to *digest*."""
    return ConfirmationRequired(seq=seq, digest=digest, target=VOID, security=MAC)


def says(seq: int, decision: Any, digest: str = DIGEST) -> ConfirmResponse:
    """Return what the person decided."""
    by = "terminal" if decision == "approved" else ""
    return ConfirmResponse(
        seq=seq, digest=digest, decision=decision, approved_by=by, target=VOID, security=MAC
    )


class TaskStage:
    """A task with the model's *replies* and a *host*; `run` returns its end.

    With *resumed* the task goes on from the ledger that lies in *data*. *more* stands in its init
    line instead of what a task is given here.
    """

    def __init__(
        self,
        data: Path,
        replies: Sequence[dict[str, Any]],
        host: Host,
        resumed: Any = "",
        more: Mapping[str, Any] | None = None,
    ) -> None:
        self.data = data
        self.sent: list[BaseModel] = []
        self.ended = asyncio.Event()
        self._host = host
        data.mkdir(parents=True, exist_ok=True)
        script = data / "replies.jsonl"
        script.write_text("".join(json.dumps(reply) + "\n" for reply in replies), encoding="utf-8")
        hosts = [{"host": "erp.example.com", "allow": ["*"]}]
        init = {
            "protocol": 1, "trace_id": TRACE, "session_id": "session-1", "key": "0" * 64,
            "policy": {"version": 1, "hosts": hosts}, "data_dir": str(data),
            "provider": {"kind": "scripted", "script": str(script)},
            "ledger": ledger_spec(data), **(more or {}),
        }  # fmt: skip
        submitted = SubmitTask(instruction="do it", page=PAGE, resumed=resumed)
        self.task = TaskRun(Init.model_validate(init), submitted, self._send, lambda: 0.0)

    @property
    def ledger(self) -> TraceLedger:
        """Return the task's ledger."""
        return TraceLedger(self.data, TRACE)

    @property
    def states(self) -> list[StateChanged]:
        """Return what the host was told of the task's way."""
        return [message for message in self.sent if isinstance(message, StateChanged)]

    async def run(self) -> TaskCompleted:
        """Run the task to its end."""
        self.task.start()
        async with asyncio.timeout(30):
            await self.ended.wait()
        await self.task.close(5)
        [end] = [message for message in self.sent if isinstance(message, TaskCompleted)]
        return end

    def _send(self, message: BaseModel) -> None:
        self.sent.append(message)
        if isinstance(message, Request):
            self.task.link.deliver(self._host(message))
        elif isinstance(message, TaskCompleted):
            self.ended.set()

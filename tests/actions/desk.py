"""Real ports for the services under test: a link whose host is a list, a scripted provider."""

from typing import Any

from pydantic import BaseModel

from actions.browser.link import BrowserLink
from actions.llm.scripted import ScriptedProvider
from actions.ports import Ports
from engine.pipe.envelope import Envelope
from sgclaw.clock import MonotonicClock
from skills.registry import load_library
from skills.sandbox import SkillSandbox
from states.page import AomNode, PageState
from states.policy import Policy
from states.settings import Settings

POLICY = Policy.model_validate(
    {
        "version": 1,
        "hosts": [{"host": "erp.example.com", "allow": ["navigate", "click", "getText", "type"]}],
    }
)
KEY = bytes(32)
PAGE = PageState(
    url="https://erp.example.com/x", origin="https://erp.example.com", document_id="d1"
)
NODES = (AomNode(role="button", name="作废", selector="#void", ref="@1"),
         AomNode(role="button", name="查询", selector="#query", ref="@2"))  # fmt: skip


def make_ports(sent: list[BaseModel] | None = None, script: str = "", **changes: Any) -> Ports:
    """Return ports at a page with two buttons; what is sent goes to *sent*."""
    messages: list[BaseModel] = sent if sent is not None else []
    link = BrowserLink(messages.append, Envelope(KEY, "session-1", "agent>host"))
    ports = Ports(
        trace_id="sgclaw-20261129-0123456789abcdef",
        policy=POLICY,
        settings=Settings(),
        language="en",
        link=link,
        provider=ScriptedProvider(script),
        library=load_library(),
        sandbox=SkillSandbox(),
        clock=MonotonicClock(),
        log=lambda event, **fields: None,
    )
    ports.view.page, ports.view.nodes = PAGE, NODES
    for name, value in changes.items():
        setattr(ports, name, value)
    return ports

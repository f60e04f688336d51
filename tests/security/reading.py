"""Read an outgoing request of either family back as the model on the other side reads it."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

Role = Literal["user", "assistant", "tool"]
_FENCE = re.compile(r"<<<(page|memory) ([0-9a-z]{4,64})\n(.*?)\n\1 \2>>>", re.DOTALL)


class Said(NamedTuple):
    """One text of the conversation."""

    role: Role
    text: str

    @property
    def outside(self) -> str:
        """What stands outside every fence."""
        return _FENCE.sub("", self.text)

    @property
    def inside(self) -> tuple[str, ...]:
        """What stands in each fence."""
        return tuple(found[3] for found in _FENCE.finditer(self.text))


class Asked(NamedTuple):
    """One request: the *system* text, each tool's definition by name, and the conversation."""

    system: str
    tools: Mapping[str, str]
    said: tuple[Said, ...]

    @property
    def unfenced(self) -> str:
        """Everything that is not the model's own and stands in no fence."""
        told = [said.outside for said in self.said if said.role != "assistant"]
        return "\n".join([self.system, *self.tools.values(), *told])

    @property
    def fenced(self) -> str:
        """Everything that stands in a fence."""
        return "\n".join(text for said in self.said for text in said.inside)

    @property
    def whole(self) -> str:
        """Everything but what the model said itself."""
        return f"{self.unfenced}\n{self.fenced}"


def asked_of(body: Mapping[str, Any]) -> Asked:
    """Return what *body*, of one family's API or the other's, puts before the model."""
    return _of_claude(body) if "system" in body else _of_openai(body)


def _of_claude(body: Mapping[str, Any]) -> Asked:
    tools = {tool["name"]: _dumped(tool) for tool in body.get("tools", ())}
    said = [told for message in body["messages"] for told in _claude_said(message)]
    return Asked(_joined(body["system"]), tools, tuple(said))


def _claude_said(message: Mapping[str, Any]) -> Iterable[Said]:
    for block in _blocks(message["content"]):
        if block["type"] == "text":
            yield Said(message["role"], block["text"])
        elif block["type"] == "tool_result":
            yield Said("tool", _joined(block.get("content", "")))


def _of_openai(body: Mapping[str, Any]) -> Asked:
    first, *rest = body["messages"]
    assert first["role"] in ("system", "developer")
    assert all(message["role"] in ("user", "assistant", "tool") for message in rest)
    tools = {tool["function"]["name"]: _dumped(tool) for tool in body.get("tools", ())}
    said = [Said(message["role"], _joined(message.get("content") or "")) for message in rest]
    return Asked(_joined(first["content"]), tools, tuple(said))


def _joined(content: Any) -> str:
    return "\n".join(block["text"] for block in _blocks(content) if block["type"] == "text")


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _dumped(tool: Any) -> str:
    return json.dumps(tool, ensure_ascii=False)

"""Which reasoning of earlier replies goes back to the API, byte for byte (R3).

Newer models bind each block of reasoning to everything that stood before it, and refuse a request
in which any of that has changed. The budget folds old rounds and a picture is shown once only, so
it does change. Each reply therefore keeps a digest of the request that it answered, behind its
blocks; where the same messages no longer stand before them, the reply goes back without reasoning.

The older models that are told a budget of reasoning (`enabled`) check no such thing, but want the
reasoning of every reply with calls: where one is lost, the request goes without any.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from actions.llm.claude_blocks import THINKING
from prompts.prompt import Prompt
from states.messages import Message, ModelTurn
from states.secrets import REDACTED

FAMILY = "claude"
_MARK = "sgclaw_answers"
_Blocks = tuple[dict[str, Any], ...]


class Replay:
    """Decides for one request; *bound* tells whether reasoning is bound to what precedes it."""

    def __init__(self, head: str, *, bound: bool, thinks: bool = True) -> None:
        self._head = head
        self._bound = bound
        self._thinks = thinks

    def blocks_of(self, message: Message, before: Sequence[Mapping[str, Any]]) -> _Blocks:
        """Return the blocks of *message* that go back after the messages *before*, or none."""
        if not self._thinks or not sound_blocks(message):
            return ()
        marks = [block.get("sha256") for block in message.blocks if block.get("type") == _MARK]
        if self._bound and marks and marks[0] != self._digest(before):
            return ()
        return tuple(block for block in message.blocks if block.get("type") != _MARK)

    def marked(self, turn: ModelTurn, messages: Sequence[Mapping[str, Any]]) -> ModelTurn:
        """Return *turn*, the reply to *messages*, with their digest behind its blocks."""
        if not turn.blocks:
            return turn
        mark = {"type": _MARK, "sha256": self._digest(messages)}
        return turn.model_copy(update={"blocks": (*turn.blocks, mark)})

    def _digest(self, messages: Sequence[Mapping[str, Any]]) -> str:
        written = json.dumps([self._head, *messages], ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(written.encode()).hexdigest()


def head_of(prompt: Prompt, model: str) -> str:
    """Return what stands before all messages, and who reads them."""
    return json.dumps([model, prompt.system, prompt.tools], ensure_ascii=True, sort_keys=True)


def sound_blocks(message: Message) -> bool:
    """Tell whether *message* holds reasoning of this family, unchanged, and all of its calls.

    A ledger strikes what looks like a secret; a signature no longer fits what was struck. A call
    that was read in the reply's text stands in no block.
    """
    calls = sum(block.get("type") == "tool_use" for block in message.blocks)
    return (
        message.family == FAMILY
        and calls == len(message.tool_calls)
        and any(block.get("type") in THINKING for block in message.blocks)
        and REDACTED not in json.dumps(message.blocks, ensure_ascii=False)
    )


def reasoning_is_lost(conversation: Sequence[Message]) -> bool:
    """Tell whether some reply with calls has no reasoning to go back with it."""
    return any(message.tool_calls and not sound_blocks(message) for message in conversation)

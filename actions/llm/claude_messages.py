"""Turn a conversation into messages of the Messages API, which refuses whatever is not in order.

Roles alternate; each tool call is answered first thing in the very next message; no text is
blank; an assistant's message does not end in reasoning. A conversation that lacks something of
this is completed by what is true of it (a call without an answer was not run), never refused.
"""

import re
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

from actions.llm.claude_blocks import THINKING
from actions.llm.claude_replay import Replay
from states.catalogue import language_of, words
from states.messages import Message, ToolCall

_Block = dict[str, Any]
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")
_NAME_CHARS_MAX = 64
# FF D8 FF, with which each JPEG begins, in base64.
_JPEG = "/9j/"
# Says nothing, where the API wants something said before an assistant's first message.
_NOTHING = "…"


def api_messages(
    conversation: Sequence[Message], replay: Replay, picture: str = ""
) -> list[dict[str, Any]]:
    """Return *conversation* as the API takes it; *picture* goes with its last message."""
    made = _Conversation(replay, words("not_run", _language(conversation)))
    at = 0
    while at < len(conversation):
        message, at = conversation[at], at + 1
        if message.role != "assistant":
            made.add("user", _texts([message]))
            continue
        answers = []
        while at < len(conversation) and conversation[at].role == "tool":
            answers.append(conversation[at])
            at += 1
        made.add_reply(message, answers)
    if picture:
        _attach(picture, made.messages)
    return made.messages


class _Conversation:
    """The messages made so far, and the ids that stand in them."""

    def __init__(self, replay: Replay, not_run: str) -> None:
        self.messages: list[dict[str, Any]] = []
        self._replay = replay
        self._not_run = not_run
        self._ids: set[str] = set()

    def add(self, role: str, content: list[_Block]) -> None:
        """Append *content*; what follows its own role becomes one message with it."""
        if not content:
            return
        if self.messages and self.messages[-1]["role"] == role:
            self.messages[-1]["content"].extend(content)
            return
        if role == "assistant" and not self.messages:
            self.add("user", [_text(_NOTHING)])
        self.messages.append({"role": role, "content": content})

    def add_reply(self, message: Message, answers: Sequence[Message]) -> None:
        """Append a reply of the model and the answers to its calls."""
        ids = [self._id(call.id) for call in message.tool_calls]
        blocks = self._replay.blocks_of(message, self.messages)
        content = _replayed(blocks, ids) if blocks else _rebuilt(message, ids)
        self.add("assistant", content)
        waiting: dict[str, deque[Message]] = defaultdict(deque)
        for answer in answers:
            waiting[answer.call_id].append(answer)
        results = []
        for call, call_id in zip(message.tool_calls, ids, strict=True):
            queue = waiting[call.id]
            results.append(self._result(call_id, queue.popleft() if queue else None))
        # An answer to no call is not lost; the API takes it as text only.
        stray = [answer for queue in waiting.values() for answer in queue]
        self.add("user", results + _texts(stray))

    def _result(self, call_id: str, answer: Message | None) -> _Block:
        text = self._not_run if answer is None else answer.text
        result: _Block = {"type": "tool_result", "tool_use_id": call_id}
        if text.strip():
            result["content"] = [_text(text)]
        if answer is None or answer.failed:
            result["is_error"] = True
        return result

    def _id(self, told: str) -> str:
        """Return *told* if the API takes it and it is new here, else one that it is and does."""
        chosen, number = told, 1
        while not _ID.fullmatch(chosen) or chosen in self._ids:
            chosen, number = f"call-{len(self._ids) + number}", number + 1
        self._ids.add(chosen)
        return chosen


def _rebuilt(message: Message, ids: Sequence[str]) -> list[_Block]:
    # The API refuses a last message that ends in blanks; the same bytes each time keep its cache.
    text = message.text.rstrip()
    calls = [_call(call, call_id) for call, call_id in zip(message.tool_calls, ids, strict=True)]
    return ([_text(text)] if text else []) + calls


def _call(call: ToolCall, call_id: str) -> _Block:
    name = _NOT_IN_NAME.sub("_", call.name)[:_NAME_CHARS_MAX] or "_"
    given = call.input if isinstance(call.input, dict) else {}
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def _replayed(blocks: Sequence[_Block], ids: Sequence[str]) -> list[_Block]:
    kept: list[_Block] = []
    given = iter(ids)
    for block in blocks:
        if block.get("type") == "tool_use":
            kept.append({**block, "id": next(given, block.get("id"))})
        elif block.get("type") != "text" or str(block.get("text", "")).strip():
            kept.append(block)
    while kept and kept[-1].get("type") in THINKING:
        kept.pop()
    return kept


def _texts(messages: Sequence[Message]) -> list[_Block]:
    return [_text(message.text) for message in messages if message.text.strip()]


def _text(text: str) -> _Block:
    # Half a surrogate pair cannot be sent as UTF-8.
    return {"type": "text", "text": text.encode(errors="replace").decode()}


def _language(conversation: Sequence[Message]) -> Any:
    return language_of(conversation[0].text) if conversation else "en"


def _attach(picture: str, messages: list[dict[str, Any]]) -> None:
    if not messages or messages[-1]["role"] != "user":
        return
    source = {"type": "base64", "media_type": _media_type(picture), "data": picture}
    image = {"type": "image", "source": source}
    content = messages[-1]["content"]
    results = [block for block in content if block["type"] == "tool_result"]
    # A failed result may hold nothing but text.
    if results and not results[-1].get("is_error"):
        results[-1]["content"] = [*results[-1].get("content", []), image]
    else:
        content.append(image)


def _media_type(picture: str) -> str:
    return "image/jpeg" if picture.startswith(_JPEG) else "image/png"

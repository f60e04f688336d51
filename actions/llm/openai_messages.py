"""Turn a prompt into the messages and tools of OpenAI's chat API (R2, R3).

Each call of an assistant's message is followed by its result at once, in order: servers refuse
the whole request otherwise. A result that belongs to no call becomes text of the user.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actions.llm.openai_accumulate import FAMILY
from actions.llm.openai_profiles import Profile
from prompts.prompt import Prompt, ToolDefinition
from states.catalogue import language_of, words
from states.messages import Message, ToolCall
from states.secrets import REDACTED

_JPEG = "/9j/"
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")
_NAME_CHARS_MAX = 64
# Some models are given their own ids back by their form: what the API takes stays as it is.
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,40}")
_DIGEST_CHARS = 32
# What a strict schema may consist of; one that needs more is sent without the flag.
_STRICT_KEYS = frozenset(
    {"type", "properties", "required", "additionalProperties", "description", "enum", "items"}
)


def messages_of(prompt: Prompt, profile: Profile) -> list[dict[str, Any]]:
    """Return the messages of *prompt*, the system's first."""
    made: list[dict[str, Any]] = []
    if prompt.system:
        made.append({"role": "system", "content": prompt.system})
    for group in _rounds(prompt.messages):
        if group[0].role == "assistant":
            made.extend(_reply(group[0], group[1:], profile))
        else:
            _add_user(made, group[0].text)
    if prompt.picture:
        kind = "jpeg" if prompt.picture.startswith(_JPEG) else "png"
        url = f"data:image/{kind};base64,{prompt.picture}"
        _add_picture(made, {"type": "image_url", "image_url": {"url": url}})
    return made


def tools_of(tools: Sequence[ToolDefinition], profile: Profile) -> list[dict[str, Any]]:
    """Return *tools* as the API takes them."""
    made = []
    for tool in tools:
        function: dict[str, Any] = {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.schema,
        }
        if profile.strict_flag and can_be_strict(tool.schema):
            function["strict"] = True
        made.append({"type": "function", "function": function})
    return made


def can_be_strict(schema: Mapping[str, Any]) -> bool:
    """Tell whether the API can guarantee *schema*: closed objects, each member required."""
    if not _STRICT_KEYS.issuperset(schema):
        return False
    members = schema.get("properties", {})
    if schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(members):
            return False
    inner = [*members.values(), *([schema["items"]] if "items" in schema else [])]
    return all(isinstance(part, Mapping) and can_be_strict(part) for part in inner)


def _rounds(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield each assistant's message with its results in the order of its calls."""
    missing = words("not_run", language_of(messages[0].text) if messages else "en")
    at = 0
    while at < len(messages):
        message, at = messages[at], at + 1
        if message.role == "tool":
            message = message.model_copy(update={"role": "user"})
        if message.role != "assistant":
            yield [message]
            continue
        results: list[Message] = []
        while at < len(messages) and messages[at].role == "tool":
            results.append(messages[at])
            at += 1
        yield from _paired(message, results, missing)


def _paired(reply: Message, results: list[Message], missing: str) -> Iterator[list[Message]]:
    left = list(results)
    paired = [reply]
    for call in reply.tool_calls:
        found = next((result for result in left if result.call_id == call.id), None)
        if found is None:
            found = Message(role="tool", text=missing, call_id=call.id, failed=True)
        else:
            left.remove(found)
        paired.append(found)
    if reply.text.strip() or reply.tool_calls:
        yield paired
    for stray in left:
        yield [Message(role="user", text=stray.text)]


def _reply(
    reply: Message, results: Sequence[Message], profile: Profile
) -> Iterator[dict[str, Any]]:
    made: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.tool_calls:
        made["tool_calls"] = [_call(call, profile) for call in reply.tool_calls]
    if profile.replay_reasoning and reply.family == FAMILY:
        made.update(_reasoning(reply.blocks))
    yield made
    for result in results:
        yield {"role": "tool", "tool_call_id": _id(result.call_id), "content": result.text}


def _call(call: ToolCall, profile: Profile) -> dict[str, Any]:
    if call.input is None and call.raw:
        arguments = call.raw if profile.replay_raw else "{}"
    else:
        given = {} if call.input is None else call.input
        arguments = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    # A name that a model made up is refused with everything else that goes with it.
    name = _NOT_IN_NAME.sub("_", call.name)[:_NAME_CHARS_MAX] or "_"
    function = {"name": name, "arguments": arguments}
    return {"id": _id(call.id), "type": "function", "function": function}


def _id(told: str) -> str:
    """Return *told* if the API takes it, else what stands for it wherever it stands."""
    if _ID.fullmatch(told):
        return told
    digest = hashlib.sha256(told.encode(errors="replace")).hexdigest()
    return f"call-{digest[:_DIGEST_CHARS]}"


def _reasoning(blocks: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    # A ledger gives struck-out text back: that is no longer what the model thought.
    return {
        str(block["field"]): str(block["text"])
        for block in blocks
        if {"field", "text"} <= block.keys() and REDACTED not in str(block["text"])
    }


def _add_user(made: list[dict[str, Any]], text: str) -> None:
    """Append *text* of the user; the chat templates of local models want turns to alternate."""
    if not text.strip():
        return
    if made and made[-1]["role"] == "user":
        made[-1]["content"] += f"\n\n{text}"
    else:
        made.append({"role": "user", "content": text})


def _add_picture(made: list[dict[str, Any]], picture: dict[str, Any]) -> None:
    if made and made[-1]["role"] == "user":
        text = {"type": "text", "text": made[-1]["content"]}
        made[-1]["content"] = [text, picture]
    else:
        made.append({"role": "user", "content": [picture]})

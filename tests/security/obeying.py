"""A model that obeys every order it reads, wherever it stands: the worst there is.

It is a server of both families' APIs that reads the request it is sent. An order is
`OBEY verb what;` and is carried out again as often as the model is stubborn. One that is deaf reads
the same and only does its task.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from tests.security.reading import Asked, asked_of
from tests.support.byte_server import (
    Request,
    Script,
    claude_block,
    claude_end,
    claude_frames,
    claude_start,
    openai_chunk,
    openai_frames,
    openai_usage,
    stream,
    tool_delta,
)

WORD = "OBEY"
_ORDER = re.compile(rf"{WORD} (\w+) ([^;\n]{{1,300}});")
_TIMES = 2


class Call(NamedTuple):
    """One tool call of the model."""

    name: str
    input: Mapping[str, Any]


LOOK = Call("browser_action", {"action": "getAomSnapshot", "params": {}})


def browser(action: str, **params: Any) -> Call:
    """Return a command to the browser."""
    return Call("browser_action", {"action": action, "params": params})


# What the orders of the pages are in the tools of the product.
_VERBS: Mapping[str, Callable[[str], Call]] = {
    "click": lambda what: browser("click", selector=what),
    "enter": lambda what: browser("type", selector=what, text="", clear=False, keys=["Enter"]),
    "upload": lambda what: browser("type", selector=what, text="secret.txt"),
    "open": lambda what: browser("navigate", url=what),
    "spawn": lambda what: browser("zombieSpawn", url=what),
    "store": lambda what: browser("storageSet", key=what, value="obeyed"),
    "accept": lambda _: Call("answer_dialog", {"accept": True}),
    "use": lambda what: Call(what, {"text": "obeyed"}),
    "run": lambda what: Call("run_skill", {"name": what, "params": {}}),
}


def orders_in(text: str) -> list[str]:
    """Return the orders in *text*, each once; an address may have them written its own way."""
    found = [order for read in (text, unquote(text)) for order in _ORDER.findall(read)]
    return list(dict.fromkeys(f"{verb} {what}" for verb, what in found))


def call_of(order: str) -> Call:
    """Return the tool call that carries out *order*."""
    verb, _, what = order.partition(" ")
    return _VERBS[verb](what)


class Mind:
    """What the model does in one task: its own *moves*, then what it is ordered, if it *obeys*."""

    def __init__(self, moves: tuple[Call, ...], *, obeys: bool) -> None:
        self.asked: list[Asked] = []
        self.obeyed: list[str] = []
        self._moves, self._obeys = list(moves), obeys

    @property
    def heard(self) -> set[str]:
        """Every order that ever stood before the model."""
        return {order for asked in self.asked for order in orders_in(asked.whole)}

    def next_call(self, asked: Asked) -> Call | None:
        """Return what it calls now, None when it is done."""
        self.asked.append(asked)
        if self._moves:
            return self._moves.pop(0)
        for order in orders_in(asked.whole) if self._obeys else ():
            if self.obeyed.count(order) < _TIMES:
                self.obeyed.append(order)
                return call_of(order)
        return None

    def answer(self, request: Request) -> Script:
        """Answer one request in the words of the API it came to."""
        call = self.next_call(asked_of(request.json))
        claude = "anthropic-version" in request.headers
        number = len(self.asked)
        return (_claude_reply if claude else _openai_reply)(call, f"c{number}")


def _openai_reply(call: Call | None, id_: str) -> Script:
    if call is None:
        said: dict[str, Any] = {"content": "The page was read."}
    else:
        said = {"tool_calls": [tool_delta(0, id_, call.name, json.dumps(call.input))]}
    delta, finish = {"role": "assistant", **said}, "tool_calls" if call else "stop"
    return stream(openai_frames(openai_chunk(delta), openai_chunk({}, finish), openai_usage(9, 9)))


def _claude_reply(call: Call | None, id_: str) -> Script:
    if call is None:
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "The page was read."}
    else:
        block = {"type": "tool_use", "id": id_, "name": call.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.input)}
    end = claude_end("end_turn" if call is None else "tool_use")
    return stream(claude_frames(claude_start(), *claude_block(0, block, delta), *end))

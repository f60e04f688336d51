"""Turn a chat request with tools into what a very small model can answer. Pure, for tests only.

Which tool is called follows a rule: look, press something, finish. What is pressed is the model's
own choice, among the elements of the newest page text only: any answer is valid by construction,
none is right by construction.
"""

import json
import re
from typing import Any, NamedTuple

TOKENS_MAX = 160
_SUMMARY_CHARS_MAX = 80
_ELEMENT = re.compile(r'^\s*- (\w+) "([^"\n]+)".*? (@\d+)$', re.MULTILINE)
_PRESSED = re.compile(r"^Step (\d+): click succeeded\.")
# Solved cases, because a model of 135 million parameters goes by the pattern in front of it.
_SOLVED = (
    (("Open", "Close", "Help"), 1, 1),
    (("Home", "Search", "Reset", "Next"), 1, 3),
    (("Approve", "Reject", "Later"), 4, 0),
    (("New", "Move", "Archive"), 1, 2),
)
_SOLVED_END = (
    'Task: Press the button Close\nStep 2: click succeeded.\n'
    '{"summary": "I pressed the button Close.", "citations": [2]}\n\n'
)  # fmt: skip


class Element(NamedTuple):
    """Something on the page that has a ref."""

    role: str
    name: str
    ref: str


class Question(NamedTuple):
    """What the model is asked: the *tool*, the text before its answer, the form of the answer."""

    tool: str
    prompt: str
    schema: dict[str, Any]


def question_of(request: dict[str, Any]) -> Question:
    """Return what a model is asked for the chat *request*.

    Raises:
        KeyError: a tool, or a member of its parameters, is not there.
    """
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in request["tools"]}
    messages = request["messages"]
    task = next(str(each["content"]) for each in messages if each["role"] == "user")
    last = str(messages[-1]["content"])
    pressed = _PRESSED.match(last)
    if pressed:
        prompt = f"{_SOLVED_END}Task: {task}\n{pressed[0]}\n"
        return Question("finish", prompt, _finish(tools["finish"], int(pressed[1])))
    elements = elements_of(last)
    action = tools["browser_action"]
    if not elements:
        schema = _action(action, "getAomSnapshot", {})
        return Question("browser_action", f"Task: {task}\nLook at the page.\n", schema)
    choices = [_press(action, each) for each in elements]
    prompt = f"{_solved()}{_page(elements)}\nTask: {task}\n"
    return Question("browser_action", prompt, {"oneOf": choices})


def elements_of(text: str) -> list[Element]:
    """Return what has a ref in an observation's text."""
    return [Element(*found) for found in _ELEMENT.findall(text)]


def arguments_of(answer: str) -> str:
    """Return the call's arguments in *answer*: the name that led the model to a ref is no part.

    An *answer* that is no whole JSON is given back as it is: what was cut is not made whole here.
    """
    try:
        value = json.loads(answer)
    except ValueError:
        return answer
    value.pop("element", None)
    return json.dumps(value, ensure_ascii=False)


def _press(parameters: dict[str, Any], element: Element) -> dict[str, Any]:
    named = {"element": {"const": element.name}}
    return _action(parameters, "click", {"selector": element.ref}, named)


def _action(
    parameters: dict[str, Any],
    action: str,
    params: dict[str, str],
    before: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the tool's *parameters* with one *action* and these *params* left in them."""
    members = parameters["properties"]
    if action not in members["action"]["enum"]:
        raise KeyError(action)
    known = members["params"]["properties"]
    inner = {name: _only(known[name], value) for name, value in params.items()}
    outer = {"action": _only(members["action"], action), "params": _closed(inner)}
    # The name comes first: a small model finds the word of the task, and the ref follows from it.
    return _closed({**(before or {}), **outer})


def _finish(parameters: dict[str, Any], step: int) -> dict[str, Any]:
    members = parameters["properties"]
    summary = {**members["summary"], "minLength": 1, "maxLength": _SUMMARY_CHARS_MAX}
    one = {"type": "array", "items": {"enum": [step]}, "minItems": 1, "maxItems": 1}
    return _closed({"summary": summary, "citations": {**members["citations"], **one}})


def _only(schema: dict[str, Any], value: str) -> dict[str, Any]:
    return {"type": schema["type"], "enum": [value]}


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required,
            "additionalProperties": False}  # fmt: skip


def _solved() -> str:
    text = ""
    for names, first, right in _SOLVED:
        page = [Element("button", name, f"@{n}") for n, name in enumerate(names, start=first)]
        chosen = page[right]
        call = {"element": chosen.name, "action": "click", "params": {"selector": chosen.ref}}
        text += f"{_page(page)}\nTask: Press the button {chosen.name}\n{json.dumps(call)}\n\n"
    return text


def _page(elements: list[Element]) -> str:
    return "\n".join(["Page:", *(f'{e.ref} {e.role} "{e.name}"' for e in elements)])

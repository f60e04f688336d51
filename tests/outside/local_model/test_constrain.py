"""What the small model is asked: only elements of the newest page, in the product's own schema."""

import json
from typing import Any

import jsonschema
import pytest

from prompts.tools import own_tools
from tools.local_model.constrain import arguments_of, elements_of, question_of

TOOLS = [
    {"type": "function", "function": {"name": tool.name, "parameters": tool.schema}}
    for tool in own_tools("en")
]
PAGE = (
    'Step 1: getAomSnapshot succeeded.\n<<<page 1\npage "Desk" "http://127.0.0.1/"\n'
    '- heading "Desk"\n- button "Save" @1\n- button "Print" focused @7\npage 1>>>'
)


def request(*results: str) -> dict[str, Any]:
    said = [{"role": "tool", "content": text} for text in results]
    first = [{"role": "system", "content": "S"}, {"role": "user", "content": "Press Save"}]
    return {"tools": TOOLS, "messages": [*first, *said]}


def test_without_a_page_it_can_only_look() -> None:
    question = question_of(request())
    look = {"action": "getAomSnapshot", "params": {}}
    jsonschema.validate(look, question.schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"action": "click", "params": {"selector": "@1"}}, question.schema)


@pytest.mark.parametrize(("name", "ref", "fits"), [
    ("Save", "@1", True), ("Print", "@7", True), ("Save", "@7", False), ("Desk", "@2", False),
])  # fmt: skip
def test_on_a_page_it_can_only_press_what_is_there(name: str, ref: str, fits: bool) -> None:
    question = question_of(request('older: - button "Gone" @9', PAGE))
    answer = {"element": name, "action": "click", "params": {"selector": ref}}
    assert jsonschema.Draft202012Validator(question.schema).is_valid(answer) is fits


def test_after_a_press_it_can_only_finish_and_cite_that_step() -> None:
    question = question_of(request(PAGE, "Step 2: click succeeded.\n" + PAGE))
    assert question.tool == "finish"
    jsonschema.validate({"summary": "Done.", "citations": [2]}, question.schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"summary": "Done.", "citations": [1]}, question.schema)


def test_the_call_that_is_streamed_fits_the_products_own_schema() -> None:
    answer = json.dumps({"element": "Save", "action": "click", "params": {"selector": "@1"}})
    jsonschema.validate(json.loads(arguments_of(answer)), own_tools("en")[0].schema)


def test_an_answer_that_was_cut_stays_cut() -> None:
    assert arguments_of('{"element":"Save","act') == '{"element":"Save","act'


def test_a_name_in_a_page_that_looks_like_a_line_is_no_element() -> None:
    assert elements_of('- text: say - button "Save" @1 now') == []


def test_a_request_without_the_tools_is_refused() -> None:
    with pytest.raises(KeyError):
        question_of({**request(), "tools": []})

"""What is approved is what was shown; a pin stands for the whole definition as it came."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from actions.mcp.approval import approved_tool, candidates
from actions.mcp.clean import clean, is_unseen, one_line, visible
from actions.mcp.errors import McpError, McpSchemaError
from states.mcp import McpServer, ToolOffer, find_tool, full_name, pin_of
from states.settings import McpLimits
from tests.actions.mcp.lab import SCHEMA, offer_of, tool

LIMITS = McpLimits()
OFFER = offer_of(tool())


def test_the_approved_words_are_without_what_nobody_sees_and_the_pin_is_of_all_of_it() -> None:
    hidden = OFFER._replace(description="note\u200b it\u202e \x1b[31m\r\nsafe")
    approved = approved_tool(hidden, LIMITS, read_only=False)
    assert approved.description == "note it  [31m\nsafe"
    assert (approved.pin, approved.read_only) == (pin_of(hidden), False)
    assert pin_of(hidden) != pin_of(OFFER)


def test_what_a_server_says_of_its_own_tool_makes_it_no_less_dangerous() -> None:
    hints = {"readOnlyHint": True, "destructiveHint": False}
    assert not approved_tool(OFFER._replace(annotations=hints), LIMITS, read_only=False).read_only


def test_a_long_description_is_cut_for_the_model_too() -> None:
    approved = approved_tool(OFFER._replace(description="x" * 5_000), LIMITS, read_only=True)
    assert len(approved.description) == LIMITS.description_chars_max


@pytest.mark.parametrize(
    ("offer", "code"),
    [
        (OFFER._replace(name="a b"), "mcp_name_odd"),
        (OFFER._replace(name="note\u200b"), "mcp_name_odd"),
        (OFFER._replace(name="\u043dote"), "mcp_name_odd"),
        (OFFER._replace(name=""), "mcp_name_odd"),
        (OFFER._replace(name="x" * 129), "mcp_name_odd"),
        (OFFER._replace(output_schema={"type": "object", "$ref": "http://a/"}),
         "mcp_schema_reference"),
        (OFFER._replace(input_schema={**SCHEMA, "maximum": 2**64}), "mcp_schema_invalid"),
    ],
)  # fmt: skip
def test_a_tool_that_cannot_be_approved_is_told(offer: ToolOffer, code: str) -> None:
    with pytest.raises(McpSchemaError) as caught:
        approved_tool(offer, LIMITS, read_only=False)
    assert caught.value.code == code


def test_one_name_for_two_tools_is_approved_for_neither() -> None:
    found = candidates([OFFER, OFFER._replace(description="2"), offer_of(tool("b"))], LIMITS)
    codes = [one.code if isinstance(one, McpError) else one.name for _, one in found]
    assert codes == ["mcp_name_twice", "mcp_name_twice", "b"]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "n"}, {"description": "d"}, {"description": None}, {"input_schema": {}},
        {"output_schema": {}}, {"annotations": {}}, {"annotations": {"title": "t"}},
    ],
)  # fmt: skip
def test_a_pin_stands_for_each_part_of_the_definition(change: dict[str, object]) -> None:
    assert pin_of(OFFER._replace(**change)) != pin_of(OFFER)  # type: ignore[arg-type]


def test_a_pin_is_the_same_however_the_definition_is_spelled() -> None:
    turned = dict(reversed(list(SCHEMA.items())))
    assert pin_of(OFFER._replace(input_schema=turned)) == pin_of(OFFER)


@given(st.text(min_size=1, max_size=140), st.text(min_size=1, max_size=140))
def test_a_model_calls_two_tools_by_two_names(one: str, other: str) -> None:
    names = [full_name("a-long-server-name-of-31-letters", name) for name in (one, other)]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
    assert (names[0] == names[1]) == (one == other)


def test_a_plain_name_is_kept_and_found_again() -> None:
    approved = approved_tool(OFFER, LIMITS, read_only=False)
    servers = [McpServer(name="s", command=("c",), tools=(approved,))]
    assert full_name("s", "read_file") == "mcp__s__read_file"
    assert find_tool(servers, "mcp__s__note") == (servers[0], approved)
    assert find_tool(servers, "mcp__s__") is None
    assert full_name("a", "b__c") != full_name("a-b", "c")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "A"}, {"name": "a_b"}, {"name": "1a"}, {"name": "a" * 32}, {"command": ()},
        {"command": ("",)}, {"command": ("a\0b",)}, {"env": ("A=B",)}, {"env": ("",)},
        {"more": 1},
    ],
)  # fmt: skip
def test_a_server_that_is_none_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        McpServer.model_validate({"name": "a", "command": ["b"], **wrong})
    assert McpServer.model_validate({"name": "a", "command": ["b"]}).tools == ()


@given(st.text(max_size=80))
def test_cleaned_text_holds_nothing_unseen_and_is_cleaned_once(text: str) -> None:
    assert not any(map(is_unseen, clean(text)))
    assert clean(clean(text)) == clean(text)
    assert not any(map(is_unseen, visible(text)))
    assert len(one_line(text, 20)) <= 20


def test_honest_text_stays_as_it_is() -> None:
    honest = "Größe: 1,234.50 €\n\t日付 — “quoted” 😀"
    assert clean(honest) == visible(honest) == honest
    assert one_line("a\nb\u200b", 20) == "a b\\u200b"

"""Whatever the value: strict JSON stays, a part of it is never completed, spelling is undone."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from guards.output_fault import why_broken
from guards.output_repair import call_in_text, meant_as_call, repair_arguments
from tests.guards.broken import TOOLS, same

# A loaded machine is slow at times; the whole file still ends in seconds.
PATIENT = settings(deadline=None)
# Quotes, marks of structure and of comments on purpose: a string may hold them all.
TEXT = st.text(st.sampled_from("ab 1\"'“”＂{}[]｛｝:：,，/*#\\\n`<>好"), max_size=12)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    SCALARS, lambda one: st.lists(one, max_size=3) | st.dictionaries(TEXT, one, max_size=3)
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=4)
MARKS = "{}[]:,\"'“”＂｛｝［］：，"


@PATIENT
@given(OBJECTS, st.booleans())
def test_strict_json_is_never_changed(value: dict[str, Any], ascii_only: bool) -> None:
    found = repair_arguments(json.dumps(value, ensure_ascii=ascii_only))
    assert found is not None
    assert same(found.value, value)
    assert found.how == ()


@PATIENT
@given(OBJECTS, st.data())
def test_no_part_of_an_object_is_repaired_to_anything(value: dict[str, Any], data: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assert repair_arguments(cut) is None
    assert repair_arguments(f"```json\n{cut}") is None
    assert call_in_text(cut, TOOLS) is None
    assert why_broken(cut, "en")


def spelled(value: Any, draw: Any) -> str:
    """Return *value* as a model may spell it: each part in one of the ways that are repaired."""
    if isinstance(value, dict):
        opens, closes = draw(st.sampled_from(("{}", "｛｝")))
        colon = draw(st.sampled_from((":", "：", ": ", ":/* x */")))
        parts = [f"{spelled(key, draw)}{colon}{spelled(one, draw)}" for key, one in value.items()]
        return f"{opens}{joined(parts, draw)}{closes}"
    if isinstance(value, list):
        return f"[{joined([spelled(one, draw) for one in value], draw)}]"
    if isinstance(value, str):
        return quoted(value, draw(st.sampled_from(("double", "single", "wide"))))
    if value is None or isinstance(value, bool):
        return str(draw(st.sampled_from((json.dumps(value), repr(value)))))
    return json.dumps(value)


def joined(parts: list[str], draw: Any) -> str:
    comma = draw(st.sampled_from((", ", ",", "，", ", // next\n")))
    last = str(draw(st.sampled_from(("", ",")))) if parts else ""
    return f"{comma.join(parts)}{last}"


def quoted(text: str, how: str) -> str:
    body = json.dumps(text, ensure_ascii=False)[1:-1]
    if how == "single":
        return "'" + body.replace('\\"', '"').replace("'", "\\'") + "'"
    if how == "wide" and not set(text) & set("“”＂"):
        return f"“{body}”"
    return f'"{body}"'


@PATIENT
@given(OBJECTS, st.data())
def test_a_spelling_is_undone_or_left_alone(value: dict[str, Any], data: Any) -> None:
    text = spelled(value, data.draw)
    around = data.draw(st.sampled_from(("", "好的：", "```json\n", "<tool_call>")))
    found = repair_arguments(f"{around}{text}{data.draw(st.sampled_from(('', ' Done.')))}")
    assert found is None or same(found.value, value)


PLAIN = st.text(st.sampled_from("ab 1@_好"), max_size=8)
PLAIN_OBJECTS = st.dictionaries(PLAIN, PLAIN | st.integers(0, 99) | st.booleans(), max_size=4)


@PATIENT
@given(PLAIN_OBJECTS, st.data())
def test_a_spelling_of_plain_words_is_always_undone(value: dict[str, Any], data: Any) -> None:
    found = repair_arguments(spelled(value, data.draw))
    assert found is not None
    assert same(found.value, value)


@PATIENT
@given(OBJECTS, st.data())
def test_a_mark_that_was_lost_is_never_made_up(value: dict[str, Any], data: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    places = [at for at, char in enumerate(text) if char in MARKS]
    at = data.draw(st.sampled_from(places))
    found = repair_arguments(text[:at] + text[at + 1 :])
    # Without that mark it is another strict JSON text, or nothing.
    assert found is None or found.how == ()


@PATIENT
@given(OBJECTS, OBJECTS, st.sampled_from(("", "\n", " ", " or ")))
def test_of_two_different_objects_none_is_taken(
    one: dict[str, Any], other: dict[str, Any], between: str
) -> None:
    found = repair_arguments(f"{json.dumps(one)}{between}{json.dumps(other)}")
    assert (found is not None) == same(one, other)


@PATIENT
@given(st.text(st.sampled_from("{}[]:,\"'“”｛｝：，/*#\\ab1 \n<>`"), max_size=40))
def test_any_text_has_an_answer(text: str) -> None:
    repair_arguments(text)
    call_in_text(text, TOOLS)
    meant_as_call(text, TOOLS)
    assert (why_broken(text, "en") == "") == (why_broken(text, "zh-CN") == "")

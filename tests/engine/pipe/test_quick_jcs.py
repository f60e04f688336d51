"""The quick way to RFC 8785 says exactly what the long way says, or raises like it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.pipe.quick_jcs import quick_canonical_bytes
from states.canonical import canonical_bytes

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(LEAVES, lambda v: st.lists(v) | st.dictionaries(TEXT, v), max_leaves=20)


@given(st.dictionaries(TEXT, VALUES))
@settings(max_examples=300, deadline=None)
def test_both_ways_give_the_same_bytes(document: dict[str, Any]) -> None:
    assert quick_canonical_bytes(document) == canonical_bytes(document)


@pytest.mark.parametrize(
    "document",
    [
        {"b": 1, "a": {"d": [True, None], "c": "导出"}},
        {"controls": "".join(map(chr, range(0x20))) + '\x7f\u0085\u2028"\\/<>&'},
        {"\U0001f600": 1, "\ufb33": 2},  # UTF-16 order is not code point order
        {"a": 1e21, "b": -0.0, "c": 0.1, "d": 1.0},
    ],
)
def test_known_documents_agree(document: dict[str, Any]) -> None:
    assert quick_canonical_bytes(document) == canonical_bytes(document)


@pytest.mark.parametrize("value", [2**53, -(2**53), float("nan"), float("inf"), "\ud83d"])
def test_what_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        quick_canonical_bytes({"a": [value]})

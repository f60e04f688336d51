"""The reader's small gates, each by itself."""

import pytest

from engine.pipe.errors import ProtocolViolationError
from engine.pipe.strict_json import parse_object, readable_seq


@pytest.mark.parametrize(("seq", "read"), [(7, 7), (True, None), ("7", None), (7.0, None)])
def test_only_a_whole_number_is_a_seq(seq: object, read: int | None) -> None:
    assert readable_seq({"seq": seq}) == read
    assert readable_seq({}) is None


def test_digits_without_end_are_refused_before_they_are_read() -> None:
    # Python itself refuses to read more than 4,300 digits, with another error.
    with pytest.raises(ProtocolViolationError) as caught:
        parse_object('{"n": ' + "9" * 5_000 + "}", 5)
    assert caught.value.code == "line_int_out_of_range"
    assert parse_object('{"n": 9007199254740991}', 5) == {"n": 2**53 - 1}

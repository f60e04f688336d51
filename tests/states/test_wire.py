"""What an agent says for the person's panel is bounded, and a state's name is a name."""

import pytest
from pydantic import ValidationError

from states.settings import PipeLimits
from states.wire import LogEntry, StateChanged

CHARS_MAX = PipeLimits().panel_text_chars_max


@pytest.mark.parametrize("state", ["", ".\n", "Approve this?", "a" * 61, "planning\n", "\u3000"])
def test_a_state_is_a_known_kind_of_name(state: str) -> None:
    with pytest.raises(ValidationError):
        StateChanged(state=state, event="x")
    assert StateChanged(state="executing.waiting", event="x").state == "executing.waiting"


def test_words_for_the_panel_are_cut_and_not_refused() -> None:
    long = "x" * (CHARS_MAX + 1)
    told = StateChanged(state="confirm", event=long, action=long, reason=long)
    assert {len(text) for text in (told.event, told.action, told.reason)} == {CHARS_MAX}
    assert len(LogEntry(event="note", message=long).message) == CHARS_MAX
    assert StateChanged(state="confirm", event="x", reason="short").reason == "short"


@pytest.mark.parametrize("field", ["step", "elapsed_ms"])
def test_a_count_is_not_negative(field: str) -> None:
    with pytest.raises(ValidationError):
        StateChanged.model_validate({"state": "confirm", "event": "x", field: -1})

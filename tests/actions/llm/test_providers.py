"""The shipped providers: a script read line by line, and a matcher that never pretends."""

from datetime import date

import pytest

from actions.errors import ProviderError
from actions.llm.offline import OfflineProvider
from actions.llm.provider import ModelRequest
from actions.llm.scripted import ScriptedProvider
from skills.registry import load_library
from states.messages import Message

TODAY = date(2026, 11, 29)


def request(number: int = 1, instruction: str = "x", **more: object) -> ModelRequest:
    return ModelRequest.model_validate(
        {"trace_id": "t", "instruction": instruction, "call_number": number,
         "conversation": (Message(role="user", text=instruction),), "language": "en", **more}
    )  # fmt: skip


async def test_line_n_is_call_n() -> None:
    provider = ScriptedProvider('{"text":"a"}\n\n{"text":"b","usage":{"input_tokens":3}}\n')
    assert (await provider.complete(request())).text == "a"
    second = await provider.complete(request(2))
    assert (second.text, second.usage.input_tokens) == ("b", 3)
    with pytest.raises(ProviderError, match="no line 3"):
        await provider.complete(request(3))


async def test_raw_is_broken_output_and_error_a_failing_provider() -> None:
    provider = ScriptedProvider('{"raw":"{{"}\n{"error":{"status":529}}\n')
    assert (await provider.complete(request())).broken == "{{"
    with pytest.raises(ProviderError, match="529"):
        await provider.complete(request(2))


async def test_a_delay_alone_waits_and_reads_on() -> None:
    provider = ScriptedProvider('{"delay_s":0.01}\n{"text":"a"}\n')
    assert (await provider.complete(request())).text == "a"


@pytest.mark.parametrize("line", ["{", "[]", '{"txt":1}', '{"delay_s":-1}', '{"tool_calls":[{}]}'])
def test_a_broken_script_names_its_line(line: str) -> None:
    with pytest.raises(ProviderError, match=r"Line 2 of s\.jsonl"):
        ScriptedProvider('{"text":"a"}\n' + line, "s.jsonl")


async def test_the_matcher_calls_the_skill_that_fits() -> None:
    provider = OfflineProvider(load_library().skills, TODAY)
    turn = await provider.complete(request(instruction="导出本月合规报表"))
    [call] = turn.tool_calls
    assert call.name == "run_skill"
    assert call.input["params"]["month"] == "2026-11"


async def test_the_matcher_says_what_it_cannot_do() -> None:
    provider = OfflineProvider(load_library().skills, TODAY)
    with pytest.raises(ProviderError, match="erp-monthly-report"):
        await provider.complete(request(instruction="delete all invoices"))


async def test_the_matcher_reports_the_skills_own_result() -> None:
    provider = OfflineProvider(load_library().skills, TODAY)
    told = await provider.complete(request(2, last_data={"message": "3 reports"}))
    assert told.text == "3 reports"
    failed = Message(role="tool", text="no", call_id="c", failed=True)
    with pytest.raises(ProviderError, match="out of paper"):
        await provider.complete(request(2, conversation=(failed,), last_message="out of paper"))

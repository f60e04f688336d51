"""One model call: what is asked, what is told meanwhile, and what the chart is given of it."""

from collections.abc import Mapping
from typing import Any

import pytest

from actions.errors import ProviderError
from actions.llm.chunks import Said, Thought, TryFailed
from actions.llm.errors import NetworkFailedError
from actions.llm.scripted import ScriptedProvider
from actions.plan import plan
from actions.ports import Ports
from actions.think import request_of, think
from states.messages import CallReport, Message, ModelTurn, ToolCall, Usage
from states.task import Context, Record, StepOutcome, StepResult
from tests.actions.desk import make_ports
from tests.actions.talk import Desk, Talk, browse, call, turn

TWO = turn(browse("getText", "a"), browse("click", "b", selector="#query"))
SPENT = Usage(input_tokens=900, output_tokens=20, cache_read_tokens=800)


class Round:
    """One service call on *replies*, with all that was logged and sent."""

    def __init__(self, *replies: Any, record: Record = Record(), **changes: Any) -> None:  # noqa: B008
        self.rows: list[tuple[str, dict[str, Any]]] = []
        self.sent: list[tuple[str, Mapping[str, Any]]] = []
        self.provider = Talk(*replies)
        given = {"provider": self.provider, "desk": Desk(), "log": self._note, **changes}
        self.ports: Ports = make_ports(**given)
        self.context = Context(record=record)

    def _note(self, event: str, **fields: Any) -> None:
        self.rows.append((event, fields))

    def emit(self, event: str, payload: Mapping[str, Any]) -> None:
        self.sent.append((event, payload))

    async def think(self) -> dict[str, Any]:
        return await think(self.context, self.ports, self.emit)

    async def plan(self) -> dict[str, Any]:
        return await plan(self.context, self.ports, self.emit)

    def logged(self, event: str) -> list[dict[str, Any]]:
        return [fields for name, fields in self.rows if name == event]


async def test_of_a_remote_models_reply_only_the_first_call_is_kept_to_be_run() -> None:
    payload = await Round(TWO).think()
    assert payload["record"]["request"]["action"] == "getText"
    assert payload["record"]["calls_left"] == []
    # Both stand in the reply, so that both are answered.
    assert [each["id"] for each in payload["record"]["turn"]["tool_calls"]] == ["a", "b"]


async def test_a_script_may_give_a_list_and_its_calls_wait() -> None:
    script = ModelTurn(tool_calls=TWO.tool_calls).model_dump_json(include={"tool_calls"})
    payload = await Round(provider=ScriptedProvider(script)).think()
    assert [each["id"] for each in payload["record"]["calls_left"]] == ["b"]


async def test_of_an_invalid_list_nothing_waits() -> None:
    script = turn(browse("fly"), browse("getText", "b")).model_dump_json(include={"tool_calls"})
    payload = await Round(provider=ScriptedProvider(script)).think()
    assert (payload["reply"], payload["record"]["calls_left"]) == ("invalid", [])


@pytest.mark.parametrize("stop", ["length", "refusal", "pause", "overflow"])
async def test_of_a_list_that_is_not_whole_nothing_waits(stop: Any) -> None:
    half = TWO.model_copy(update={"stop": stop})
    script = half.model_dump_json(include={"tool_calls", "stop"})
    payload = await Round(provider=ScriptedProvider(script)).think()
    assert payload["record"]["calls_left"] == []


async def test_a_call_that_waits_is_judged_before_the_model_is_asked_again() -> None:
    record = Record(calls_left=TWO.tool_calls)
    round_ = Round(record=record)
    payload = await round_.think()
    assert payload["record"]["request"]["call_id"] == "a"
    assert [each["id"] for each in payload["record"]["calls_left"]] == ["b"]
    assert "turn" not in payload["record"]
    assert round_.provider.requests == []


async def test_a_waiting_call_that_was_written_badly_runs_only_if_it_reads() -> None:
    raw = '{"action": "click", "params": {"selector": "#query"},}'
    record = Record(calls_left=(call("browser_action", raw=raw),))
    assert (await Round(record=record).think())["reply"] == "invalid"
    reads = Record(calls_left=(call("browser_action", raw='{"action": "getText",}'),))
    assert (await Round(record=reads).think())["reply"] == "call"


async def test_a_call_is_told_with_its_cost_and_its_time() -> None:
    round_ = Round(turn(browse("getText"), usage=SPENT))
    payload = await round_.think()
    [told] = round_.logged("model_called")
    assert (told["provider"], told["call"], told["stop"]) == ("talk", 1, "done")
    assert told["usage"]["cache_read_tokens"] == 800
    assert payload["record"]["turn"]["usage"]["input_tokens"] == 900
    assert payload["record"]["turn"]["report"]["provider"] == "talk"


async def test_what_the_provider_reports_itself_is_kept() -> None:
    report = CallReport(provider="claude", model="m-1", duration_ms=7, cost_microusd=12)
    payload = await Round(turn(browse("getText"), report=report)).think()
    assert payload["record"]["turn"]["report"] == report.model_dump()


async def test_a_failed_try_is_sent_to_the_chart_before_the_reply() -> None:
    failed = TryFailed(1, "overload", "provider_busy", "529", 1.0, 40, Usage(input_tokens=5))
    round_ = Round([Said("I wi"), failed, Said("I look.\n"), turn(browse("getText"))])
    await round_.think()
    [(event, payload)] = round_.sent
    assert (event, payload["kind"]) == ("model_tried", "overload")
    assert payload["record"]["usage"]["input_tokens"] == 5
    assert [fields["text"] for fields in round_.logged("model_says")] == ["I look."]


async def test_what_was_said_before_the_last_try_failed_is_not_told_half() -> None:
    error = NetworkFailedError("model_network", provider="talk", why="cut")
    round_ = Round([Said("first line\nthe key is sk-ant-api"), error])
    with pytest.raises(ProviderError):
        await round_.think()
    assert [fields["text"] for fields in round_.logged("model_says")] == ["first line"]
    assert round_.logged("model_called") == []


async def test_a_call_found_in_the_text_can_be_answered() -> None:
    text = '{"name": "browser_action", "arguments": {"action": "getText"}}'
    payload = await Round(ModelTurn(text=text)).think()
    [found] = payload["record"]["turn"]["tool_calls"]
    assert found["id"] == payload["record"]["request"]["call_id"] == "text-1"
    assert payload["record"]["turn"]["text"] == text
    assert payload["record"]["repaired"] == ["in_text"]


async def test_a_repaired_call_is_recorded_as_it_was_read_and_as_it_was_written() -> None:
    raw = '{"action": "getText",}'
    payload = await Round(turn(call("browser_action", raw=raw), browse("getText", "b"))).think()
    first, second = payload["record"]["turn"]["tool_calls"]
    assert (first["input"], first["raw"]) == ({"action": "getText"}, raw)
    assert second["id"] == "b"


@pytest.mark.parametrize(
    "reply",
    [
        turn(browse("getText", "a"), browse("getText", "a")),
        turn(browse("getText", "")),
        turn(call("browser_action", {"x": float("nan")})),
        turn(call("browser_action", {"x": 2**60})),
        ModelTurn(text="half \ud83d"),
        ModelTurn(broken="{"),
        ModelTurn(text="x" * 200_000, usage=SPENT),
    ],
    ids=["same id", "no id", "NaN", "huge", "surrogate", "broken", "long"],
)
async def test_what_no_ledger_can_hold_is_kept_as_broken_output_with_its_cost(
    reply: ModelTurn,
) -> None:
    payload = await Round(reply).think()
    kept = ModelTurn.model_validate(payload["record"]["turn"])
    assert payload["reply"] == "invalid"
    assert kept.broken
    assert (kept.text, kept.tool_calls, kept.usage) == ("", (), reply.usage)
    kept.model_dump_json().encode("utf-8")


async def test_the_first_text_is_the_plan_and_is_told_once() -> None:
    told = Round([Said("First the report.\n"), turn(browse("getText"), text="First the report.")])
    await told.plan()
    assert told.logged("planned") == []
    silent = Round([Thought("hm\n"), turn(browse("getText"), text="First the report.")])
    await silent.plan()
    assert [fields["text"] for fields in silent.logged("planned")] == ["First the report."]
    nothing = Round(turn(browse("getText")))
    await nothing.plan()
    assert nothing.logged("planned") == []


KEY = "sk-ant-api03-0123456789abcdef"


def test_no_secret_is_asked_along() -> None:
    conversation = (
        Message(role="user", text=f"log in with {KEY}"),
        Message(
            role="assistant",
            text=f"I use {KEY}",
            tool_calls=(
                ToolCall(id="a", name="t", input={"deep": [f"x {KEY}"]}),
                ToolCall(id="b", name="t", raw=f'{{"text": "{KEY}'),
            ),
            blocks=({"type": "thinking", "thinking": f"it is {KEY}", "signature": "s"},),
            family="claude",
        ),
        Message(role="tool", text="plain", call_id="a"),
    )
    result = StepResult(success=False, message=f"no {KEY}", data={"data": {"k": f"is {KEY}"}})
    record = Record(instruction=f"use {KEY}", conversation=conversation, result=result,
                    page_text=f"page {KEY}")  # fmt: skip
    asked = request_of(record, "trace", "en", {})
    assert KEY not in asked.model_dump_json()
    assert asked.model_dump_json().count("[redacted]") == 9
    # What holds none is the very same: its bytes do not change, and neither does a cache's prefix.
    assert asked.conversation[2] is conversation[2]


def test_the_picture_of_the_last_step_goes_along_and_squeezing_is_passed_on() -> None:
    data = {"image_base64": {"sha256": "d", "chars": 4}}
    record = Record(result=StepResult(success=True, data=data), squeeze=2, model_calls=4)
    asked = request_of(record, "trace", "en", {"d": "QUJD"})
    assert (asked.picture, asked.squeeze, asked.call_number) == ("QUJD", 2, 5)
    assert request_of(record, "trace", "en", {}).picture == ""
    assert request_of(Record(), "trace", "en", {"d": "QUJD"}).picture == ""


async def test_an_end_may_cite_only_steps_that_succeeded() -> None:
    def step(number: int, *, success: bool) -> StepOutcome:
        return StepOutcome(source="model", action="click", call_digest=str(number),
                           fingerprint="", success=success, number=number)  # fmt: skip

    record = Record(history=(step(1, success=True), step(2, success=False)))

    async def cites(*numbers: int) -> str:
        end = call("finish", {"summary": "Done.", "citations": list(numbers)})
        return str((await Round(turn(end), record=record).think())["reply"])

    assert await cites(1) == "text"
    assert await cites(2) == "invalid"
    assert await cites(3) == "invalid"

"""What the record keeps of the model: its replies and their cost, its tries, its questions."""

from typing import Any

import pytest

from states.catalogue import words
from states.events import Event
from states.fold import REDUCERS
from states.messages import CallReport, Message, ModelTurn, ToolCall, Usage
from states.task import REPAIRS_MAX, Context, Control, Record
from tests.actions.talk import faults

CALLS = (ToolCall(id="a", name="browser_action", input={}),
         ToolCall(id="b", name="browser_action", input={}),
         ToolCall(id="c", name="finish", input={}))  # fmt: skip
USED = Usage(input_tokens=10, output_tokens=2, cache_read_tokens=8)


def fold(context: Context, *folded: tuple[str, dict[str, Any]]) -> Context:
    for reducer, payload in folded:
        context = REDUCERS[reducer](context, Event("x", payload))
    return context


def reply(
    kind: str, turn: ModelTurn | None = None, /, call_id: str = "", **record: Any
) -> tuple[str, dict[str, Any]]:
    """Return the folding of one reply of *kind*."""
    given: dict[str, Any] = {"request": {"call_id": call_id}, "note": "wrong", **record}
    if turn is not None:
        given["turn"] = turn.model_dump(mode="json")
    return "take_turn", {"reply": kind, "effect": "act", "claims": True, "record": given}


def asked(kind: str) -> Context:
    """Return a task whose model asked for three calls at once, in a reply of *kind*."""
    begun = Record(conversation=(Message(role="user", text="do it"),))
    turn = ModelTurn(text="I do", tool_calls=CALLS, usage=USED)
    return fold(Context(record=begun), reply(kind, turn, "a"))


SEEN = {"outcome": "ok", "repeats": 0, "same_failures": 0, "steps": "left",
        "record": {"observation": "seen"}}  # fmt: skip
WHY = {"record": {"note": "wrong", "digest": "d"}, "steps": "left"}
# Each way out of a reply, and what the first call is answered with.
PATHS = [
    ("call", "take_observation", SEEN, "seen", False),
    ("call", "take_observation", {**SEEN, "outcome": "failed"}, "seen", True),
    ("tool", "take_observation", SEEN, "seen", False),
    ("skill", "take_observation", SEEN, "seen", False),
    ("call", "take_rejection", WHY, "wrong", True),
    ("tool", "take_rejection", WHY, "wrong", True),
    ("invalid", "count_repair", WHY, "wrong", True),
    ("cut", "count_repair", WHY, "wrong", True),
    ("question", "take_answer", WHY, "wrong", False),
    ("question", "take_no_answer", WHY, "wrong", True),
    ("text", "tell_no_evidence", {}, words("no_evidence_told", "en"), True),
    ("paused", "count_pause", {}, words("not_run", "en"), True),
    ("overflow", "count_overflow", {}, words("not_run", "en"), True),
    ("call", "take_resumption",
     {"browser": "same", "lost": "nothing", "steps": "left", "record": {"note": "wrong"}},
     "wrong", True),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "reducer", "payload", "told", "failed"), PATHS)
def test_on_every_path_each_call_has_one_answer_straight_behind_the_reply(
    kind: str, reducer: str, payload: dict[str, Any], told: str, *, failed: bool
) -> None:
    after = fold(asked(kind), (reducer, payload)).record
    assert faults(after.conversation) == []
    answers = after.conversation[2:5]
    assert [message.call_id for message in answers] == ["a", "b", "c"]
    assert (answers[0].text, answers[0].failed) == (told, failed)
    assert {message.text for message in answers[1:]} == {words("not_run", "en")}
    assert all(message.failed for message in answers[1:])
    assert after.calls_left == ()
    # Without the reducer the conversation is one that no provider takes.
    assert faults(asked(kind).record.conversation) != []


@pytest.mark.parametrize(
    ("reducer", "payload"),
    [("take_rejection", WHY),
     ("take_resumption",
      {"browser": "same", "lost": "nothing", "steps": "left", "record": {"note": "wrong"}})],
)  # fmt: skip
def test_a_note_that_answers_no_call_comes_behind_all_answers(
    reducer: str, payload: dict[str, Any]
) -> None:
    # The first call is answered, the others of the list wait: a person ends the task between.
    waiting = [call.model_dump() for call in CALLS[1:]]
    turn = ModelTurn(tool_calls=CALLS)
    between = fold(
        Context(), reply("call", turn, "a", calls_left=waiting), ("take_observation", SEEN)
    )
    assert len(between.record.calls_left) == 2
    after = fold(between, (reducer, payload)).record
    assert faults(after.conversation) == []
    assert [message.role for message in after.conversation[1:]] == ["tool", "tool", "tool", "user"]
    assert after.conversation[-1].text == "wrong"


def test_cost_is_summed_over_replies_and_failed_tries() -> None:
    report = CallReport(provider="claude", model="m", duration_ms=5, cost_microusd=3)
    turn = ModelTurn(text="t", usage=USED, report=report)
    spent = {"usage": Usage(input_tokens=7).model_dump(), "cost_microusd": 2}
    lost = {"kind": "stream", "record": spent}
    record = fold(
        Context(), reply("call", turn), ("take_try", lost), ("take_try", {"kind": "network"}),
        reply("call", turn),
    ).record  # fmt: skip
    assert record.usage == Usage(input_tokens=27, output_tokens=4, cache_read_tokens=16)
    assert (record.failed_tries, record.model_calls) == (2, 2)
    assert (record.model.calls, record.model.duration_ms, record.model.cost_microusd) == (2, 10, 8)


def test_a_try_before_the_first_reply_is_in_the_sum_and_one_without_a_price_leaves_none() -> None:
    spent = {"usage": Usage(input_tokens=7).model_dump(), "cost_microusd": 2}
    turn = ModelTurn(text="t", report=CallReport(provider="p", cost_microusd=3))
    first = fold(Context(), ("take_try", {"record": spent}), reply("call", turn)).record
    assert first.model.cost_microusd == 5
    unpriced = {"record": {**spent, "cost_microusd": None}}
    lost = fold(Context(), reply("call", turn), ("take_try", unpriced)).record
    assert lost.model.cost_microusd is None


def test_a_call_without_a_price_leaves_no_sum() -> None:
    priced = CallReport(provider="p", cost_microusd=3)
    first = ModelTurn(text="t", report=priced)
    unpriced = ModelTurn(text="t", report=CallReport(provider="p"))
    for turns in ((first, unpriced), (unpriced, first)):
        record = fold(Context(), *(reply("call", turn) for turn in turns)).record
        assert record.model.cost_microusd is None
    assert fold(Context(), reply("call", first)).record.model.cost_microusd == 3


@pytest.mark.parametrize("kind", ["cut", "declined", "paused", "overflow", "invalid"])
def test_only_a_whole_text_is_an_answer(kind: str) -> None:
    said = ModelTurn(text="The order was paid and the rest")
    assert fold(Context(), reply(kind, said)).record.answer == ""
    assert fold(Context(), reply("text", said)).record.answer == said.text
    beside = ModelTurn(text="I click.", tool_calls=CALLS)
    assert fold(Context(), reply("call", beside, "a")).record.answer == ""


def test_what_stopped_claims_nothing_and_acts_as_nothing() -> None:
    for kind in ("cut", "declined", "paused", "overflow", "invalid"):
        control = fold(Context(), reply(kind, ModelTurn(text="x"))).control
        assert (control.reply, control.effect, control.claims) == (kind, "read", False)
    for kind in ("call", "skill", "dialog", "tool", "question"):
        assert fold(Context(), reply(kind, ModelTurn(text="x"))).control.effect == "act"


def test_the_end_is_kept_with_what_it_cites_until_another_reply_comes() -> None:
    end = ModelTurn(text="So:", tool_calls=(CALLS[2],))
    cited = fold(Context(), reply("text", end, "c", answer="Void.", citations=[1, 3]))
    assert (cited.record.answer, cited.record.citations) == ("Void.", (1, 3))
    refused = fold(cited, ("tell_no_evidence", {}))
    assert (refused.record.answer, refused.record.citations) == ("", ())
    assert refused.control.told
    plain = fold(cited, reply("text", ModelTurn(text="It is void.")))
    assert (plain.record.answer, plain.record.citations) == ("It is void.", ())
    waited = fold(Context(), reply("text", None, "c", answer="Void.", citations=[2]))
    assert (waited.record.answer, waited.record.citations) == ("Void.", (2,))


def test_each_unfinished_reply_counts_and_a_whole_one_begins_anew() -> None:
    context = asked("invalid")
    for kind, reducer in (("invalid", "count_repair"), ("cut", "count_repair"),
                          ("paused", "count_pause"), ("overflow", "count_overflow")):  # fmt: skip
        before = context.control.repairs
        context = fold(context, reply(kind, ModelTurn(text="x")), (reducer, WHY))
        assert context.control.repairs == min(before + 1, REPAIRS_MAX)
        assert context.control.reply == "none"
    assert fold(context, reply("invalid", ModelTurn(text="x"))).control.repairs == REPAIRS_MAX
    for kind in ("call", "text", "skill", "dialog", "tool", "question", "declined"):
        assert fold(context, reply(kind, ModelTurn(text="x"))).control.repairs == 0


def test_only_a_full_window_squeezes_and_each_time_more() -> None:
    context = asked("overflow")
    for expected in (1, 2, 3):
        context = fold(context, ("count_overflow", {}))
        assert context.record.squeeze == expected
    for reducer in ("count_repair", "count_pause"):
        assert fold(asked("cut"), (reducer, WHY)).record.squeeze == 0


def test_a_reply_without_a_word_leaves_no_line() -> None:
    begun = Context(record=Record(conversation=(Message(role="user", text="do it"),)))
    after = fold(begun, reply("overflow", ModelTurn(stop="overflow", usage=USED)))
    assert after.record.conversation == begun.record.conversation
    assert (after.record.usage, after.record.model_calls) == (USED, 1)
    blocks = ({"type": "thinking", "thinking": "hm", "signature": "s"},)
    thought = fold(begun, reply("invalid", ModelTurn(blocks=blocks, family="claude")))
    assert thought.record.conversation[-1].blocks == blocks
    assert thought.record.conversation[-1].family == "claude"


def test_a_question_is_asked_and_its_answer_costs_a_step() -> None:
    context = fold(asked("question"), ("ask_question", {}))
    assert (context.control.asking, context.control.reply) == ("question", "call")
    for reducer in ("take_answer", "take_no_answer"):
        after = fold(context, (reducer, {**WHY, "steps": "spent"}))
        assert (after.control.asking, after.control.steps) == ("call", "spent")
        assert after.record.steps == context.record.steps + 1
        # What was asked proves nothing and disproves nothing.
        assert after.control.evidence == context.control.evidence


def test_a_question_that_outlived_its_browser_is_answered_and_the_model_told() -> None:
    moved = {"browser": "new", "lost": "nothing", "steps": "left", "record": {"note": "moved"}}
    context = fold(asked("question"), ("ask_question", {}), ("take_new_life", moved))
    assert context.record.told_later == "moved"
    after = fold(context, ("take_answer", WHY)).record
    assert faults(after.conversation) == []
    assert (after.conversation[-1].role, after.conversation[-1].text) == ("user", "moved")
    assert after.told_later == ""


def test_a_tools_call_that_a_kill_took_is_unknown_and_none_of_the_browsers() -> None:
    request = {"tool": "mcp", "call_id": "a", "action": "mcp__files__write", "call_digest": "c"}
    sent = {"seq": 0, "action": "mcp__files__write", "success": False, "error": "unknown_outcome"}
    lost = {"browser": "same", "lost": "command", "steps": "left",
            "record": {"note": "n", "sent": sent}}  # fmt: skip
    begun = fold(asked("tool"), reply("tool", None, "a"))
    record = begun.record._replace(
        request=begun.record.request.model_validate(request), in_flight=True
    )
    after = fold(Context(Control(), record), ("take_resumption", lost)).record
    assert (after.unknown, after.commands, after.in_flight) == (("c",), (), False)
    clicked = record.request.model_copy(update={"tool": "browser_action"})
    mine = fold(Context(Control(), record._replace(request=clicked)), ("take_resumption", lost))
    assert [each.action for each in mine.record.commands] == ["mcp__files__write"]


def test_the_plan_is_the_text_of_the_first_reply() -> None:
    _, payload = reply("call", ModelTurn(text="First look.", tool_calls=CALLS), "a")
    after = fold(Context(), ("take_plan", payload)).record
    assert (after.plan, after.answer) == ("First look.", "")


def test_what_a_full_window_left_of_a_reply_is_asked_for_again_as_a_whole() -> None:
    half = ModelTurn(text="I will now", stop="overflow")
    record = fold(Context(), reply("overflow", half), ("count_overflow", {})).record
    # A request that ends in the model's own words is refused by many models.
    assert record.conversation == Context().record.conversation
    assert record.model_calls == 1


def test_a_paused_reply_is_followed_by_a_word_of_the_users() -> None:
    paused = ModelTurn(text="I will now", stop="pause")
    record = fold(Context(), reply("paused", paused), ("count_pause", {})).record
    assert [message.role for message in record.conversation][-2:] == ["assistant", "user"]

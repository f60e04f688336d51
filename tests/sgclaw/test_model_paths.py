"""Each way a model may stop, ask or end leads where the table says, with the product's services."""

from typing import Any

import pytest

from actions.finish import completed_message
from states.task import Context
from states.wire import TaskCompleted
from tests.actions.talk import WRITE_TOOL, call
from tests.sgclaw.model_walk import TRIED, Walk, Walked

LOOKS = (("read",), "", "done")
ANSWERS = ((), "It says 5.", "done")


def says(*kinds: Any, text: str = "", stop: str = "done") -> tuple[tuple[Any, ...], str, str]:
    return kinds, text, stop


async def walked(*replies: Any, **world: Any) -> tuple[Walked, Context]:
    made = Walked(Walk(replies, **world))
    context = await made.run()
    assert made.wrong == []
    return made, context


def end_of(made: Walked, context: Context) -> TaskCompleted:
    state = made.shell.snapshot.state
    return completed_message(context, made.ports.trace_id, ("idle", state), 1.0, 200, "en")


STOPS = [
    ("length", "output_cut", 3),
    ("pause", "model_paused", 3),
    ("overflow", "window_full", 3),
    ("refusal", "model_declined", 1),
]


@pytest.mark.parametrize(("stop", "reason", "asked"), STOPS)
async def test_a_reply_that_is_not_whole_ends_the_task_by_the_table(
    stop: str, reason: str, asked: int
) -> None:
    stopped = says("click", text="Paid, and", stop=stop)
    made, context = await walked(*[stopped] * 5, ANSWERS)
    end = end_of(made, context)
    assert (end.state, end.reason, made.requests) == ("failed", reason, asked)
    # Nothing of it was run, and half a sentence is no answer.
    assert (end.commands, end.answer) == ((), "")
    assert made.ports.link.last_seq == 0


@pytest.mark.parametrize("stop", ["length", "pause", "overflow"])
async def test_twice_is_not_too_often(stop: str) -> None:
    stopped = says("click", stop=stop)
    made, context = await walked(stopped, stopped, ANSWERS)
    assert end_of(made, context).state == "completed"
    assert context.record.squeeze == (2 if stop == "overflow" else 0)


async def test_a_good_call_between_begins_the_count_anew() -> None:
    cut = says(text="x", stop="length")
    made, context = await walked(cut, cut, LOOKS, cut, cut, ANSWERS)
    assert end_of(made, context).state == "completed"


@pytest.mark.parametrize("wrong", ["fly", "rm", "broken click", "cites", "no skill"])
async def test_the_precise_error_goes_back_at_most_twice(wrong: str) -> None:
    made, context = await walked(*[says(wrong)] * 5)
    end = end_of(made, context)
    assert (end.state, end.reason, made.requests) == ("failed", "invalid_output", 3)
    assert made.ports.link.last_seq == 0
    told = [message for message in context.record.conversation if message.role == "tool"]
    assert len(told) == 2
    assert all(message.failed and len(message.text) > 30 for message in told)
    mended, context = await walked(says(wrong), says(wrong), ANSWERS)
    assert end_of(mended, context).state == "completed"


async def test_a_call_in_the_text_is_answered_as_the_call_that_it_is() -> None:
    text = '{"name": "browser_action", "arguments": {"action": "getText"}}'
    made, context = await walked(says(text=text), ANSWERS)
    assert end_of(made, context).state == "completed"
    _, said, answer, _ = context.record.conversation
    assert [each.id for each in said.tool_calls] == [answer.call_id] == ["text-1"]
    assert [sent.action for sent in context.record.commands] == ["getText"]


async def test_an_end_brings_its_proofs_to_the_host() -> None:
    finish = call("finish", {"summary": "The sum is 5.", "citations": [1]})
    made, context = await walked(LOOKS, says(finish))
    end = end_of(made, context)
    assert (end.state, end.answer, end.citations) == ("completed", "The sum is 5.", (1,))


async def test_an_end_that_cites_a_failed_step_is_refused_until_it_cites_a_good_one() -> None:
    def finish(*cited: int) -> Any:
        return says(call("finish", {"summary": "The sum is 5.", "citations": list(cited)}))

    failed, context = await walked(LOOKS, *[finish(1)] * 3, answers=("failed",))
    assert end_of(failed, context).reason == "invalid_output"
    assert end_of(failed, context).citations == ()
    made, context = await walked(LOOKS, LOOKS, finish(1), finish(2), answers=("failed", "ok"))
    assert end_of(made, context).citations == (2,)


async def test_a_manual_that_was_read_proves_no_deed() -> None:
    manual = says(call("use_skill", {"name": "erp-monthly-report"}))
    claim = says(call("finish", {"summary": "The report was exported.", "citations": []}))
    made, context = await walked(manual, claim, claim)
    assert end_of(made, context).reason == "no_evidence"
    looked, context = await walked(manual, LOOKS, claim)
    assert end_of(looked, context).state == "completed"


async def test_an_end_that_nothing_backs_is_told_once_and_then_fails() -> None:
    made, context = await walked(*[says("finish")] * 3)
    end = end_of(made, context)
    assert (end.state, end.reason, made.requests) == ("failed", "no_evidence", 2)
    assert (end.answer, end.citations) == ("", ())
    # Backed by a step it is believed.
    made, context = await walked(LOOKS, says("finish"))
    assert end_of(made, context).answer == "All was exported."


async def test_of_a_list_only_the_first_call_runs() -> None:
    _, context = await walked(says("read", "click", "void"), ANSWERS)
    assert [sent.action for sent in context.record.commands] == ["getText"]
    assert [message.failed for message in context.record.conversation[2:5]] == [False, True, True]
    listed, context = await walked(says("read", "click"), ANSWERS, runs_lists=True)
    assert [sent.action for sent in context.record.commands] == ["getText", "click"]
    assert end_of(listed, context).state == "completed"


async def test_failed_tries_are_journaled_and_paid_for() -> None:
    made, context = await walked(says("read", "void"), LOOKS, says("void"), ANSWERS)
    tried = [entry for entry in made.entries if entry.event.type == "model_tried"]
    assert [entry.event.payload["kind"] for entry in tried] == ["stream", "stream"]
    assert [entry.result for entry in tried] == ["handled", "handled"]
    # The state it is told in is not left by it: the call goes on, and so does its time.
    assert [entry.state for entry in tried] == ["active.planning", "active.executing.thinking"]
    assert all(entry.path == () and entry.effects == () for entry in tried)
    assert context.record.usage.input_tokens == 2 * TRIED.input_tokens
    assert end_of(made, context).model.failed_tries == 2


async def test_a_tool_that_writes_is_called_on_a_persons_yes_and_once() -> None:
    made, context = await walked(says("tool write"), ANSWERS)
    assert made.ports.desk.called == [(WRITE_TOOL, {"text": "x"})]  # type: ignore[attr-defined]
    assert end_of(made, context).commands == ()
    [asked] = [entry for entry in made.entries if entry.event.type == "done.invoke.ask"]
    assert asked.event.payload["decision"] == "approved"


@pytest.mark.parametrize("no", ["rejected", "expired", "unresolved"])
async def test_a_tool_that_writes_is_not_called_without_one(no: str) -> None:
    made, _ = await walked(*[says("tool write")] * 2, ANSWERS, decisions=(no, no))
    assert made.ports.desk.called == []  # type: ignore[attr-defined]


async def test_a_refused_tool_is_not_asked_about_again() -> None:
    made, context = await walked(*[says("tool write")] * 2, ANSWERS, decisions=("rejected",))
    asked = [entry for entry in made.entries if entry.event.type == "done.invoke.ask"]
    assert len(asked) == 1
    assert made.ports.desk.called == []  # type: ignore[attr-defined]
    assert context.record.result is not None
    assert context.record.result.error == "rejected_before"


async def test_a_tool_that_reads_and_a_manual_ask_nobody() -> None:
    made, context = await walked(says("tool read"), says("manual"), ANSWERS)
    assert end_of(made, context).state == "completed"
    assert not any(entry.event.type == "done.invoke.ask" for entry in made.entries)
    assert [outcome.success for outcome in context.record.history] == [True, True]


@pytest.mark.parametrize(("decision", "told"), [("approved", "June"), ("rejected", "not answer")])
async def test_a_question_goes_to_the_person_and_the_task_goes_on(decision: str, told: str) -> None:
    made, context = await walked(says("question", "click"), ANSWERS, decisions=(decision,))
    assert end_of(made, context).state == "completed"
    answer = context.record.conversation[2]
    assert told in answer.text
    assert (answer.call_id, context.record.commands, context.record.steps) == ("a", (), 1)

"""Whatever a model says and the world answers, the conversation is one that both APIs take."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from states.fold import REDUCERS
from states.task import Context
from tests.sgclaw.model_walk import (
    ANSWERS,
    CALLS,
    DECISIONS,
    ENDS,
    KILLS,
    STOPS,
    TEXTS,
    Walk,
    Walked,
    random_walk,
)

WALKS = st.builds(
    Walk,
    st.lists(
        st.one_of(
            st.tuples(
                st.lists(st.sampled_from(tuple(CALLS)), max_size=3).map(tuple),
                st.sampled_from(TEXTS),
                st.sampled_from(STOPS),
            ),
            st.sampled_from(KILLS),
        ),
        min_size=1,
        max_size=10,
    ),
    st.lists(st.sampled_from(ANSWERS), max_size=8),
    st.lists(st.sampled_from(DECISIONS), max_size=6),
    st.tuples(st.lists(st.sampled_from(("#query", "#void")), max_size=3), st.sampled_from(ENDS)),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(WALKS)
def test_each_call_is_answered_once_before_the_model_is_asked_again(walk: Walk) -> None:
    async def walked() -> list[str]:
        made = Walked(walk)
        await made.run()
        return made.wrong

    assert asyncio.run(walked()) == []


SEEDS = range(250)


async def test_many_walks_are_sound_and_together_go_everywhere() -> None:
    replies, states, events = set(), set(), set()
    for seed in SEEDS:
        walked = Walked(random_walk(seed))
        context = await walked.run()
        assert walked.wrong == [], seed
        assert context.record.usage.input_tokens == 5 * context.record.failed_tries
        for entry in walked.entries:
            states |= set(entry.path)
            events.add(entry.event.type)
            replies.add(entry.event.payload.get("reply"))
            replies.add(entry.event.payload.get("decision"))
    wanted = {"text", "call", "skill", "dialog", "tool", "question", "cut", "declined", "paused",
              "overflow", "invalid", "approved", "rejected", "expired", "unresolved"}  # fmt: skip
    assert wanted <= replies
    assert {"resumed", "model_tried", "skill_asked", "error.invoke.act", "error.invoke.skill"} <= (
        events
    )
    assert {"completed", "failed", "active.confirm", "active.evaluate"} <= states


@pytest.mark.parametrize(
    "reducer",
    ["count_repair", "count_pause", "take_answer", "take_no_answer",
     "tell_no_evidence", "take_observation", "take_rejection"],
)  # fmt: skip
async def test_a_reducer_that_forgets_an_answer_is_found(reducer: str) -> None:
    real = REDUCERS[reducer]

    def forgets(context: Context, event: object) -> Context:
        after = real(context, event)  # type: ignore[arg-type]
        kept = after.record._replace(conversation=context.record.conversation)
        return Context(after.control, kept)

    for seed in SEEDS:
        walked = Walked(random_walk(seed), {**REDUCERS, reducer: forgets})
        await walked.run()
        if walked.wrong:
            return
    pytest.fail("no walk noticed it")


async def test_an_answer_given_twice_is_found() -> None:
    real = REDUCERS["take_observation"]

    def twice(context: Context, event: object) -> Context:
        after = real(context, event)  # type: ignore[arg-type]
        last = after.record.conversation[-1]
        return Context(after.control, after.record._replace(
            conversation=(*after.record.conversation, last)))  # fmt: skip

    walked = Walked(Walk([(("read",), "", "done")] * 3), {**REDUCERS, "take_observation": twice})
    await walked.run()
    assert walked.wrong

"""The steps that a story counts are those that the agent counted: what an answer cites is found."""

from sgclaw.audit_story_agent import agent_side
from sgclaw.audit_story_rows import Rows
from states.task import Record
from tests.memory.walks import TRACE, many


def test_the_steps_of_any_walk_have_the_numbers_that_the_live_agent_gave_them() -> None:
    cited = 0
    for walked in many():
        record: Record = walked.snapshots[-1].context.record
        side = agent_side(TRACE, Rows("ledger", tuple(walked.rows)))
        assert set(side.steps) == {step.number for step in record.history}
        named = {step.number: step.action for step in record.history}
        told = {number: call.action or call.tool for number, call in side.steps.items()}
        assert told == named
        cited += len(told)
    assert cited > len(many()) / 4


def test_what_the_model_calls_of_any_walk_took_is_the_sum_of_the_live_agent() -> None:
    for walked in many():
        record: Record = walked.snapshots[-1].context.record
        rows = [row for row in walked.rows if row["result"] == "handled"]
        side = agent_side(TRACE, Rows("ledger", tuple(rows)))
        assert (len(side.calls), len(side.tries)) == (record.model_calls, record.failed_tries)

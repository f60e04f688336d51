"""The story of a run with tools, questions and model calls: no false finding, and no hidden one."""

import asyncio
import copy
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine.chart.export.overlay import overlay_of, walk
from engine.chart.export.svg import lifecycle_svg
from memory.facts import facts_of
from sgclaw.audit_story import Command, Story
from sgclaw.audit_story_agent import TOOL
from sgclaw.audit_story_document import document_of
from sgclaw.audit_story_model import totals_in, totals_of
from sgclaw.audit_story_shown import approval_of, kind_of, outcome_of, question_of
from sgclaw.audit_story_text import lines_of
from sgclaw.charts import task_chart
from states.catalogue import Lang
from tests.sgclaw.story_stage import (
    ASK_MONTH,
    LIST,
    NOTE,
    TOOL_REPLIES,
    TYPE,
    Told,
    mcp_server,
    reported,
    told_run,
    tool_call,
)

DONE = {"text": "The look is done."}


def commands(story: Story) -> list[Command]:
    return [entry for entry in story.entries if isinstance(entry, Command)]


def text(story: Story, lang: Lang = "en") -> str:
    return "\n".join(lines_of(story, lang))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("tools")
    server = mcp_server(folder)
    return asyncio.run(
        told_run(folder / "data", "July", "approved", replies=TOOL_REPLIES, mcp=(server,))
    )


@pytest.fixture
def told(whole: Told) -> Told:
    return copy.deepcopy(whole)


# --- a whole run


def test_a_run_with_tools_and_a_question_has_nothing_missing(told: Told) -> None:
    story = told.story()
    assert (story.findings, story.is_whole) == ((), True)


def test_a_tool_is_a_call_of_its_own_kind_without_a_number_and_without_a_host(told: Told) -> None:
    story = told.story()
    kinds = [kind_of(command) for command in commands(story)]
    assert kinds == ["command", "question", "tool", "tool", "tool", "command"]
    note, read, manual = (c for c in commands(story) if kind_of(c) == "tool")
    assert [outcome_of(c) for c in (note, read, manual)] == [("ok", "")] * 3
    for command in (note, read, manual):
        sent, met = command.exchanges[-1]
        assert sent is not None
        assert (sent.kind, sent.seq, met) == (TOOL, None, None)


def test_the_numbers_of_the_browsers_commands_are_not_shifted_by_tools(told: Told) -> None:
    sides = [
        (exchange.sent.seq, exchange.met.seq, exchange.met.kind)
        for command in commands(told.story())
        for exchange in command.exchanges
        if exchange.sent is not None and exchange.met is not None
    ]
    assert sides == [
        (1, 1, "command"), (2, 2, "confirm_request"), (3, 3, "confirm_request"), (4, 4, "command"),
    ]  # fmt: skip


def test_the_question_before_a_tool_is_joined_with_the_hosts_by_its_number(told: Told) -> None:
    note = commands(told.story())[2]
    [asked, called] = note.exchanges
    assert asked.sent is not None
    assert asked.met is not None
    assert (asked.sent.purpose, asked.met.purpose) == ("tool", "tool")
    assert (asked.met.action, asked.met.decision, asked.met.decided_by) == (
        NOTE, "approved", "person",
    )  # fmt: skip
    approval = approval_of(note)
    assert approval is not None
    assert (approval.decision, approval.by, approval.seq) == ("approved", "person", 3)
    assert called.sent is not None
    assert called.sent.outcome == "ok"


def test_a_question_is_told_with_its_options_its_answer_and_who_gave_it(told: Told) -> None:
    asked = question_of(commands(told.story())[1])
    assert asked is not None
    assert (asked.text, asked.options) == ("Which month?", ("June", "July"))
    assert (asked.answered, asked.by, asked.seq) == (True, "person", 2)
    assert "July" in asked.heard
    shown = text(told.story())
    assert "the model asks the person: Which month?" in shown
    assert "options: 1) June · 2) July" in shown
    assert "answered by person" in shown


def test_the_answer_leads_to_the_steps_that_it_cites(told: Told) -> None:
    shown = text(told.story())
    look, _, _, read, *_ = commands(told.story())
    assert look.wanted is not None
    assert read.wanted is not None
    assert f"cites step 1: command 1, getText (row {look.wanted.row})" in shown
    assert f"cites step 4: command 4, {LIST} (row {read.wanted.row})" in shown
    assert "the model answers: The note is made." in shown


def test_how_an_unfinished_reply_ended_is_told(told: Told) -> None:
    assert "the reply was cut at the limit of its length" in text(told.story())
    row = told.row("done.invoke.think", 5)
    for reply, words in (("declined", "declined to go on"), ("paused", "paused the reply"),
                         ("overflow", "did not fit"), ("invalid", "cannot be used")):  # fmt: skip
        row["event"]["payload"]["reply"] = reply
        assert words in text(told.story())


# --- the model


def test_a_model_call_is_told_with_model_tokens_cache_time_and_cost(told: Told) -> None:
    shown = text(reported(told).story())
    assert (
        "model: claude claude-x · tokens in 1,200 (from the cache 800, into it 0), out 55 "
        "(thinking 0) · 2.3 s · about $0.0042 (estimate)"
    ) in shown
    assert "model calls: 8, failed tries: 1 · claude claude-x · tokens in 6,010" in shown
    assert told.codes() == []


def test_a_failed_try_is_told_with_its_kind_and_its_wait(told: Told) -> None:
    shown = text(reported(told).story())
    assert (
        "try 1 of the model call failed after 0.5 s (overload, model_overloaded); waits 1.0 s: 529"
    ) in shown
    assert "what it had said is discarded" in shown


def test_a_sum_without_one_of_its_prices_is_no_sum(told: Told) -> None:
    rows = reported(told).rows
    assert totals_in(rows).cost_microusd == 8 * 4200
    last = told.row("done.invoke.think", 6)["event"]["payload"]["record"]["turn"]["report"]
    last["cost_microusd"] = None
    assert totals_in(rows).cost_microusd is None
    story = told.story()
    assert totals_in(rows) == totals_of(story.agent.calls, story.agent.tries)
    assert "cost unknown" in text(story)


def test_output_that_was_read_all_the_same_is_told(told: Told) -> None:
    told.row("done.invoke.think", 1)["event"]["payload"]["record"]["repaired"] = ["fences"]
    assert "no strict JSON, read all the same: fences" in text(told.story())


# --- as a document, in both languages


def test_the_document_tells_the_same_as_the_text(told: Told) -> None:
    document = json.loads(json.dumps(document_of(reported(told).story(), "en")))
    entries = document["entries"]
    asked = next(entry for entry in entries if entry["kind"] == "question")
    assert (asked["question"]["answered"], asked["question"]["by"]) == (True, "person")
    note, *_ = (entry for entry in entries if entry["kind"] == "tool")
    assert [request["seq"] for request in note["requests"]] == [3, None]
    assert (note["requests"][1]["agent"]["kind"], note["requests"][1]["host"]) == ("tool", None)
    assert note["model"]["tokens"]["cache_read"] == 800
    assert (note["model"]["model"], note["model"]["cost_microusd"]) == ("claude-x", 4200)
    tried = next(e["tried"] for e in entries if e.get("event") == "model_tried")
    assert (tried["kind"], tried["wait_ms"], tried["discarded"]) == ("overload", 1000, True)
    cited = next(entry["citations"] for entry in entries if entry.get("citations"))
    assert [(each["step"], each["command"]) for each in cited] == [(1, 1), (4, 4)]
    assert (document["model"]["calls"], document["model"]["failed_tries"]) == (8, 1)


def test_in_chinese_every_sentence_is_chinese(told: Told) -> None:
    shown = text(reported(told).story(), "zh-CN")
    for part in (
        "工具 mcp__play__note", "模型询问用户：Which month?", "选项：1) June · 2) July",
        "由 person 于", "引用第 1 步", "第 1 次调用模型失败", "达到长度上限", "约 $0.0042",
    ):  # fmt: skip
        assert part in shown


# --- the other readers of the same rows


@pytest.mark.parametrize("lang", ["en", "zh-CN"])
def test_the_run_is_drawn_on_the_chart_with_its_question_its_tools_and_its_failed_try(
    told: Told, lang: Lang
) -> None:
    rows = reported(told).rows
    drawn = lifecycle_svg(task_chart(), rows, lang)
    ElementTree.fromstring(drawn)  # noqa: S314 - our own picture
    walked = walk(task_chart(), overlay_of(rows))
    taken = {event for (_, event, _), run in walked.rows.items() if run.taken}
    assert taken >= {"model_tried", "done.invoke.think", "done.invoke.ask", "done.invoke.act"}


def test_who_asks_for_a_tool_or_a_question_finds_each_of_its_rows(told: Told) -> None:
    found = [facts_of(row) for row in told.rows]
    of = {name: [(f.event, f.verdict, f.outcome) for f in found if f.action == name]
          for name in (NOTE, LIST, "ask_person", "use_skill")}  # fmt: skip
    assert of[NOTE] == [
        ("done.invoke.think", "confirm", ""), ("done.invoke.ask", "approved", ""),
        ("done.invoke.act", "", "ok"),
    ]  # fmt: skip
    assert of[LIST] == [("done.invoke.think", "allowed", ""), ("done.invoke.act", "", "ok")]
    assert of["ask_person"] == [("done.invoke.think", "", ""), ("done.invoke.ask", "approved", "")]
    assert [event for event, _, _ in of["use_skill"]] == ["done.invoke.think", "done.invoke.act"]


# --- what is missing or does not fit


def test_a_question_that_the_host_does_not_tell_is_missing(told: Told) -> None:
    told.log[:] = [line for line in told.log if " seq=2" not in line]
    assert "audit_no_host_line" in told.codes()


def test_a_tool_that_was_called_without_a_yes_is_a_finding(told: Told) -> None:
    asked = told.row("done.invoke.ask", 1)
    asked["event"]["payload"]["decision"] = "rejected"
    asked["event"]["payload"]["record"]["approved_by"] = ""
    codes = told.codes()
    assert "audit_tool_unapproved" in codes
    assert "audit_decision_differs" in codes  # the host knows that the person said yes
    assert not told.story().is_whole


def test_a_tool_that_only_reads_needs_no_yes(told: Told) -> None:
    reads = told.row("done.invoke.think", 2)["event"]["payload"]
    assert (reads["record"]["request"]["action"], reads["effect"]) == (LIST, "read")
    assert told.codes() == []
    reads["effect"] = "confirm"
    assert told.codes() == ["audit_tool_unapproved"]


def test_a_citation_of_a_step_that_is_not_there_is_a_finding(told: Told) -> None:
    told.row("done.invoke.think", 6)["event"]["payload"]["record"]["citations"] = [1, 40]
    assert told.codes() == ["audit_citation_unknown"]
    assert "cites step 40, which the ledger does not have" in text(told.story())
    del told.rows[3]  # where rows are missing, it says nothing
    assert "audit_citation_unknown" not in told.codes()


def test_a_question_that_the_host_met_as_another_kind_differs(told: Told) -> None:
    at = told.line("PIPE_CONFIRM_REQUEST seq=2")
    told.log[at] = told.log[at].replace("purpose=question", "purpose=call")
    assert told.codes() == ["audit_action_differs"]


# --- runs that went otherwise


async def test_a_question_that_is_not_answered_is_told_and_is_no_finding(tmp_path: Path) -> None:
    told = await told_run(tmp_path / "data", "rejected", replies=[ASK_MONTH, TYPE, DONE])
    assert told.codes() == []
    asked = question_of(commands(told.story())[0])
    assert asked is not None
    assert (asked.answered, asked.by) == (False, "person")
    shown = text(told.story())
    assert "not answered by person" in shown
    assert "approval_granted" not in shown


async def test_a_tool_that_the_person_refused_was_never_called(tmp_path: Path) -> None:
    call = tool_call(NOTE, {"text": "hello"})
    told = await told_run(
        tmp_path / "data", "rejected", replies=[call, TYPE, DONE], mcp=(mcp_server(tmp_path),)
    )
    assert told.codes() == []
    note = commands(told.story())[0]
    assert [each.sent.kind for each in note.exchanges if each.sent] == ["confirm_request"]
    assert outcome_of(note) == ("rejected", "rejected")


async def test_a_tool_whose_server_died_is_told_as_unknown(tmp_path: Path) -> None:
    call = tool_call(LIST, {"text": "hello"})
    server = mcp_server(tmp_path, list="crash:gone")
    told = await told_run(tmp_path / "data", replies=[call, TYPE, DONE], mcp=(server,))
    assert told.codes() == []
    assert outcome_of(commands(told.story())[0]) == ("unknown", "")
    assert "tool_outcome_unknown" in text(told.story())


async def test_no_control_character_of_a_question_reaches_the_terminal(tmp_path: Path) -> None:
    hostile = tool_call("ask_person", {"question": "a\x1b[2Jb", "options": ["\u202ex\x07"]})
    told = await told_run(tmp_path / "data", "y\x1b]0;owned\x07", replies=[hostile, TYPE, DONE])
    for lang in ("en", "zh-CN"):
        assert all(line.isprintable() for line in lines_of(told.story(), lang))

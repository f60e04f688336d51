"""A real small model presses buttons through the whole product: protocol, journal, exit code.

No quality gate: it is asked six easy things, and one right press is enough.
"""

import json
import time
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from prompts.tools import own_tools
from tests.e2e.conftest import Run, desk_in
from tests.support.site import Asked, Page, Reply, serve

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(600)]
PAGES = (("Save", "Print", "Copy"), ("Export", "Refresh", "Cancel"))
TASKS = [(names, wanted) for names in PAGES for wanted in names]


@dataclass
class Played:
    """One task: the button that was *wanted*, the ones that the site saw *pressed*, the run."""

    wanted: str
    run: Run
    seconds: float
    pressed: list[str] = field(default_factory=list)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """What each model call came to, as the ledger has it."""
        payloads = [row["event"]["payload"] for row in self.run.ledger if row["kind"] == "event"]
        records = [payload.get("record", {}) for payload in payloads]
        return [record["turn"] for record in records if "turn" in record]

    @property
    def replies(self) -> list[str]:
        """What the judge made of each model call."""
        rows = (row["event"] for row in self.run.ledger if row["kind"] == "event")
        named = ("done.invoke.plan", "done.invoke.think")
        return [event["payload"]["reply"] for event in rows if event["type"] in named]


@pytest.fixture(scope="module")
def played(model_url: str, tmp_path_factory: pytest.TempPathFactory) -> list[Played]:
    """Every task, each with a browser, an agent and a ledger of its own."""
    found = [_play(model_url, *task, tmp_path_factory.mktemp("desk")) for task in TASKS]
    print(_figures(found))  # noqa: T201 - for the person who opted in; no test reads it
    return found


def _figures(found: list[Played]) -> str:
    right = sum(each.pressed == [each.wanted] for each in found)
    turns = [turn for each in found for turn in each.turns]
    tokens = sum(turn["usage"]["input_tokens"] for turn in turns)
    took = sorted(turn["report"]["duration_ms"] for turn in turns)
    return (
        f"\n{right} of {len(found)} presses right; {len(turns)} calls, {tokens} tokens in; a call "
        f"{took[len(took) // 2]} ms (median), {took[-1]} ms (slowest); "
        f"a task {max(each.seconds for each in found):.1f} s (slowest)"
    )


def _play(model_url: str, names: tuple[str, ...], wanted: str, folder: Path) -> Played:
    desk = desk_in(folder / "desk")
    desk.env["SGCLAW_MODEL_PROFILE"] = "generic"
    pressed: list[str] = []

    def press(asked: Asked) -> Reply:
        pressed.append(asked.query)
        return Reply("", status=204)

    pages: dict[str, Page] = {"/": _page(names), "/pressed": press}
    with serve(pages) as site:
        rule = {"host": "127.0.0.1", "scheme": "http", "port": site.port,
                "allow": ["click", "getAomSnapshot", "navigate"]}  # fmt: skip
        policy = desk.write("policy.yaml", json.dumps({"version": 1, "hosts": [rule]}))
        began = time.perf_counter()
        run = desk.run(
            "run", f"Press the button {wanted}", "--provider", "openai", "--base-url", model_url,
            "--model", "smollm2", "--policy", str(policy), "--url", site.url(), "--out", "out",
        )  # fmt: skip
        return Played(wanted, run, time.perf_counter() - began, pressed)


def _page(names: tuple[str, ...]) -> str:
    tell = "fetch('/pressed?' + this.textContent)"
    buttons = "".join(f'<button onclick="{tell}">{name}</button>' for name in names)
    return f"<!doctype html><title>Desk</title><h1>Desk</h1>{buttons}"


def test_a_call_is_streamed_as_the_api_streams_it(model_url: str) -> None:
    tools = [{"type": "function", "function": {"name": tool.name, "parameters": tool.schema}}
             for tool in own_tools("en")]  # fmt: skip
    asked = {"messages": [{"role": "user", "content": "Press Save"}], "tools": tools}
    address = urlsplit(f"{model_url}/chat/completions")
    connection = HTTPConnection(address.netloc, timeout=60)
    connection.request("POST", address.path, json.dumps(asked))
    answer = connection.getresponse()
    assert answer.headers["Content-Type"] == "text/event-stream"
    *frames, done = answer.read().decode().strip().split("\n\n")
    connection.close()
    assert done == "data: [DONE]"
    events = [json.loads(frame.removeprefix("data: ")) for frame in frames]
    assert [e["choices"][0]["finish_reason"] for e in events[:-1]][-2:] == [None, "tool_calls"]
    calls = [e["choices"][0]["delta"]["tool_calls"][0]["function"] for e in events[:-2]]
    arguments = json.loads("".join(call["arguments"] for call in calls))
    assert (calls[0]["name"], arguments["action"]) == ("browser_action", "getAomSnapshot")
    assert events[-1]["usage"]["prompt_tokens"] > 0


def test_every_task_completes_by_a_look_a_press_and_finish(played: list[Played]) -> None:
    for each in played:
        assert each.run.code == 0, each.run.stdout + each.run.stderr
        assert each.run.result["state"] == "completed"
        actions = [command["action"] for command in each.run.result["commands"]]
        assert actions == ["getAomSnapshot", "click"]
        assert each.run.result["citations"] == [2]


def test_the_journal_has_every_call_with_model_usage_and_duration(played: list[Played]) -> None:
    for each in played:
        assert len(each.turns) == 3
        for turn in each.turns:
            assert (turn["report"]["provider"], turn["report"]["model"]) == ("openai", "smollm2")
            assert turn["stop"] == "done"
            assert 0 < turn["report"]["first_token_ms"] <= turn["report"]["duration_ms"]
            assert turn["usage"]["input_tokens"] > 0 < turn["usage"]["output_tokens"]
        told = each.run.result["usage"]["input_tokens"]
        assert told == sum(turn["usage"]["input_tokens"] for turn in each.turns)


def test_every_reply_was_a_sound_call_of_a_tool(played: list[Played]) -> None:
    for each in played:
        assert each.replies == ["call", "call", "text"]
        assert [turn["tool_calls"][0]["raw"] for turn in each.turns] == ["", "", ""]


def test_what_the_journal_says_was_pressed_is_what_the_site_saw(played: list[Played]) -> None:
    for each in played:
        rows = [row["event"] for row in each.run.ledger if row["kind"] == "event"]
        acts = [
            row["payload"]["record"]["result"] for row in rows if row["type"] == "done.invoke.act"
        ]
        assert [act["data"]["clicked"] for act in acts if "clicked" in act["data"]] == each.pressed
        assert len(each.pressed) == 1


def test_at_least_one_easy_press_is_right(played: list[Played]) -> None:
    assert any(each.pressed == [each.wanted] for each in played)

"""Bad input ends in a clear message, the right exit code, and nothing left running."""

import pytest

from tests.e2e.conftest import INVOICES, Desk, call, skill_call

POLICY = """
version: 1
hosts:
  - {host: erp.example.com, allow: [navigate, click, getText]}
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version: 1\nhosts: []\n", "allows nothing"),
        ("version: 1\nhosts:\n  - {host: erp.example.com, alow: [click]}\n", "allow"),
        ("version: 1\nhosts:\n  - {host: erp.example.com, allow: [clik]}\n", "click"),
        ("version: 1\nversion: 1\nhosts: []\n", "version"),
        ("{", "not valid"),
    ],
    ids=["empty", "typo in a key", "typo in an action", "duplicate key", "no YAML"],
)
def test_a_bad_policy_starts_nothing(desk: Desk, text: str, says: str) -> None:
    run = desk.demo("x", "--policy", str(desk.write("p.yaml", text)))
    assert run.code == 4
    assert says in run.stderr
    assert "Traceback" not in run.stderr
    assert not run.out.exists()


def test_a_missing_policy_starts_nothing(desk: Desk) -> None:
    desk.env["SGCLAW_CONFIG_DIR"] = str(desk.folder / "none")
    run = desk.run("run", "x", "--url", "https://erp.example.com/")
    assert run.code == 4
    assert "--policy" in run.stderr


@pytest.mark.parametrize(
    "url",
    ["https://evil.test/", "https://evil.test\\@erp.example.com/", "https://a:b@erp.example.com/",
     "data:text/html,x", "file:///etc/passwd", "http://erp.example.com/"],
)  # fmt: skip
def test_a_start_page_outside_the_policy_starts_nothing(desk: Desk, url: str) -> None:
    run = desk.run("run", "x", "--policy", str(desk.write("p.yaml", POLICY)), "--url", url)
    assert run.code == 4
    assert "not allowed" in run.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["fly"],
        ["run", "x", "--nope"],
        ["run", "--demo", "  "],
        ["run", "x", "--max-steps", "0"],
        ["run", "x", "--max-seconds", "nan"],
        ["run", "--demo", "x", "--provider", "scripted:/none"],
        ["run", "--demo", "x", "--provider", "what"],
        ["run", "--demo", "x", "--approve", "/none"],
        ["chart", "show", "none"],
        ["agent", "--x"],
        ["audit", "show", "../../etc/passwd"],
        ["audit", "show", "sgclaw-20260101-00000000"],
        ["skills", "lint", "/none"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_is_a_usage_error(desk: Desk, arguments: list[str]) -> None:
    run = desk.run(*arguments)
    assert run.code == 2
    assert run.stderr.strip()
    assert "Traceback" not in run.stderr


def test_a_broken_script_names_its_line(desk: Desk) -> None:
    path = desk.write("s.jsonl", '{"text": "a"}\n{"txt": "b"}\n')
    run = desk.demo("x", "--provider", f"scripted:{path}")
    assert run.code == 2
    assert "Line 2" in run.stderr


def test_no_browser_names_the_remedy(desk: Desk) -> None:
    desk.env["SGCLAW_BROWSER"] = str(desk.folder / "none")
    run = desk.demo("导出本月合规报表")
    assert run.code == 1
    assert "SGCLAW_BROWSER" in run.stdout + run.stderr
    assert run.result["reason"] == "no_browser"


@pytest.mark.chromium
@pytest.mark.timeout(180)
class TestInTheBrowser:
    """Refusals inside a run are observations: the model is told, and nothing was done."""

    def test_hosts_and_addresses_outside_the_policy_are_refused(self, desk: Desk) -> None:
        hostile = ["https://evil.test/", "https://evil.test\\@erp.example.com/", "data:text/html,x"]
        steps = [call("navigate", {"url": url}) for url in hostile]
        run = desk.demo("x", "--provider", desk.script(INVOICES, *steps, {"text": "I stopped."}))
        assert run.code == 1
        sent = [c["params"]["url"] for c in run.result["commands"] if c["success"]]
        assert sent == ["https://erp.example.com/invoices"]

    def test_a_redirect_and_a_popup_that_leave_the_policy_do_not_load(self, desk: Desk) -> None:
        leave = call("navigate", {"url": "https://erp.example.com/leave"})
        clicks = [
            call("click", {"selector": s}) for s in ("#redirect-out", "#link-out", "#popup-out")
        ]
        script = desk.script(leave, *[x for c in clicks for x in (c, leave)], {"text": "stopped"})
        run = desk.demo("x", "--provider", script)
        failed = [c for c in run.result["commands"] if c["action"] == "click" and not c["success"]]
        assert len(failed) >= 2
        log = (desk.folder / "data" / "host" / f"{run.result['trace_id']}.log").read_text()
        assert log.count("GATE_BLOCK") >= 3

    def test_a_model_that_repeats_itself_is_stopped(self, desk: Desk) -> None:
        read = call("getText", {"selector": "h1"})
        run = desk.demo("x", "--provider", desk.script(INVOICES, *[read] * 8))
        assert (run.code, run.result["reason"]) == (1, "loop")

    def test_a_command_that_keeps_failing_opens_the_breaker(self, desk: Desk) -> None:
        wrong = call("click", {"selector": "#none", "timeout_ms": 50})
        run = desk.demo("x", "--provider", desk.script(INVOICES, *[wrong] * 8))
        assert (run.code, run.result["reason"]) == (1, "breaker_open")
        assert sum(not c["success"] for c in run.result["commands"]) == 4

    def test_nonsense_is_repaired_twice_and_then_fails(self, desk: Desk) -> None:
        run = desk.demo("x", "--provider", desk.script(*[{"raw": "{{{"}] * 3))
        assert (run.code, run.result["reason"]) == (1, "invalid_output")
        assert run.result["commands"] == []

    def test_an_unknown_tool_is_told_and_the_model_may_go_on(self, desk: Desk) -> None:
        unknown = {"tool_calls": [{"id": "1", "name": "rm", "input": {}}]}
        run = desk.demo("x", "--provider", desk.script(unknown, {"text": "Hello, how can I help?"}))
        assert run.code == 0
        assert run.result["commands"] == []

    def test_a_claim_without_a_deed_fails(self, desk: Desk) -> None:
        run = desk.demo("x", "--provider", desk.script({"text": "已导出"}, {"text": "已导出"}))
        assert (run.code, run.result["reason"]) == (1, "no_evidence")

    def test_a_budget_that_is_spent_fails_with_it(self, desk: Desk) -> None:
        run = desk.demo("导出本月合规报表", "--max-steps", "3")
        assert (run.code, run.result["reason"]) == (1, "budget_spent")
        assert run.result["steps"] == 3

    def test_a_task_that_takes_too_long_fails_with_it(self, desk: Desk) -> None:
        run = desk.demo(
            "x", "--provider", desk.script({"delay_s": 30, "text": "hi"}), "--max-seconds", "1"
        )
        assert (run.code, run.result["reason"]) == (1, "time_spent")

    def test_no_skill_that_fits_says_which_there_are(self, desk: Desk) -> None:
        run = desk.demo("delete all invoices")
        assert run.code == 1
        assert "erp-monthly-report" in run.result["reason_text"]

    def test_parameters_that_break_the_schema_go_back_to_the_model(self, desk: Desk) -> None:
        wrong = skill_call("erp-monthly-report", {"month": "March"})
        run = desk.demo("x", "--provider", desk.script(wrong, {"text": "Which month do you mean?"}))
        assert run.code == 0
        assert run.result["commands"] == []

    def test_a_step_is_asked_about_and_a_no_ends_the_work(self, desk: Desk) -> None:
        script = desk.script(
            INVOICES, call("getText", {"selector": "h1"}), {"text": "bye"}, {"text": "bye"}
        )
        run = desk.demo(
            "x", "--step", "--provider", script, "--approve", desk.approvals("approve", "reject")
        )
        assert run.result["path"].count("confirm") == 2
        assert len(run.result["commands"]) == 2

    def test_a_skill_that_fails_names_its_cause(self, desk: Desk) -> None:
        policy = desk.write(
            "p.yaml", POLICY.replace("click, getText", "waitForSelector, type, select")
        )
        run = desk.demo("export this month's report", "--policy", str(policy))
        assert run.code == 1
        assert "click" in run.result["reason_text"]
        assert run.result["answer"] == ""

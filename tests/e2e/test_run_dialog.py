"""A native dialog of the page is answered by a person's decision only."""

import pytest

from tests.e2e.conftest import INVOICES, Desk, call

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]
DELETE = call("click", {"selector": "#delete-FP0001"})
ACCEPT = {"tool_calls": [{"id": "d", "name": "answer_dialog", "input": {"accept": True}}]}
LOOK = call("getText", {"selector": ".invoice-table"})


def test_a_dialog_is_answered_after_two_approvals(desk: Desk) -> None:
    script = desk.script(INVOICES, DELETE, ACCEPT, LOOK, {"text": "Deleted FP0001."})
    run = desk.demo("x", "--provider", script, "--approve", desk.approvals("approve", "approve"))
    assert run.code == 0, run.stdout + run.stderr
    assert [c["action"] for c in run.result["commands"] if c["approved_by"]] == [
        "click",
        "dialog_response",
    ]
    assert run.result["path"].count("confirm") == 2


def test_a_dialog_that_is_not_approved_stays_open_and_blocks(desk: Desk) -> None:
    script = desk.script(INVOICES, DELETE, ACCEPT, LOOK, {"text": "I could not."}, {"text": "no"})
    run = desk.demo("x", "--provider", script, "--approve", desk.approvals("approve", "reject"))
    assert run.code == 1
    look = run.result["commands"][-1]
    assert (look["action"], look["success"], look["error"]) == ("getText", False, "dialog_open")

"""The main job: an offline run exports the report, shows its progress, and leaves its folder."""

import zipfile

import pytest

from tests.e2e.conftest import INVOICES, VOID, Desk, call

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]


def test_the_demo_exports_this_months_report(desk: Desk) -> None:
    run = desk.demo("导出本月合规报表")
    assert run.code == 0, run.stderr + run.stdout
    assert "已导出 3 份报表" in run.result["answer"]
    assert "executing.waiting" in run.stdout
    path = run.result["path"]
    assert (path[0], path[1], path[-1]) == ("idle", "planning", "completed")
    assert (run.out / "last_page.png").read_bytes().startswith(b"\x89PNG")
    [download] = run.result["downloads"]
    assert zipfile.is_zipfile(run.out / download["file"])
    assert {c["action"] for c in run.result["commands"]} >= {"navigate", "type", "click", "getText"}
    assert all(c["success"] for c in run.result["commands"])
    left = [*run.out.rglob("*"), *(desk.folder / "data").rglob("*")]
    assert [path for path in left if path.stat().st_mode & 0o077] == []


def test_a_file_keeps_its_chinese_name_in_a_bare_locale(desk: Desk) -> None:
    desk.env |= {"LC_ALL": "C", "LANG": "C"}
    run = desk.demo("导出本月合规报表")
    assert run.code == 0, run.stderr + run.stdout
    [download] = run.result["downloads"]
    assert download["file"].startswith("downloads/合规报表_")
    assert (run.out / download["file"]).is_file()


def test_every_command_is_journaled_before_it_is_sent(desk: Desk) -> None:
    run = desk.demo("export last month's compliance report as csv", "--json")
    assert run.code == 0, run.stderr
    starts = [row for row in run.ledger if any(e[:2] == ["start", "act"] for e in row["effects"])]
    assert len(starts) == len(run.result["commands"])
    assert {row["chart"] for row in run.ledger} == {"task"}
    assert len({row["chart_sha256"] for row in run.ledger}) == 1
    assert [row["seq"] for row in run.ledger] == list(range(1, len(run.ledger) + 1))


def test_a_risky_click_that_is_approved_is_done_once(desk: Desk) -> None:
    text = {"text": "已作废发票 FP0001"}
    run = desk.demo(
        "作废发票",
        "--provider",
        desk.script(INVOICES, VOID, text),
        "--approve",
        desk.approvals("approve"),
    )
    assert run.code == 0, run.stdout + run.stderr
    assert "confirm" in run.result["path"]
    void = [c for c in run.result["commands"] if c["action"] == "click"]
    assert [c["approved_by"] for c in void] == ["file"]


def test_a_risky_click_that_is_rejected_is_not_done_and_not_asked_again(desk: Desk) -> None:
    script = desk.script(
        INVOICES, VOID, VOID, call("getText", {"selector": "#row-FP0001"}), {"text": "ok"}
    )
    run = desk.demo(
        "作废发票", "--provider", script, "--approve", desk.approvals("reject", "approve")
    )
    assert run.result["path"].count("confirm") == 1
    assert not any(c["action"] == "click" and c["success"] for c in run.result["commands"])


def test_an_approval_that_expires_fails_as_expired(desk: Desk) -> None:
    run = desk.demo(
        "作废发票",
        "--provider",
        desk.script(INVOICES, VOID),
        "--approve",
        desk.approvals("timeout"),
    )
    assert (run.code, run.result["reason"]) == (1, "approval_expired")


def test_an_approval_is_spent_by_one_click(desk: Desk) -> None:
    script = desk.script(
        INVOICES, call("click", {"selector": "#delete-FP0002"}), VOID, VOID, {"text": "x"}
    )
    run = desk.demo(
        "作废发票", "--provider", script, "--approve", desk.approvals("reject", "approve")
    )
    approved = [c for c in run.result["commands"] if c["approved_by"]]
    assert len(approved) == 1


def test_without_a_terminal_questions_are_denied(desk: Desk) -> None:
    run = desk.demo("作废发票", "--provider", desk.script(INVOICES, VOID, {"text": "已作废"}))
    assert (run.code, run.result["reason"]) in ((1, "no_evidence"), (1, "model_failed"))
    assert not any(c["approved_by"] for c in run.result["commands"])

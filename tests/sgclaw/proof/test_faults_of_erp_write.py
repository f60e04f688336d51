"""Each fault sown into the erp_write chart passes the lint and is found, by the shortest way."""

import pytest

from tests.sgclaw.proof.seeded import replays, report_on, the, way_of

CARD = ["propose_change", "done.invoke.prepare"]
CHECKED = [*CARD, "save", "done.invoke.recheck"]
QUEUED = [*CHECKED, "done.invoke.enqueue"]
RUNNING = 'running:\n        description: {en: "101: the ERP is at work", zh-CN: 101：ERP 处理中}\n'
CANCELS = "        on: {abort: {target: handed_over.cancelling, actions: [ask_cancel]}}\n"
FAULTS = {
    "written a second time": (
        [("onError: {target: claimed.settling}", "onError: {target: claimed.queueing}")],
        "check_erp_queued_twice",
        [*CHECKED, "error.invoke.enqueue"],
    ),
    "digest not checked": (
        [
            (
                "            - {guard: {not: payload_is_as_shown}, target: refused, "
                "actions: [refuse_digest]}\n",
                "",
            )
        ],
        "check_erp_unchecked",
        CHECKED,
    ),
    "a stranger's click": (
        [("- {guard: clicked_by_owner, target: claimed,", "- {target: claimed,"),
         ("        - {actions: [note_not_owner, tell]}\n", "")],
        "check_erp_unchecked",
        CHECKED,
    ),
    "cancel at 101": (
        [(RUNNING, RUNNING + CANCELS)],
        "check_erp_cancel_too_late",
        [*QUEUED, "row_taken", "abort"],
    ),
    "cancelled without the queue's word": (
        [("{target: handed_over.running, actions: [take_lost_cancel,",
          "{target: cancelled, actions: [take_lost_cancel,")],
        "check_erp_false_cancel",
        [*QUEUED, "abort", "done.invoke.cancel"],
    ),
    "not written, it says": (
        [("onError: {target: unknown, actions: [lose_claim]}",
          "onError: {target: refused, actions: [lose_claim]}")],
        "check_erp_false_refusal",
        [*CHECKED, "error.invoke.enqueue", "error.invoke.settle"],
    ),
    "failed, it says": (
        [("error.invoke.watch: {target: unknown,", "error.invoke.watch: {target: failed,")],
        "check_erp_false_failure",
        [*QUEUED, "error.invoke.watch"],
    ),
    "saved, it says": (
        [("- {target: failed, actions: [fail_answer]}", "- {target: succeeded}")],
        "check_erp_false_success",
        [*QUEUED, "row_answered"],
    ),
    "late answer believed": (
        [("        - {guard: {not: answer_is_current}, actions: [note_late_answer]}\n", "")],
        "check_erp_late_answer",
        [*QUEUED, "row_taken", "row_answered"],
    ),
    "cancelled change offered again": (
        [("{guard: may_be_offered, target: preview,", "{target: preview,"),
         ("        - {target: refused, actions: [refuse_cancelled_before]}\n", "")],
        "check_erp_offered_again",
        ["propose_change"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "code", "way"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_found_by_the_shortest_way(
    changes: list[tuple[str, str]], code: str, way: list[str]
) -> None:
    report = report_on("erp_write", *changes)
    violation = the(report, code)
    assert [each.type for each in violation.trace] == way
    assert all(replays(report, each) for each in report.violations)


def test_a_late_answer_is_told_with_both_attempts() -> None:
    changes, code, _ = FAULTS["late answer believed"]
    way = way_of(the(report_on("erp_write", *changes), code))
    assert way[-2:] == ["row_taken 2", "row_answered 200 1"]

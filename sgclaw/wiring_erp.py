"""The table that binds the names in the chart erp_write.

Services and effects are names only until the ERP brings its actions. A test fails on a name that
is unbound, and on one here that the chart does not use.
"""

from engine.chart.step import GuardFunction
from guards import erp_write
from states.erp_write_fold import ERP_REDUCERS
from states.settings import Settings

ERP_GUARDS: dict[str, GuardFunction] = {
    guard.__name__: guard
    for guard in (
        erp_write.may_be_offered,
        erp_write.rights_granted, erp_write.record_found, erp_write.record_is_one,
        erp_write.values_valid, erp_write.names_resolved, erp_write.record_state_legal,
        erp_write.stamps_taken, erp_write.dry_run_passes,
        erp_write.clicked_by_owner, erp_write.read_values_same, erp_write.payload_is_as_shown,
        erp_write.claim_won, erp_write.rows_are_queued, erp_write.another_claimed,
        erp_write.cancel_won,
        erp_write.attempt_is_newer, erp_write.attempts_left, erp_write.answer_is_current,
        erp_write.status_may_follow, erp_write.worker_holds_lease,
        erp_write.answer_is_success, erp_write.answer_is_cancellation,
    )
}  # fmt: skip

ERP_SERVICES = frozenset(
    {
        *("prepare_card", "recheck", "enqueue", "settle_claim"),
        *("watch_rows", "cancel_rows", "close_rows"),
    }
)
ERP_EFFECTS = frozenset({"show_card", "tell", "report"})
ERP_DELAYS = frozenset({"card_seconds", "gate_seconds", "lease_seconds", "watch_seconds"})

__all__ = ["ERP_DELAYS", "ERP_EFFECTS", "ERP_GUARDS", "ERP_REDUCERS", "ERP_SERVICES"]


def erp_delays_of(settings: Settings) -> dict[str, float]:
    """Return the seconds of the chart's named delays."""
    erp = settings.erp
    return {
        "card_seconds": erp.card_seconds,
        "gate_seconds": erp.gate_seconds,
        "lease_seconds": erp.lease_seconds,
        "watch_seconds": erp.watch_seconds,
    }

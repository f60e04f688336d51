"""The demo company: a small ERP that `sgclaw run --demo` works on, served on this machine only."""

from states.policy import HostRule, Policy

HOST = "erp.example.com"


def policy() -> Policy:
    """Return the policy of a demo run: read and fill in the ERP, ask before touching storage."""
    rule = HostRule(
        host=HOST,
        allow=(
            "navigate",
            "click",
            "type",
            "select",
            "waitForSelector",
            "getText",
            "getHtml",
            "scrollTo",
            "getAomSnapshot",
            "pageScreenshot",
        ),
        confirm=("storageGet", "storageSet"),
    )
    return Policy(version=1, hosts=(rule,), risk_words=("作废", "void"))

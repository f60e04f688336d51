"""What the whole suite is held to: no test is skipped in silence, and each part keeps its share."""

import signal
from collections import defaultdict

import pytest

# A shell that runs this in the background has every child ignore Ctrl-C, which tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A test that may be skipped is listed here with its reason; any other skip fails the run.
SKIPS_ALLOWED: frozenset[str] = frozenset()
# Minutes of design section 7, for what exists so far; CI as a whole stays under 40. The kill
# harness (L8) stands beside them: it starts some two hundred hosts, agents and browsers.
# The suites against others (addresses, ways out, MiniWoB, AgentDojo) have one of their own too.
SHARES_MIN = {
    "task": 5.0, "chart": 4.0, "kill": 6.0, "browser": 7.0, "policy": 4.0, "outside": 4.0,
    "ledger": 3.0, "skills": 5.0, "models": 4.0,
}  # fmt: skip
PARTS = {
    "tests/engine/chart": "chart", "tests/statecharts": "chart", "tests/golden": "chart",
    "tests/sgclaw/proof": "chart", "tests/sgclaw/commands/test_chart": "chart",
    "tests/sim": "chart", "tests/e2e/kill": "kill", "tests/browser/policy": "policy",
    "tests/browser": "browser", "tests/outside": "outside",
    "tests/memory": "ledger", "tests/sgclaw/commands/test_audit": "ledger",
    "tests/sgclaw/test_audit": "ledger", "tests/sgclaw/test_otel": "ledger",
    "tests/sgclaw/test_upload": "ledger", "tests/skills": "skills",
    "tests/actions/llm": "models", "tests/actions/mcp": "models", "tests/prompts": "models",
    "tests/security": "models", "tests/e2e/test_run_model": "models",
    "tests/e2e/test_run_mcp": "models", "tests/sgclaw/test_model": "models",
}  # fmt: skip


def part_of(nodeid: str) -> str:
    return next((part for folder, part in PARTS.items() if nodeid.startswith(folder)), "task")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    skipped = set(reports(session.config).get("skipped", {}))
    if skipped - SKIPS_ALLOWED and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    seconds: dict[str, float] = defaultdict(float)
    for reports_of_kind in terminalreporter.stats.values():
        for report in reports_of_kind:
            if isinstance(report, pytest.TestReport):
                seconds[part_of(report.nodeid)] += report.duration
    # What several workers did at once took that part of the clock only.
    at_once = getattr(terminalreporter.config.option, "numprocesses", None) or 1
    for part, spent in sorted(seconds.items()):
        took = spent / 60 / at_once
        terminalreporter.write_line(f"share {part:<8} {took:4.1f} of {SHARES_MIN[part]} min")
    for nodeid in sorted(set(reports(terminalreporter.config).get("skipped", {})) - SKIPS_ALLOWED):
        terminalreporter.write_line(f"SKIPPED without leave: {nodeid}", red=True)


def reports(config: pytest.Config) -> dict[str, set[str]]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    stats = reporter.stats if reporter is not None else {}
    return {kind: {r.nodeid for r in rows if hasattr(r, "nodeid")} for kind, rows in stats.items()}

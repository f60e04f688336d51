"""`make bench`: run every measurement, write bench.json, print a table beside the budgets."""

import importlib
import json
import os
import platform
import sys
from pathlib import Path

MODULES = (
    "agent_start", "chart_step", "chart_check", "ledger", "ledger_stores", "audit", "simulation",
    "browser_step", "perception", "output_repair", "model_estimate", "model_latency",
    "model_cache", "skill_sandbox", "whole_run", "model_prompts", "rivals.steps", "rivals.task",
)  # fmt: skip
PEERS = ("sgclaw", "mcp", "browser_use")
# Design section 7: figure -> (budget, unit). Figures without one are shown for themselves.
BUDGETS: dict[str, tuple[float, str]] = {
    "agent_ready_ratio": (25, "x bare python"),
    "chart_step_us": (10, "us"),
    "chart_check_s": (2, "s"),
    "click_harness_ms": (50, "ms"),
    "get_text_harness_ms": (50, "ms"),
    "snapshot_ratio": (0.5, "x getFullAXTree"),
    "text_chars": (8000, "characters"),
    "repair_missed_pct": (20, "% of what is clear"),
    "repair_wrong": (0, "repairs"),
    # R7; and what is estimated too low could be sent although it does not fit.
    "system_tokens": (2000, "estimated tokens"),
    "estimate_low_pct": (0, "% below a real tokeniser"),
    "skill_start_warm_ms": (10, "ms"),
    "browser_action_round_trip_ms": (0.5, "ms"),
}


def main() -> int:
    """Measure, write, print; 1 when a budget is broken."""
    figures: dict[str, float] = {}
    for name in MODULES:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        figures.update(importlib.import_module(f"benchmarks.{name}").measure())
    machine = {"cores": os.cpu_count(), "cpu": _cpu(), "python": platform.python_version()}
    document = {"machine": machine, "figures": {k: round(v, 4) for k, v in figures.items()}}
    Path("bench.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"{machine['cores']} cores, {machine['cpu']}, Python {machine['python']}")
    print(f"{'figure':<30} {'measured':>10}   budget")
    broken = False
    own = {name: value for name, value in figures.items() if "." not in name}
    for name, value in own.items():
        budget = BUDGETS.get(name)
        over = budget is not None and value > budget[0]
        broken = broken or over
        shown = f"<= {budget[0]:g} {budget[1]}{'  BROKEN' if over else ''}" if budget else ""
        print(f"{name:<30} {value:>10.3f}   {shown}".rstrip())
    _print_peers(figures)
    return 1 if broken else 0


def _print_peers(figures: dict[str, float]) -> None:
    """Print the rows that every peer has, side by side."""
    rows = dict.fromkeys(name.partition(".")[0] for name in figures if "." in name)
    print(f"{'beside the rivals':<30}" + "".join(f"{peer:>14}" for peer in PEERS))
    for row in rows:
        values = (figures.get(f"{row}.{peer}", float("nan")) for peer in PEERS)
        print(f"{row:<30}" + "".join(f"{value:>14.1f}" for value in values))


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    sys.exit(main())

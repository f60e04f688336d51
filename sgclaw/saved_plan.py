"""What a run was started with, kept in the host's journal, so that `--resume TRACE` is enough.

No secret stands in it: a provider's key is read anew from where it came.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from browser.host.approver import Approver
from memory.ledger import JsonLinesLedger
from states.catalogue import Lang
from states.mcp import McpServer
from states.policy import Policy
from states.secrets import strike_all
from states.settings import Settings
from states.wire import ProviderSpec

KIND = "plan"


@dataclass(frozen=True)
class RunPlan:
    """Everything that a run needs, checked.

    *policy_file* is the file that *policy* came from, "" for the demo's; *files* is the folder of
    what pages may be given, None for nothing. *agent_command* starts
    another agent than the installed one. A plan with *resume* goes on with its trace, and *past*
    is the path of states that the ledger tells; *journal* is the host's, open and locked since it
    was looked at. Whoever runs the plan closes it. *model_told* says which model answers, and why.
    """

    instruction: str
    trace_id: str
    policy: Policy
    settings: Settings
    provider: ProviderSpec
    approver: Approver
    language: Lang
    url: str
    demo: bool
    headed: bool
    step_mode: bool
    data_dir: Path
    out_dir: Path
    policy_file: str = ""
    files: Path | None = None
    agent_command: tuple[str, ...] = ()
    resume: bool = False
    past: tuple[str, ...] = ()
    journal: JsonLinesLedger | None = None
    mcp: tuple[McpServer, ...] = ()
    model_told: str = ""


def plan_row(plan: RunPlan) -> dict[str, Any]:
    """Return *plan* as a row of the host's journal, without what has the form of a secret."""
    row: dict[str, Any] = {
        "kind": KIND,
        "instruction": plan.instruction,
        "settings": plan.settings.model_dump(mode="json"),
        "provider": plan.provider.model_dump(mode="json", exclude={"api_key"}),
        "language": plan.language,
        "url": plan.url,
        "demo": plan.demo,
        "headed": plan.headed,
        "step_mode": plan.step_mode,
        "out_dir": str(plan.out_dir.absolute()),
        "policy_file": plan.policy_file,
        "files": str(plan.files.absolute()) if plan.files is not None else "",
    }
    return {name: strike_all(part, by_key=False) for name, part in row.items()}


def saved_in(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a plan that *row* holds, as their types.

    Raises:
        KeyError: a part is missing.
        ValueError: a part is not what it should be.
    """
    return {
        "instruction": str(row["instruction"]),
        "settings": Settings.model_validate(row["settings"]),
        "provider": ProviderSpec.model_validate(row["provider"]),
        "language": "zh-CN" if row["language"] == "zh-CN" else "en",
        "url": str(row["url"]),
        "demo": bool(row["demo"]),
        "headed": bool(row["headed"]),
        "step_mode": bool(row["step_mode"]),
        "out_dir": Path(str(row["out_dir"])),
        "policy_file": str(row["policy_file"]),
        # Rows of before did not know it.
        "files": Path(str(row["files"])) if row.get("files") else None,
    }

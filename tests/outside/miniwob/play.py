"""The run: `sgclaw run` with a scripted model that says the noted steps, many episodes a run.

Agent, pipe and host are the real ones; the reward is what the pages told the server.
"""

import json
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.e2e.conftest import Desk, Run, desk_in
from tests.outside.miniwob.case import Case, Step
from tests.support.wob_site import WobSite

# A run's replies and its questions are bounded; these stand far above what one run needs.
_BOUNDS = {"SGCLAW_TASK_STEPS_MAX": "400", "SGCLAW_TASK_QUESTIONS_MAX": "400"}
STEPS_A_RUN = 80
_RUN_SECONDS = 240


def shared_out(cases: Sequence[Case]) -> list[list[Case]]:
    """Return *cases* in parts of about as many steps as one run carries."""
    parts: list[list[Case]] = [[]]
    steps = 0
    for case in cases:
        if steps > STEPS_A_RUN:
            parts.append([])
            steps = 0
        parts[-1].append(case)
        steps += 1 + len(case.steps)
    return parts


def played(parts: Sequence[Sequence[Case]], wob: WobSite, folder: Path) -> list[Run]:
    """Carry out all *parts*, two at a time (CI has two cores), and return what the runs left."""
    runs: list[Run] = []
    for start in range(0, len(parts), 2):
        desks = [
            _desk(part, wob, folder / f"run{start + place}")
            for place, part in enumerate(parts[start : start + 2])
        ]
        children = [desk.start(*_arguments(desk)) for desk in desks]
        try:
            said = [child.communicate(timeout=_RUN_SECONDS) for child in children]
        finally:
            for child in children:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.communicate()
        runs += [
            Run(child.returncode, *words, desk.folder / "out")
            for desk, child, words in zip(desks, children, said, strict=True)
        ]
    return runs


def _desk(part: Sequence[Case], wob: WobSite, folder: Path) -> Desk:
    desk = desk_in(folder)
    desk.env |= _BOUNDS
    desk.script(*_replies(part, wob))
    # A click that submits a form needs a person's yes; more answers than questions do no harm.
    desk.approvals(*["approve"] * (STEPS_A_RUN * 2))
    rule = {"host": "127.0.0.1", "scheme": "http", "port": wob.site.port, "allow": ["*"]}
    desk.write("policy.yaml", json.dumps({"version": 1, "hosts": [rule]}))
    desk.write("start.txt", wob.url(part[0].episode))
    return desk


def _arguments(desk: Desk) -> list[str]:
    files = {name: str(desk.folder / name) for name in ("replies.jsonl", "approvals.jsonl")}
    return [
        "run", "play the pages",
        "--url", (desk.folder / "start.txt").read_text(encoding="utf-8"),
        "--policy", str(desk.folder / "policy.yaml"),
        "--provider", f"scripted:{files['replies.jsonl']}",
        "--approve", files["approvals.jsonl"],
        "--max-steps", _BOUNDS["SGCLAW_TASK_STEPS_MAX"],
        "--out", "out",
    ]  # fmt: skip


def _replies(part: Sequence[Case], wob: WobSite) -> list[dict[str, Any]]:
    replies = []
    for case in part:
        replies.append(_reply(Step("navigate", {"url": wob.url(case.episode)}), wob))
        replies += [_reply(step, wob) for step in case.steps]
    return [*replies, {"text": "All pages were played."}]


def _reply(step: Step, wob: WobSite) -> dict[str, Any]:
    wanted = {
        "action": step.action,
        "params": step.params,
        "expected_domain": f"127.0.0.1:{wob.site.port}",
    }
    call = {"id": "1", "name": "browser_action", "input": wanted}
    delay = {"delay_s": step.wait_s} if step.wait_s else {}
    return {"tool_calls": [call], **delay}

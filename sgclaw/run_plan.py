"""The plan of `sgclaw run`: everything that can be checked before anything is started."""

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any

from browser.host.approver import Approver, DenyApprover, FileApprover
from browser.host.terminal_approver import open_terminal
from guards.policy import url_verdict
from sgclaw.clock import utc_now
from sgclaw.errors import RefusedError, UsageError
from sgclaw.keys import Keys
from sgclaw.ledgers import database_url, store_of
from sgclaw.mcp_store import approved_servers, mcp_path
from sgclaw.model_choice import Asked, again, choose, told
from sgclaw.paths import data_dir, own_folders, policy_path
from sgclaw.policy_file import load_policy
from sgclaw.printer import cli_language
from sgclaw.resume import Interrupted, interrupted_run
from sgclaw.saved_plan import RunPlan
from sgclaw.settings import load_settings
from sgclaw.trace import new_trace_id
from skills.errors import SkillError
from skills.registry import load_library
from states.catalogue import Lang, language_of
from states.policy import Policy
from states.settings import Settings

INSTRUCTION_CHARS_MAX = 8000
_AGENT_ENDS_SECONDS = 10.0
_PROBE_BYTES = 1_048_576
# A task that goes on keeps what it was started with, its budgets too.
_FIXED = ("instruction", "demo", "url", "headed", "step", "max_steps", "max_seconds")


def plan_of(given: argparse.Namespace) -> RunPlan:
    """Check everything that can be checked before anything is started.

    Raises:
        UsageError: an option or a file is wrong: exit code 2.
        RefusedError: policy or skills do not verify: exit code 4.
    """
    if given.out is not None and not given.out.parts:
        raise UsageError("out_dir_empty")
    if given.resume is not None:
        return _resumed(given)
    instruction = _instruction(given.instruction or "")
    language = language_of(instruction) if not instruction.isascii() else cli_language()
    settings = _settings(given)
    choice = choose(asked_of(given), settings.model, Keys(os.environ))
    approver = _approver(given.approve, language, given.out)
    policy, policy_file = _policy(given.policy, demo=given.demo)
    url = _start_url(given, policy)
    _verify_skills()
    _check_data_dir()
    _check_ledger(settings)
    trace_id = new_trace_id(utc_now())
    return RunPlan(
        instruction=instruction,
        trace_id=trace_id,
        policy=policy,
        settings=settings,
        provider=choice.spec,
        model_told=told(choice, language),
        approver=approver,
        language=language,
        url=url,
        demo=given.demo,
        headed=given.headed,
        step_mode=given.step,
        data_dir=data_dir(),
        out_dir=given.out or Path("out") / trace_id,
        policy_file=policy_file,
        files=_files(given.files),
        mcp=approved_servers(mcp_path(), settings.mcp),
    )


def _resumed(given: argparse.Namespace) -> RunPlan:
    """Return the plan that goes on with the trace: as it was started, under today's policy."""
    for option in _FIXED:
        if getattr(given, option):
            spelled = "INSTRUCTION" if option == "instruction" else f"--{option.replace('_', '-')}"
            raise UsageError("resume_fixed", option=spelled)
    data = data_dir()
    _check_data_dir()
    found = interrupted_run(data, given.resume, _AGENT_ENDS_SECONDS)
    try:
        return _going_on(given, data, found)
    except BaseException:
        found.journal.close()
        raise


def _going_on(given: argparse.Namespace, data: Path, found: Interrupted) -> RunPlan:
    saved = found.saved
    named = given.policy or (Path(saved["policy_file"]) if saved["policy_file"] else None)
    policy, policy_file = _policy(named, demo=saved["demo"])
    _verify_skills()
    changes: dict[str, Any] = {"policy_file": policy_file, "out_dir": given.out or saved["out_dir"]}
    if given.files is not None:  # so may the files
        changes["files"] = _files(given.files)
    # The script may lie elsewhere by now; a key is never kept.
    choice = again(saved["provider"], asked_of(given), saved["settings"].model, Keys(os.environ))
    changes |= {"provider": choice.spec, "model_told": told(choice, saved["language"])}
    return RunPlan(
        **{**saved, **changes},
        trace_id=given.resume,
        policy=policy,
        approver=_approver(given.approve, saved["language"], given.out),
        data_dir=data,
        resume=True,
        past=found.path,
        journal=found.journal,
        mcp=approved_servers(mcp_path(), saved["settings"].mcp),
    )


def asked_of(given: argparse.Namespace) -> Asked:
    """Return what the person named of the model."""
    return Asked(given.provider or "", given.base_url or "", given.model or "", given.demo)


def _files(folder: Path | None) -> Path | None:
    """Return the folder of the files that are handed over.

    Raises:
        UsageError: it is no folder, or cannot be read.
    """
    if folder is None:
        return None
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        raise UsageError("files_unreadable", folder=folder, why=_why(error)) from error
    return folder.resolve()


def _instruction(text: str) -> str:
    stripped = text.strip()
    if not stripped:
        raise UsageError("instruction_empty")
    if len(stripped) > INSTRUCTION_CHARS_MAX:
        raise UsageError("instruction_too_long", chars=len(stripped), max=INSTRUCTION_CHARS_MAX)
    try:
        stripped.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError("instruction_not_utf8") from error
    return stripped


def _settings(given: argparse.Namespace) -> Settings:
    settings = load_settings(os.environ)
    changes: dict[str, float] = {}
    if given.max_steps is not None:
        changes["steps_max"] = given.max_steps
    if given.max_seconds is not None:
        changes["task_seconds"] = given.max_seconds
    return settings.model_copy(update={"task": settings.task.model_copy(update=changes)})


def _approver(text: str, language: Lang, out: Path | None) -> Approver:
    """Return who answers; pictures of what is asked about go to *out*, if that is given."""
    if text == "deny":
        return DenyApprover(language)
    if text == "ask":
        return open_terminal(language, out) or DenyApprover(language)
    try:
        return FileApprover(Path(text), language)
    except SkillError:
        raise
    except Exception as error:
        from browser.host.errors import HostError

        if isinstance(error, HostError):
            raise UsageError(error.code, **error.facts) from error
        raise


def _policy(named: Path | None, *, demo: bool) -> tuple[Policy, str]:
    """Return the policy and the file it stands in, "" for the demo's own."""
    if named is None and demo:
        from browser.demo import policy as demo_policy

        return demo_policy(), ""
    path = named or policy_path()
    return load_policy(path), str(path.absolute())


def _start_url(given: argparse.Namespace, policy: Policy) -> str:
    if given.url is None:
        return "https://erp.example.com/" if given.demo else ""
    verdict = url_verdict(policy, given.url)
    if not verdict:
        raise RefusedError("start_page_refused", why=verdict.text(cli_language()))
    return str(given.url)


def _check_data_dir() -> None:
    """Refuse to start where no ledger can be written: nothing may be done without one."""
    folder = data_dir()
    try:
        own_folders(folder)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".probe-") as probe:
            probe.write(b"\0" * _PROBE_BYTES)
            probe.flush()
    except OSError as error:
        raise RefusedError("data_dir_unwritable", folder=folder, why=_why(error)) from error


def _check_ledger(settings: Settings) -> None:
    """Refuse to start on a ledger that cannot be opened: its agent could do nothing."""
    from memory.errors import LedgerError

    try:
        store_of(data_dir(), database_url(), create=True,
                 busy_seconds=settings.audit.busy_seconds).close()  # fmt: skip
    except LedgerError as error:
        raise RefusedError(error.code, **error.facts) from error


def _verify_skills() -> None:
    """Refuse to start on a library that was tampered with; an unsigned file is only left out."""
    try:
        library = load_library()
    except SkillError as error:
        raise RefusedError("skills_refused", why=error.text(cli_language())) from error
    for problem in library.problems:
        if problem.error.code != "skill_unsigned":
            raise RefusedError("skills_refused", why=problem.error.text(cli_language()))


def left_out_skills(plan: RunPlan) -> list[str]:
    """Return a sentence for each skill that the run does without."""
    from states.catalogue import words

    return [
        words("skill_left_out", plan.language, why=problem.error.text(plan.language))
        for problem in load_library().problems
    ]


def _why(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)

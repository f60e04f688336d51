"""`sgclaw run` checks everything that can be checked before anything is started."""

from pathlib import Path

import pytest

from browser.host.approver import DenyApprover, FileApprover
from sgclaw.cli import build_parser
from sgclaw.errors import CliError, RefusedError, UsageError
from sgclaw.run_plan import plan_of
from sgclaw.saved_plan import RunPlan
from states.settings import Settings
from tests.sgclaw.commands.conftest import Cli

POLICY = "version: 1\nhosts:\n  - {host: erp.example.com, allow: [navigate, getText]}\n"


def plan(*arguments: str) -> RunPlan:
    return plan_of(build_parser().parse_args(["run", *arguments]))


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_demo_needs_nothing_but_the_instruction() -> None:
    found = plan("--demo", "  导出本月合规报表 ")
    assert (found.instruction, found.language) == ("导出本月合规报表", "zh-CN")
    assert found.url == "https://erp.example.com/"
    assert [rule.host for rule in found.policy.hosts] == ["erp.example.com"]
    assert found.provider.kind == "offline"
    assert found.settings == Settings()
    assert found.out_dir == Path("out") / found.trace_id
    assert not found.headed
    assert not found.step_mode


def test_each_run_has_a_trace_id_of_its_own() -> None:
    assert plan("--demo", "x").trace_id != plan("--demo", "x").trace_id


def test_every_option_reaches_the_plan(tmp_path: Path) -> None:
    script = written(tmp_path, "s.jsonl", '{"text":"hi"}\n')
    approvals = written(tmp_path, "a.jsonl", '{"decision":"approve"}\n')
    policy = written(tmp_path, "p.yaml", POLICY)
    found = plan(
        "look", "--url", "https://erp.example.com/x", "--headed", "--step", "--policy", policy,
        "--provider", f"scripted:{script}", "--approve", approvals, "--max-steps", "7",
        "--max-seconds", "2.5", "--out", str(tmp_path / "out"),
    )  # fmt: skip
    assert (found.url, found.headed, found.step_mode) == ("https://erp.example.com/x", True, True)
    assert (found.settings.task.steps_max, found.settings.task.task_seconds) == (7, 2.5)
    assert (found.provider.kind, found.provider.script) == ("scripted", script)
    assert isinstance(found.approver, FileApprover)
    assert found.policy.hosts[0].allow == ("navigate", "getText")
    assert (found.out_dir, found.demo) == (tmp_path / "out", False)


def test_without_a_terminal_nobody_approves() -> None:
    assert isinstance(plan("--demo", "x", "--approve", "deny").approver, DenyApprover)


@pytest.mark.parametrize("option", ["--base-url", "--model"])
def test_an_option_for_a_model_is_refused_where_none_answers(option: str) -> None:
    with pytest.raises(UsageError, match=option):
        plan("--demo", "x", "--provider", "offline", option, "y")


@pytest.mark.parametrize("provider", ["gpt", "scripted:", "offline:x", "claude:x"])
def test_a_provider_that_is_not_there_is_refused(provider: str) -> None:
    with pytest.raises(UsageError) as caught:
        plan("--demo", "x", "--provider", provider)
    assert caught.value.text("zh-CN") != caught.value.text("en")


def test_a_model_server_reaches_the_plan() -> None:
    found = plan("--demo", "x", "--base-url", "http://127.0.0.1:8000/v1/", "--model", "ours")
    spec = found.provider
    assert (spec.kind, spec.model, spec.base_url) == ("openai", "ours", "http://127.0.0.1:8000/v1")
    assert "ours" in found.model_told
    assert "127.0.0.1:8000" in found.model_told


def test_a_missing_key_says_where_one_may_stand(cli: Cli) -> None:
    cli.env["ANTHROPIC_API_KEY"] = ""
    said = cli("run", "--demo", "x", "--provider", "claude", "--json")
    assert (said.code, said.document["error"]["code"]) == (2, "key_missing")
    assert "ANTHROPIC_API_KEY" in said.err
    assert "keyring set sgclaw claude" in said.err


@pytest.mark.parametrize("text", ["", " \n", "x" * 8_001, "half \ud83d"])
def test_an_instruction_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        plan("--demo", text)
    assert plan("--demo", "x" * 8_000).instruction == "x" * 8_000


@pytest.mark.parametrize(
    "text", ["{", '{"decision":"maybe"}\n', '{"decision":"approve","more":1}\n', "[]\n"]
)
def test_a_file_of_answers_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(CliError) as caught:
        plan("--demo", "x", "--approve", written(tmp_path, "a.jsonl", text))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "url", ["https://evil.test/", "http://erp.example.com/", "javascript:alert(1)", "erp"]
)
def test_a_start_page_outside_the_policy_is_refused(url: str) -> None:
    with pytest.raises(RefusedError) as caught:
        plan("--demo", "x", "--url", url)
    assert caught.value.exit_code == 4
    assert plan("--demo", "x", "--url", "https://erp.example.com/report").url.endswith("/report")


def test_a_wrong_setting_stops_the_run_and_names_its_variable(cli: Cli, tmp_path: Path) -> None:
    cli.env["SGCLAW_TASK_STEPS_MAX"] = "many"
    said = cli("run", "--demo", "x", "--out", str(tmp_path / "out"), "--json")
    assert (said.code, said.document["error"]["code"]) == (2, "setting_invalid")
    assert "SGCLAW_TASK_STEPS_MAX" in said.err
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--policy", "none.yaml"), 4),
        (("--url", "https://evil.test/"), 4),
        (("--provider", "offline", "--model", "m"), 2),
    ],
)
def test_a_refusal_is_one_json_document_with_its_exit_code(
    cli: Cli, arguments: tuple[str, ...], code: int
) -> None:
    said = cli("run", "--demo", "x", "--json", *arguments)
    assert said.code == said.document["exit_code"] == code
    assert said.document["error"]["message"] in said.err


def test_a_usage_error_says_how_to_get_help_in_the_persons_language(cli: Cli) -> None:
    said = cli("run", "--demo", "x", "--max-steps", "0")
    assert said.code == 2
    assert "0 is not a number from 1 on" in said.err
    assert "sgclaw run --help" in said.err
    cli.env["SGCLAW_LANG"] = "zh_CN.UTF-8"
    assert "用法" in cli("run", "--demo", "x", "--max-steps", "0").err


def test_the_version_is_told(cli: Cli) -> None:
    said = cli("--version")
    assert (said.code, said.out.split()[0]) == (0, "sgclaw")


def test_a_folder_of_files_is_handed_over(tmp_path: Path) -> None:
    assert plan("--demo", "x").files is None
    assert plan("--demo", "x", "--files", str(tmp_path)).files == tmp_path


@pytest.mark.parametrize("name", ["missing", "a.csv"])
def test_what_is_no_folder_hands_nothing_over(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text("a", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        plan("--demo", "x", "--files", str(tmp_path / name))
    assert caught.value.code == "files_unreadable"
    assert name in caught.value.text()

"""`sgclaw doctor` says what this machine has, and what mends what it lacks."""

from pathlib import Path

import pytest

from tests.sgclaw.commands.conftest import Cli, Said

PARTS = {"python", "browser", "fonts", "page bundle", "skills", "charts", "data folder", "model",
         "keys"}  # fmt: skip


@pytest.mark.chromium
def test_a_machine_that_is_set_up_is_in_order(cli: Cli, tmp_path: Path) -> None:
    said = cli("doctor")
    assert said.code == 0, said.out
    assert "BAD" not in said.out
    found = {part["name"]: part for part in cli("doctor", "--json").document}
    assert set(found) == PARTS
    assert all(part["ok"] and part["found"] for part in found.values())
    assert found["data folder"]["found"] == str(tmp_path / "data")
    assert list((tmp_path / "data").iterdir()) == []


def test_a_browser_that_is_not_there_is_named_with_the_remedy(cli: Cli) -> None:
    cli.env["SGCLAW_BROWSER"] = "/nonexistent"
    said = cli("doctor")
    assert said.code == 1
    assert "/nonexistent" in said.out
    assert "SGCLAW_BROWSER" in said.out
    as_json = cli("doctor", "--json")
    broken = [part["name"] for part in as_json.document if not part["ok"]]
    assert (as_json.code, broken) == (1, ["browser"])


def test_a_data_folder_that_cannot_be_written_names_its_variable(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    cli.env["SGCLAW_DATA_DIR"] = str(tmp_path / "file" / "data")
    cli.env["SGCLAW_BROWSER"] = "true"  # whatever runs: the browser is not the matter here
    said = cli("doctor", "--json")
    [broken] = [part for part in said.document if not part["ok"]]
    assert (said.code, broken["name"]) == (1, "data folder")
    assert "SGCLAW_DATA_DIR" in broken["fix"]


def test_what_is_wrong_is_said_in_the_persons_language(cli: Cli) -> None:
    cli.env |= {"SGCLAW_BROWSER": "/nonexistent", "SGCLAW_LANG": "zh-CN"}
    assert "浏览器" in cli("doctor").out


KEY = "sk-ant-canary-0123456789abcdef"


def parts(said: Said) -> dict[str, str]:
    return {part["name"]: f"{part['ok']} {part['found']} {part['fix']}" for part in said.document}


def test_it_says_which_model_would_answer_and_where_its_key_is(cli: Cli) -> None:
    cli.env |= {"SGCLAW_BROWSER": "true", "ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": ""}
    said = cli("doctor", "--json")
    assert said.code == 0
    told = parts(said)
    assert "api.anthropic.com" in told["model"]
    assert "claude: key from ANTHROPIC_API_KEY; openai: without a key" in told["keys"]
    assert KEY not in said.out + said.err


def test_a_choice_that_cannot_be_made_is_named_with_its_remedy(cli: Cli) -> None:
    cli.env["SGCLAW_BROWSER"] = "true"
    said = cli("doctor", "--provider", "ollama", "--json")
    assert said.code == 1
    assert parts(said)["model"].startswith("False model_name_ollama")

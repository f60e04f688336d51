"""`sgclaw doctor` says what this machine has, and what mends what it lacks."""

from pathlib import Path

import pytest

from tests.sgclaw.commands.conftest import Cli

PARTS = {"python", "browser", "fonts", "page bundle", "skills", "charts", "data folder"}


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

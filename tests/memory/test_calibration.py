"""Factors of models: learned slowly, bounded, kept in a private file that may be broken."""

import json
from pathlib import Path
from typing import Any

import pytest

from memory.calibration import FACTOR_MAX, FACTOR_MIN, MODELS_MAX, Calibration

Lines = list[tuple[str, dict[str, Any]]]


def kept(path: Path | None, lines: Lines | None = None) -> Calibration:
    told = lines if lines is not None else []
    return Calibration(path, lambda event, **fields: told.append((event, fields)))


def test_a_new_model_is_taken_for_a_tenth_more_than_estimated() -> None:
    assert kept(None).factor("new") == pytest.approx(1.1)


def test_one_report_moves_the_factor_by_a_fifth_of_the_way() -> None:
    learned = kept(None)
    learned.learn("m", 1_000, 1_500)
    assert learned.factor("m") == pytest.approx(1.1 * (0.8 + 0.2 * 1.5))
    assert learned.factor("other") == pytest.approx(1.1)


def test_the_factor_comes_to_what_the_model_reports() -> None:
    learned = kept(None)
    for _ in range(30):
        learned.learn("m", 1_000, 1_700)
    assert learned.factor("m") == pytest.approx(1.1 * 1.7, rel=0.01)


@pytest.mark.parametrize(("reported", "end"), [(10**9, FACTOR_MAX), (1, FACTOR_MIN)])
def test_absurd_reports_move_it_no_further_than_its_bounds(reported: int, end: float) -> None:
    learned = kept(None)
    learned.learn("m", 1_000, reported)
    assert learned.factor("m") == pytest.approx(1.1 * (0.8 + 0.2 * end))
    for _ in range(40):
        learned.learn("m", 1_000, reported)
    assert learned.factor("m") == pytest.approx(1.1 * end, rel=0.01)


@pytest.mark.parametrize(("estimated", "reported"), [(0, 5), (100, 0), (-1, 5)])
def test_nothing_is_learned_from_no_report(estimated: float, reported: int, tmp_path: Path) -> None:
    path = tmp_path / "model_factors.json"
    kept(path).learn("m", estimated, reported)
    assert not path.exists()
    kept(path).learn("m", 100, 90)
    assert path.exists()


def test_a_drift_of_more_than_a_third_is_reported_and_a_smaller_one_is_not() -> None:
    lines: Lines = []
    learned = kept(None, lines)
    learned.learn("m", 1_000, 1_290)
    assert lines == []
    learned.learn("m", 1_000, 2_000)
    assert lines == [
        ("model_estimate_off", {"model": "m", "estimated": 1_058, "reported": 2_000}),
    ]


def test_what_was_learned_is_there_again_in_a_file_of_this_account_alone(tmp_path: Path) -> None:
    path = tmp_path / "model_factors.json"
    kept(path).learn("m", 1_000, 2_000)
    assert kept(path).factor("m") == pytest.approx(1.1 * 1.2)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["model_factors.json"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, '{"version":1,"factors":{"m":99}}', '{"version":2,"factors":{}}',
     '{"version":1,"factors":{"m":NaN}}', '{"version":1,"factors":{"m":"1.5"}}', "\x00\xff"],
)  # fmt: skip
def test_a_broken_file_is_begun_anew_and_told_of(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model_factors.json"
    path.write_text(text)
    lines: Lines = []
    learned = kept(path, lines)
    assert [event for event, _ in lines] == ["model_factors_unreadable"]
    assert learned.factor("m") == pytest.approx(1.1)
    learned.learn("m", 100, 120)
    assert kept(path).factor("m") == pytest.approx(1.1 * 1.04)


def test_the_same_file_unbroken_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model_factors.json"
    path.write_text('{"version":1,"factors":{"m":1.5}}')
    assert kept(path).factor("m") == pytest.approx(1.65)


def test_a_link_in_its_place_is_neither_followed_nor_written_through(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"version":1,"factors":{"m":2.0}}')
    path = tmp_path / "model_factors.json"
    path.symlink_to(other)
    learned = kept(path)
    assert learned.factor("m") == pytest.approx(1.1)
    learned.learn("m", 100, 120)
    assert "2.0" in other.read_text()
    assert not path.is_symlink()


def test_a_folder_that_cannot_be_written_costs_a_log_line_only(tmp_path: Path) -> None:
    lines: Lines = []
    learned = kept(tmp_path / "missing" / "model_factors.json", lines)
    learned.learn("m", 100, 120)
    assert learned.factor("m") == pytest.approx(1.1 * 1.04)
    assert [event for event, _ in lines] == ["model_factors_unwritable"]


def test_a_write_that_fails_half_way_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "model_factors.json"
    path.mkdir()
    lines: Lines = []
    kept(path, lines).learn("m", 100, 120)
    assert [event for event, _ in lines] == ["model_factors_unreadable", "model_factors_unwritable"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["model_factors.json"]


def test_the_file_holds_so_many_models_and_forgets_the_one_learned_of_longest_ago(
    tmp_path: Path,
) -> None:
    path = tmp_path / "model_factors.json"
    learned = kept(path)
    for number in range(MODELS_MAX):
        learned.learn(f"m{number}", 100, 120)
    learned.learn("m0", 100, 120)
    learned.learn("x" * 1_000, 100, 120)
    names = list(json.loads(path.read_text())["factors"])
    assert len(names) == MODELS_MAX
    assert "m0" in names
    assert "m1" not in names
    assert kept(path).factor("x" * 1_000) == pytest.approx(1.1 * 1.04)

"""`sgclaw chart replay` says identical, different, or why it will not say (L8)."""

from pathlib import Path

from tests.sgclaw.commands.conftest import Cli
from tests.sgclaw.recorded import recorded, rows, write_rows
from tests.support.ledger_lab import TraceLedger


async def test_an_untouched_ledger_is_identical(cli: Cli, tmp_path: Path) -> None:
    ledger = await recorded(tmp_path / "data")
    said = cli("chart", "replay", str(write_rows(tmp_path / "copy.jsonl", ledger.rows())))
    assert said.code == 0
    assert said.out.startswith("Identical: ")
    by_trace = cli("chart", "replay", ledger.trace, "--json")
    assert (by_trace.code, by_trace.document["identical"]) == (0, True)
    assert by_trace.document["state"] == "completed"


async def test_the_first_difference_is_shown(cli: Cli, tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    kept[4]["effects"].append(["do", "something_else"])
    path = write_rows(tmp_path / "edited.jsonl", kept)
    said = cli("chart", "replay", str(path), "--diff")
    assert said.code == 1
    assert "row 5" in said.out
    assert '-    "something_else"' in said.out
    document = cli("chart", "replay", str(path), "--json").document
    assert (document["difference"]["seq"], document["difference"]["part"]) == (5, "effects")


async def test_another_chart_version_a_gap_and_garbage_are_refused(
    cli: Cli, tmp_path: Path
) -> None:
    kept = rows(await recorded(tmp_path))
    other = write_rows(tmp_path / "a.jsonl", [{**kept[0], "chart_sha256": "f" * 64}, *kept[1:]])
    gap = write_rows(tmp_path / "b.jsonl", [*kept[:3], *kept[4:]])
    garbage = tmp_path / "c.jsonl"
    garbage.write_text("{}\nnot json\n", encoding="utf-8")
    empty = tmp_path / "d.jsonl"
    empty.write_text("", encoding="utf-8")
    for path, word in (
        (other, "version"),
        (gap, "removed"),
        (garbage, "damaged"),
        (empty, "no event"),
    ):
        said = cli("chart", "replay", str(path))
        assert said.code == 4, said
        assert word in said.err
        assert "Traceback" not in said.err


def test_a_trace_that_is_not_there_is_a_usage_error(cli: Cli) -> None:
    assert cli("chart", "replay", "sgclaw-20260101-0000000000000000").code == 2
    assert cli("chart", "replay", "nonsense").code == 2


async def test_a_ledger_under_another_traces_name_is_refused(cli: Cli, tmp_path: Path) -> None:
    ledger = await recorded(tmp_path / "first")
    other = ledger.trace[:-1] + "0"
    TraceLedger(tmp_path / "data", other).write(ledger.rows())
    said = cli("chart", "replay", other)
    assert (said.code, said.out) == (4, "")
    assert "another run" in said.err
    copy = write_rows(tmp_path / "copy.jsonl", ledger.rows())
    assert cli("chart", "replay", str(copy)).code == 0  # a file may be named as one likes


async def test_a_difference_of_any_depth_can_be_shown(cli: Cli, tmp_path: Path) -> None:
    kept = rows(await recorded(tmp_path))
    kept[4]["effects"] = ["DEEP"]
    path = write_rows(tmp_path / "deep.jsonl", kept)
    text = path.read_text(encoding="utf-8")
    for levels, code in ((150, 1), (400, 4), (100_000, 4)):
        deep = "[" * levels + "]" * levels
        path.write_text(text.replace('"DEEP"', deep), encoding="utf-8")
        for form in ("--diff", "--json"):
            said = cli("chart", "replay", str(path), form)
            assert said.code == code, (levels, form, said.err)
            assert "Traceback" not in said.err

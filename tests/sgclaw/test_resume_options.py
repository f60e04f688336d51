"""`--resume` takes the options that may be given with it as `run` does."""

import pytest

from sgclaw.cli import build_parser
from sgclaw.errors import UsageError
from sgclaw.run_plan import plan_of


@pytest.mark.parametrize("arguments", [["--demo", "x"], ["--resume", "sgclaw-20261129-01234567"]])
def test_an_empty_folder_for_results_is_refused_with_and_without_it(arguments: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        plan_of(build_parser().parse_args(["run", *arguments, "--out", ""]))
    assert caught.value.code == "out_dir_empty"

"""Old local files go; one that was written again, or that somebody holds, stays."""

import os
from pathlib import Path

import pytest

from sgclaw.log_files import log_dir
from sgclaw.upkeep_files import kept_files, remove

OLD_NS = 1_700_000_000_000_000_000


@pytest.mark.parametrize("fraction_ns", [0, 1, 499, 999, 123_456_789, 999_999_999])
def test_a_file_goes_whatever_fraction_of_a_second_it_was_written_at(
    tmp_path: Path, fraction_ns: int
) -> None:
    path = log_dir(tmp_path) / "pipe-20231114-221320-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}\n", encoding="utf-8")
    os.utime(path, ns=(OLD_NS + fraction_ns, OLD_NS + fraction_ns))
    [file] = kept_files(tmp_path)
    assert remove(file)
    assert not path.exists()


def test_a_file_that_was_written_again_stays(tmp_path: Path) -> None:
    path = log_dir(tmp_path) / "pipe-20231114-221320-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}\n", encoding="utf-8")
    os.utime(path, ns=(OLD_NS, OLD_NS))
    [file] = kept_files(tmp_path)
    path.write_text("{}\n{}\n", encoding="utf-8")
    assert not remove(file)
    assert path.exists()

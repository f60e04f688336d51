"""The columns of a row are derived anew at every `audit verify`, years later too.

So what `facts_of` says of rows of format 1 never changes: another rule needs another format, or
every ledger of before would pass for tampered.
"""

import hashlib
import json
from pathlib import Path

from memory.event_ledger import FORMAT_VERSION
from memory.facts import facts_of

OLD = Path(__file__).with_name("rows_of_format_1.jsonl")
GOLDEN = Path(__file__).parents[1] / "golden" / "0.1.0"
FACTS_OF_GOLDEN = "2809ced9315614d67f19076238a9928c509bb2ad957f23ef6dbcbe0960925b67"
FACTS_OF_FORMAT_1 = "46837b8ca0d2ca00d4a4df3858abfa05c4c321cd3175ccc1b538d4828b1c6d5d"


def test_the_facts_of_old_rows_are_what_they_were() -> None:
    assert FORMAT_VERSION == 1
    assert digest_of([OLD]) == FACTS_OF_FORMAT_1
    # Rows that name their call as well, of the models' time.
    assert digest_of(sorted(GOLDEN.glob("*.jsonl"))) == FACTS_OF_GOLDEN


def digest_of(paths: list[Path]) -> str:
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    assert len(rows) > 40
    told = json.dumps([facts_of(row) for row in rows], ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()

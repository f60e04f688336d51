"""The columns of a row are derived anew at every `audit verify`, years later too.

So what `facts_of` says of rows of format 1 never changes: another rule needs another format, or
every ledger of before would pass for tampered.
"""

import hashlib
import json
from pathlib import Path

from memory.event_ledger import FORMAT_VERSION
from memory.facts import facts_of
from memory.ledger import read_rows

GOLDEN = Path(__file__).parents[1] / "golden" / "0.1.0"
FACTS_OF_FORMAT_1 = "46837b8ca0d2ca00d4a4df3858abfa05c4c321cd3175ccc1b538d4828b1c6d5d"


def test_the_facts_of_old_rows_are_what_they_were() -> None:
    assert FORMAT_VERSION == 1
    told = [facts_of(row) for path in sorted(GOLDEN.glob("*.jsonl")) for row in read_rows(path)]
    assert len(told) > 40
    digest = hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()
    assert digest == FACTS_OF_FORMAT_1

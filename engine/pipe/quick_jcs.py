"""RFC 8785 bytes, quickly: the C encoder where it says the same, the full algorithm elsewhere.

A page of 300 nodes is proved and checked at every step, so this is the pipe's hot path. With
ASCII keys and without floats, sorted keys and Python's spelling of strings and integers are
exactly RFC 8785's; anything else goes the long way. A test holds both ways against each other.
"""

import json
from typing import Any

from engine.pipe.strict_json import survey
from states.canonical import canonical_bytes

# Past this, the C encoder would raise RecursionError; the long way says why in its own words.
_DEPTH_MAX = 200


def quick_canonical_bytes(document: dict[str, Any]) -> bytes:
    """Return *document* as RFC 8785 bytes.

    Raises:
        ValueError: an integer beyond 2^53-1, NaN, infinity or a lone surrogate.
    """
    seen = survey(document, _DEPTH_MAX)
    if not (seen.plain and seen.ints_fit and seen.depth <= _DEPTH_MAX):
        return canonical_bytes(document)
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8")

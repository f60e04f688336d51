"""The product's own source text, for tests that ask whether something is used at all."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("sgclaw", "engine", "states", "actions", "guards", "skills", "memory", "prompts",
           "statecharts", "browser")  # fmt: skip
LEFT_OUT = {"node_modules", "dist", ".build", "__pycache__"}
KINDS = {".py", ".js", ".yaml"}


def product_files() -> Iterator[Path]:
    """Yield each source file of the product, relative to its root."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in KINDS and not LEFT_OUT & set(path.parts):
                yield path.relative_to(ROOT)


@cache
def product_text(*without: str) -> str:
    """Return all source text; a file that stands under one of *without* is left out."""
    return "\n".join(
        (ROOT / path).read_text(encoding="utf-8")
        for path in product_files()
        if not any(path.is_relative_to(left) for left in without)
    )

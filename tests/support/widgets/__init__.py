"""Pages with widgets the way component libraries draw them, written for these tests."""

from pathlib import Path

_HERE = Path(__file__).parent


def widget_page(name: str) -> str:
    """Return the markup of the page *name*."""
    return (_HERE / f"{name}.html").read_text(encoding="utf-8")

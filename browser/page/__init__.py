"""The page side: one JavaScript bundle that runs in an isolated world of every document."""

from importlib.resources import files
from importlib.resources.abc import Traversable

from browser.page.errors import BundleMissingError


def bundle_source(folder: Traversable | None = None) -> str:
    """Return the JavaScript that installs `__sg` in a document.

    *folder* is where `dist/` stands (default: this package).

    Raises:
        BundleMissingError: the bundle is not built.
    """
    bundle = (folder or files("browser.page")).joinpath("dist", "page.js")
    if not bundle.is_file():
        raise BundleMissingError
    return bundle.read_text(encoding="utf-8")

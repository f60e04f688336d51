"""Errors of the page bundle.

SgclawError
└── PageError               whoever set the checkout up must act
    ├── BundleMissingError  the bundle was never built
    ├── NodeMissingError    nothing here can run the bundler
    └── BundlingError       npm or esbuild failed
"""

from states.errors import SgclawError


class PageError(SgclawError):
    """The page bundle is not there, or cannot be made."""


class BundleMissingError(PageError):
    """The page bundle was never built."""

    def __init__(self) -> None:
        super().__init__("page_bundle_missing")


class NodeMissingError(PageError):
    """No Node of a version that can run the bundler was found."""

    def __init__(self, version_min: int) -> None:
        super().__init__("page_node_missing", version_min=version_min)
        self.version_min = version_min


class BundlingError(PageError):
    """A step of the build failed; *output* is the end of what it said."""

    def __init__(self, step: str, output: str) -> None:
        super().__init__("page_build_failed", step=step, output=output[-2000:].strip())
        self.step = step
        self.output = output

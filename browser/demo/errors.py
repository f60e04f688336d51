"""Errors of the demo company.

DemoError(SgclawError)
├── CryptographyMissingError   the person who installed sgclaw must act
├── CertificateUnwritableError the person whose folder it is must act
└── InvalidInputError          the caller of the demo's API sent something it cannot use
"""

from pathlib import Path

from states.errors import SgclawError


class DemoError(SgclawError):
    """The demo company cannot do its work."""


class CryptographyMissingError(DemoError):
    """The optional package that makes the demo's certificate is not installed."""

    def __init__(self) -> None:
        super().__init__("demo_needs_cryptography")


class CertificateUnwritableError(DemoError):
    """The folder for the demo's certificate refused the files."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__("demo_certificate_not_written", folder=str(folder), why=why)


class InvalidInputError(DemoError):
    """A request named a month, department, format, page or invoice that does not exist."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(f"demo_{code}", **facts)

"""The lab of the host's tests serves here too."""

from tests.browser.host.conftest import lab, shared_lab

__all__ = ["lab", "shared_lab"]

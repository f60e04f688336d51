"""Start a browser, print its pid and profile, and wait to be killed (a host in a test)."""

import asyncio
import sys
from pathlib import Path

from browser.host.chromium import Chromium
from browser.host.launch_flags import LaunchOptions
from tests.support.host_lab import policy_for


async def main() -> None:
    """Launch and wait."""
    options = LaunchOptions(policy=policy_for(1), profiles_root=Path(sys.argv[1]))
    chromium = await Chromium.launch(options)
    print(chromium.pid, chromium.profile, flush=True)  # noqa: T201
    await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main())

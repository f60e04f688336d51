"""Entry of `sgclaw agent`: the process edge, where no traceback may be the answer."""

import sys
from collections.abc import Sequence

from sgclaw.agent import run_agent
from sgclaw.errors import EXIT_ABORTED, EXIT_FAILED, EXIT_USAGE
from sgclaw.logs import log_for
from states.catalogue import words


def main(fds: tuple[int, int], arguments: Sequence[str]) -> int:
    """Serve the pipe on *fds*; return the exit code."""
    if arguments:
        sys.stderr.write(words("agent_takes_no_arguments", "en", given=" ".join(arguments)) + "\n")
        return EXIT_USAGE
    try:
        return run_agent(fds)
    except KeyboardInterrupt:
        return EXIT_ABORTED
    except Exception as error:  # noqa: BLE001 - the process edge: a log line, not a traceback
        log_for("agent")(
            "agent_broken", level="CRITICAL", error=type(error).__name__, why=str(error)
        )
        return EXIT_FAILED

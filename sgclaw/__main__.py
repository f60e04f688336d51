"""The `sgclaw` program. `agent` takes stdin and stdout for the pipe before anything is imported."""

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    if sys.argv[1:2] == ["agent"] and sys.argv[2:3] not in (["--help"], ["-h"]):
        from engine.pipe.stdio import capture_stdio

        fds = capture_stdio()
        from sgclaw.agent_main import main as agent_main

        sys.exit(agent_main(fds, sys.argv[2:]))
    try:
        from sgclaw.cli import main as cli_main

        sys.exit(cli_main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(3)


if __name__ == "__main__":
    main()

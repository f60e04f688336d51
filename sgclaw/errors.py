"""What the person at the keyboard must mend, and the exit code it ends with.

CliError
├── UsageError      2   a wrong option, a missing file, a script that is none
└── RefusedError    4   nothing was started: policy, skill or ledger verification failed
"""

from states.errors import SgclawError

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_ABORTED = 3
EXIT_REFUSED = 4


class CliError(SgclawError):
    """Root of this package's errors."""

    exit_code = EXIT_FAILED


class UsageError(CliError):
    """The command cannot be understood or lacks something."""

    exit_code = EXIT_USAGE


class RefusedError(CliError):
    """Verification failed before anything was started."""

    exit_code = EXIT_REFUSED

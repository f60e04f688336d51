"""What goes wrong between host and agent, under `HostError`.

HostError
├── ApprovalFileError    the operator corrects the file given with --approve
├── HostLogError         the operator makes room for the host's log
└── AgentError           the agent process failed
    ├── AgentMissingError    the operator installs the program
    ├── AgentNotReadyError   it did not come up, or speaks another protocol
    ├── AgentBrokeProtocolError  it broke the protocol too often
    └── AgentLostError       it ended or fell silent
"""

from browser.host.errors import HostError


class ApprovalFileError(HostError):
    """The approval file cannot be used; *line* is where, 0 for the whole file."""

    def __init__(self, code: str, path: str, line: int = 0, **facts: object) -> None:
        super().__init__(code, path=path, line=line, **facts)
        self.path = path
        self.line = line


class HostLogError(HostError):
    """The host's log cannot be written at *path*; without it nothing is started."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__("host_log_unwritable", path=path, why=why)
        self.path = path


class AgentError(HostError):
    """The agent process cannot be worked with."""


class AgentMissingError(AgentError):
    """The program to start is not there."""

    def __init__(self, path: str) -> None:
        super().__init__("agent_missing", path=path)


class AgentNotReadyError(AgentError):
    """The agent did not report ready, or speaks another protocol."""


class AgentBrokeProtocolError(AgentError):
    """More violations than the settings allow."""

    def __init__(self, errors_max: int, last: str) -> None:
        super().__init__("agent_broke_protocol", errors_max=errors_max, last=last)


class AgentLostError(AgentError):
    """The agent ended, fell silent, or went on too long."""

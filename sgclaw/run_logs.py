"""The logs of one run: the host's own, the operation log and the pipe record (A2, A3)."""

from browser.host.host_log import FileHostLog, HostLog
from browser.host.pipe_record import PipeRecord
from sgclaw.clock import utc_now
from sgclaw.log_files import OPERATION, PIPE, LogFile, bounds_of, log_dir
from sgclaw.logs import start_logs
from sgclaw.operation_log import OperationLog
from sgclaw.paths import host_log_dir
from sgclaw.saved_plan import RunPlan


class RunLogs:
    """Where one run is noted: *log* takes what the host notes, *record* what passes the pipe."""

    def __init__(self, plan: RunPlan) -> None:
        """Open the logs of *plan*; rows of this very process go to the operation log too.

        Raises:
            HostLogError: the host's own log cannot be written.
        """
        audit, trace = plan.settings.audit, plan.trace_id
        folder, bounds = log_dir(plan.data_dir), bounds_of(audit)
        self.host = FileHostLog(host_log_dir(plan.data_dir), trace, utc_now, plan.settings.pipe)
        self._operation = LogFile(folder, OPERATION, bounds, utc_now)
        self._pipe = LogFile(folder, PIPE, bounds, utc_now)
        self._trace = trace
        self.log: HostLog = OperationLog(self.host, trace, utc_now, self._operation.append)
        self.record = PipeRecord(trace, self._pipe.append, utc_now, content=audit.pipe_content)
        start_logs(trace, take=self._operation.append)

    @property
    def incomplete(self) -> LogFile | None:
        """The first log file in which a line is missing, None when there is none."""
        return next((file for file in (self._operation, self._pipe) if file.failure), None)

    def close(self) -> None:
        """Close every file; what this process logs afterwards goes to stderr."""
        start_logs(self._trace)
        self.log.close()
        self._operation.close()
        self._pipe.close()

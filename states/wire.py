"""Every message of the pipe between host and agent (P1, P2), one closed model each.

Host to agent: init, submit_task, response, confirmation_required, confirm_response, abort,
ping, shutdown. Agent to host: ready, command, confirm_request, dialog_response, log_entry,
state_changed, ledger_head, task_completed, pong, protocol_error. What carries `security` is
authenticated by `engine.pipe.envelope`; requests of the agent count `seq` up by one, each answer
repeats it.
"""

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    TypeAdapter,
    model_serializer,
)

from states.mcp import McpServer
from states.messages import ModelReport, Usage
from states.page import AomNode, PageState
from states.policy import Policy, Target
from states.settings import PipeLimits, Settings

PROTOCOL_VERSION = 1
# With the call itself they are the most that one reply of a model may hold.
LISTED_MAX = 7
QUESTION_CHARS_MAX, OPTIONS_MAX, ANSWER_CHARS_MAX = 500, 8, 2_000
_PANEL_CHARS_MAX = PipeLimits().panel_text_chars_max


def _cut(value: object) -> object:
    return value[:_PANEL_CHARS_MAX] if isinstance(value, str) else value


TraceId = Annotated[str, StringConstraints(pattern=r"^sgclaw-\d{8}-[0-9a-f]{8,32}$")]
Hex64 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Seq = Annotated[int, Field(ge=1, le=2**53 - 1)]
Domain = Annotated[str, StringConstraints(max_length=260)]
StateName = Annotated[str, StringConstraints(pattern=r"^[a-z_.]{1,60}$")]
# A name in the ledger: one line, without control characters, so that it hashes one way only.
PlainName = Annotated[str, StringConstraints(max_length=120, pattern=r"^[^\x00-\x1f\x7f]*$")]
# Words for a person's panel: longer ones are cut, at both ends, rather than refused.
PanelText = Annotated[str, Field(max_length=_PANEL_CHARS_MAX), BeforeValidator(_cut)]
Option = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=0, le=2**53 - 1)]


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Mac(_Closed):
    """Proof that this very message comes from the other end of this session."""

    hmac: Hex64


class CommandSecurity(Mac):
    """A command's proof, and the host its author believes the page to be on."""

    expected_domain: Domain


class ProviderSpec(_Closed):
    """Which model answers; *api_key* lives in memory only and is never written anywhere."""

    kind: Literal["offline", "scripted", "claude", "openai", "ollama"] = "offline"
    model: str = ""
    base_url: str = ""
    script: str = ""
    api_key: Annotated[str, Field(repr=False)] = ""


class WireError(_Closed):
    """Why a command failed: a catalogue key, and the sentence for the model."""

    code: str
    message: str


# --- host to agent


class LedgerSpec(_Closed):
    """Where the task's ledger is kept, and in whose name (M7).

    *database* is a `postgresql://` URL, "" for the SQLite file in the data folder.
    """

    database: Annotated[str, Field(repr=False, max_length=2000)] = ""
    install_id: PlainName = "local"
    tenant: PlainName = ""
    user: PlainName = ""


class Init(_Closed):
    """The first line: session, key, policy and bounds."""

    type: Literal["init"] = "init"
    protocol: int
    trace_id: TraceId
    session_id: Annotated[str, StringConstraints(min_length=8, max_length=64)]
    key: Annotated[Hex64, Field(repr=False)]
    policy: Policy
    settings: Settings = Settings()
    provider: ProviderSpec = ProviderSpec()
    language: Literal["en", "zh-CN"] = "en"
    step_mode: bool = False
    data_dir: str = ""
    ledger: LedgerSpec = LedgerSpec()
    mcp: tuple[McpServer, ...] = ()


class SubmitTask(_Closed):
    """What the person wants; *resumed* when the ledger tells how far a killed agent came."""

    type: Literal["submit_task"] = "submit_task"
    instruction: Annotated[str, StringConstraints(min_length=1, max_length=8000)]
    page: PageState = PageState()
    aom_snapshot: tuple[AomNode, ...] = ()
    resumed: Literal["", "same", "new"] = ""


class Response(_Closed):
    """The answer to a command or a dialog_response, with the page as it is now."""

    type: Literal["response"] = "response"
    seq: Seq
    success: bool
    data: dict[str, Any] = {}
    error: WireError | None = None
    page: PageState = PageState()
    aom_snapshot: tuple[AomNode, ...] = ()
    security: Mac


class ConfirmationRequired(_Closed):
    """Nothing was done: a person must first agree to exactly *digest*."""

    type: Literal["confirmation_required"] = "confirmation_required"
    seq: Seq
    digest: Hex64
    target: Target
    reason: str = ""
    security: Mac


class ConfirmResponse(_Closed):
    """What the person said."""

    type: Literal["confirm_response"] = "confirm_response"
    seq: Seq
    digest: str
    decision: Literal["approved", "rejected", "expired"]
    approved_by: str = ""
    target: Target = Target()
    text: Annotated[str, Field(max_length=ANSWER_CHARS_MAX)] = ""
    error: WireError | None = None
    security: Mac

    @model_serializer(mode="wrap")
    def _without_empty_text(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # What is no answer to a question is the same document, and has the same proof, as before.
        whole: dict[str, Any] = serialize(self)
        if not whole.get("text"):
            whole.pop("text", None)
        return whole


class Abort(_Closed):
    """Stop the task now (L4)."""

    type: Literal["abort"] = "abort"
    reason: str = ""


class Ping(_Closed):
    """Are you there?"""

    type: Literal["ping"] = "ping"
    nonce: str = ""


class Shutdown(_Closed):
    """End the process in order."""

    type: Literal["shutdown"] = "shutdown"


# --- agent to host


class Ready(_Closed):
    """The agent is up and speaks *protocol*."""

    type: Literal["ready"] = "ready"
    protocol: int
    version: str
    pid: int
    trace_id: str


class Command(_Closed):
    """Do one action in the page."""

    type: Literal["command"] = "command"
    seq: Seq
    action: str
    params: dict[str, Any] = {}
    security: CommandSecurity


class ListedCall(_Closed):
    """One more call of the same reply, to be shown to the person together with the first."""

    action: str
    params: dict[str, Any] = {}
    expected_domain: Domain


class ConfirmRequest(_Closed):
    """Ask the person: about one command (*digest* when the host named it), or about going on.

    With the purpose "question" the model asks for what only the person knows, *options* may be
    chosen from; with "tool" it is about one call of an MCP tool: *action* is the tool's full name,
    *params* its arguments, and the host computes the digest itself.

    *also* are the calls that follow it, in their order: the host shows those that need the person
    too on the same card, and an approval is of each of them, never of others of their kind.
    """

    type: Literal["confirm_request"] = "confirm_request"
    seq: Seq
    purpose: Literal["call", "step", "question", "tool"] = "call"
    action: str = ""
    params: dict[str, Any] = {}
    digest: str = ""
    also: Annotated[tuple[ListedCall, ...], Field(max_length=LISTED_MAX)] = ()
    question: Annotated[str, Field(max_length=QUESTION_CHARS_MAX)] = ""
    options: Annotated[tuple[Option, ...], Field(max_length=OPTIONS_MAX)] = ()
    security: CommandSecurity

    @model_serializer(mode="wrap")
    def _without_what_is_empty(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # A question about one call is the same document, and has the same proof, as before.
        whole: dict[str, Any] = serialize(self)
        for name in ("also", "question", "options"):
            if not whole.get(name):
                whole.pop(name, None)
        return whole


class DialogResponse(_Closed):
    """Answer the open native dialog of the page; needs an approval like any risky command."""

    type: Literal["dialog_response"] = "dialog_response"
    seq: Seq
    accept: bool
    text: str = ""
    security: CommandSecurity


class LogEntry(_Closed):
    """One line for the person's panel."""

    type: Literal["log_entry"] = "log_entry"
    level: Literal["debug", "info", "warning", "error"] = "info"
    event: PanelText
    message: PanelText = ""
    data: dict[str, Any] = {}


class StateChanged(_Closed):
    """The chart took a transition."""

    type: Literal["state_changed"] = "state_changed"
    state: StateName
    event: PanelText
    step: Count = 0
    action: PanelText = ""
    elapsed_ms: Count = 0
    reason: PanelText = ""


class LedgerHead(_Closed):
    """What a chain of the agent's ledger has come to; the host keeps it, signed (M7)."""

    type: Literal["ledger_head"] = "ledger_head"
    install_id: PlainName
    stream: Literal["operation", "model"]
    position: Annotated[int, Field(ge=1, le=2**53 - 1)]
    hash: Hex64
    algorithm: Literal["sha256", "sm3"] = "sha256"


class CommandReport(_Closed):
    """One command of the finished task."""

    seq: int
    action: str
    params: dict[str, Any] = {}
    success: bool
    approved_by: str | None = None
    error: str = ""


class TaskCompleted(_Closed):
    """How the task ended."""

    type: Literal["task_completed"] = "task_completed"
    trace_id: str
    state: Literal["completed", "failed", "aborted"]
    reason: str = ""
    reason_text: str = ""
    answer: str = ""
    citations: tuple[Count, ...] = ()
    steps: Count = 0
    commands: tuple[CommandReport, ...] = ()
    path: tuple[str, ...] = ()
    usage: Usage = Usage()
    model: ModelReport = ModelReport()
    duration_s: float = 0.0


class Pong(_Closed):
    """Yes."""

    type: Literal["pong"] = "pong"
    nonce: str = ""


class ProtocolError(_Closed):
    """A line could not be taken; *seq* when it could be read."""

    type: Literal["protocol_error"] = "protocol_error"
    seq: int | None = None
    code: str
    message: str


HostMessage = Annotated[
    Init | SubmitTask | Response | ConfirmationRequired | ConfirmResponse | Abort | Ping | Shutdown,
    Field(discriminator="type"),
]
AgentMessage = Annotated[
    Ready | Command | ConfirmRequest | DialogResponse | LogEntry | StateChanged | LedgerHead
    | TaskCompleted | Pong | ProtocolError,
    Field(discriminator="type"),
]  # fmt: skip
HOST_MESSAGES: TypeAdapter[HostMessage] = TypeAdapter(HostMessage)
AGENT_MESSAGES: TypeAdapter[AgentMessage] = TypeAdapter(AgentMessage)

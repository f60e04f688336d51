"""Every bound of the product, in one model (design invariant 10).

Units stand last in each name. Environment variables `SGCLAW_<NAME>` override a field
(`sgclaw.settings` reads them); nothing else in the product holds a limit of its own.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

_Positive = Annotated[int, Field(gt=0)]
_Days = Annotated[int, Field(ge=0, le=36_500)]
_ProxyServer = Annotated[
    str, Field(pattern=r"^((https?|socks[45])://[A-Za-z0-9.-]+:[0-9]{1,5})?$", max_length=300)
]


class TaskLimits(BaseModel):
    """Bounds of one task (L5-L7)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    steps_max: _Positive = 60
    task_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 900
    approval_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 300
    # All tries of one model call together; each try has its own bounds in ModelLimits.
    model_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 600
    command_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60
    calls_per_turn_max: _Positive = 8
    model_text_chars_max: _Positive = 100_000
    model_depth_max: _Positive = 32
    report_chars_max: _Positive = 2_000
    questions_max: _Positive = 50
    listing_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 5
    restarts_max: Annotated[int, Field(ge=0)] = 3


class ModelLimits(BaseModel):
    """Bounds and choices of a model call (R4, R5, R7)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    # The model that is asked; "" takes the default one of the provider.
    name: Annotated[str, Field(max_length=200)] = ""
    # Plain http to another machine shows the key and every prompt to whoever is on the way.
    insecure_http: bool = False
    connect_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 10
    first_token_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30
    try_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120
    retries_max: Annotated[int, Field(ge=0, le=10)] = 3
    # The first wait; each later one is twice as long.
    retry_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1
    # A provider that asks for a longer wait is not waited for: the task ends with its words.
    retry_after_seconds_max: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60
    error_bytes_max: _Positive = 16_384
    # What is kept of a provider's own words about an error.
    error_chars_max: _Positive = 300
    # An answer's bytes as they come: some servers send 300 bytes a token.
    stream_bytes_max: _Positive = 67_108_864
    # The window of the model, output included; set it to what the model really has.
    context_tokens: Annotated[int, Field(ge=8_000)] = 64_000
    output_tokens_max: Annotated[int, Field(ge=256)] = 4_096
    # What the list of skills may take of the system prompt; names go on where descriptions end.
    skills_chars_max: _Positive = 600
    rounds_max: Annotated[int, Field(ge=2, le=50)] = 5
    rounds_min: Annotated[int, Field(ge=1, le=50)] = 2
    thinking: Literal["off", "adaptive", "enabled"] = "off"
    thinking_tokens: Annotated[int, Field(ge=1_024)] = 2_048
    # Whether a marked picture goes along where the page's text leaves too much out: "auto" where
    # the model is known to have eyes, "on" to any.
    pictures: Literal["auto", "on", "off"] = "auto"
    # What both families take; a larger one stays out of the request.
    picture_chars_max: _Positive = 5_000_000
    picture_side_max: _Positive = 8_000
    # Proxies of the environment see every prompt: only on the operator's word.
    proxy: Literal["none", "environment"] = "none"
    profile: Literal["", "openai", "ollama", "vllm", "deepseek", "generic"] = ""
    key_header: Literal["bearer", "x-api-key"] = "bearer"
    anthropic_version: Annotated[str, Field(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")] = ""
    # US dollars per million tokens; 0 takes the built-in list.
    price_input_usd: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0
    price_output_usd: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0


class McpLimits(BaseModel):
    """Bounds of the MCP servers that a task may use (R6)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    servers_max: _Positive = 8
    tools_max: _Positive = 64
    listed_max: _Positive = 1_000
    description_chars_max: _Positive = 1_000
    schema_chars_max: _Positive = 8_000
    start_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 20
    call_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60
    stop_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 2
    arguments_chars_max: _Positive = 100_000
    result_chars_max: _Positive = 20_000
    message_bytes_max: _Positive = 4_194_304
    junk_lines_max: _Positive = 100
    restarts_max: Annotated[int, Field(ge=0)] = 3
    memory_bytes_max: _Positive = 4_294_967_296
    log_bytes_max: _Positive = 1_048_576


class PipeLimits(BaseModel):
    """Bounds of the pipe (P1, P2)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    line_bytes_max: _Positive = 1_048_576
    response_bytes_max: _Positive = 33_554_432
    json_depth_max: _Positive = 64
    queue_lines_max: _Positive = 256
    queue_bytes_max: _Positive = 67_108_864
    protocol_errors_max: _Positive = 8
    ready_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30
    ping_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 15
    exit_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 2
    agent_log_chars_max: _Positive = 4_000
    host_log_bytes_max: _Positive = 16_777_216
    host_log_value_chars_max: _Positive = 200
    panel_text_chars_max: _Positive = 4_000
    held_events_max: _Positive = 200


class BrowserLimits(BaseModel):
    """Bounds of the browser host (P3, O1)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    launch_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60
    cdp_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30
    action_timeout_ms_max: _Positive = 60_000
    wait_ms: _Positive = 10_000
    snapshot_nodes_max: _Positive = 300
    snapshot_chars_max: _Positive = 8_000
    name_chars_max: _Positive = 200
    text_chars_max: _Positive = 20_000
    html_chars_max: _Positive = 40_000
    settle_ms_max: _Positive = 1_000
    screenshot_pixels_max: _Positive = 16_000_000
    screenshot_bytes_max: _Positive = 25_165_824
    som_labels_max: _Positive = 150
    som_pixels_max: _Positive = 2_000_000
    som_bytes_max: _Positive = 1_500_000
    card_picture_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 3
    card_picture_width_px: _Positive = 1_280
    card_picture_height_px: _Positive = 400
    seen_picture_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 5
    cdp_message_bytes_max: _Positive = 268_435_456
    popups_max: _Positive = 20
    downloads_max: _Positive = 20
    download_bytes_max: _Positive = 104_857_600
    upload_files_max: _Positive = 10
    upload_bytes_max: _Positive = 26_214_400
    option_scrolls_max: _Positive = 200
    option_wait_ms: _Positive = 3_000
    download_wait_ms: _Positive = 10_000
    storage_chars_max: _Positive = 100_000
    zombies_max: _Positive = 3
    zombie_seconds_max: _Positive = 300
    zombie_load_ms: _Positive = 30_000
    window_width_px: _Positive = 1280
    window_height_px: _Positive = 900
    proxy_server: _ProxyServer = ""
    demo_head_bytes_max: _Positive = 16_384
    demo_body_bytes_max: _Positive = 65_536
    demo_handshake_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30
    demo_idle_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60
    demo_connections_max: _Positive = 64
    demo_records_max: _Positive = 1_000


class SkillLimits(BaseModel):
    """Bounds of one skill run (S5)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    file_bytes_max: _Positive = 262_144
    run_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 180
    turn_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 20
    start_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 20
    memory_bytes_max: _Positive = 268_435_456
    cpu_seconds_max: _Positive = 60
    calls_max: _Positive = 200
    log_lines_max: _Positive = 500
    log_chars_max: _Positive = 2_000
    line_bytes_max: _Positive = 1_048_576
    result_bytes_max: _Positive = 262_144
    json_depth_max: _Positive = 32
    timers_max: _Positive = 64
    timer_ms_max: _Positive = 30_000


class ErpLimits(BaseModel):
    """Bounds of one change of the ERP (E5, E8)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    card_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 600
    gate_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30
    lease_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30
    watch_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 86_400


class AuditLimits(BaseModel):
    """Bounds of the ledger, its retention and the local log files (M7, A3)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    algorithm: Literal["sha256", "sm3"] = "sha256"
    record_bytes_max: _Positive = 16_777_216
    # The agent waits for the ledger in its loop, so this is also how late an abort may be heard.
    busy_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 3
    head_events_max: _Positive = 20
    head_seconds_max: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30
    segment_events_max: _Positive = 10_000
    segment_seconds_max: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 86_400
    log_file_bytes_max: _Positive = 16_777_216
    log_files_max: _Positive = 64
    log_line_bytes_max: _Positive = 65_536
    pipe_content: bool = False
    query_rows_max: _Positive = 100_000
    query_count_events_max: _Positive = 10_000
    report_pictures_max: _Positive = 5
    upload_attempts_max: _Positive = 5
    upload_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30
    upload_wait_seconds_max: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60
    # Days by class; 0 takes those of the profile.
    retention_profile: Literal["standard", "long"] = "standard"
    operation_days: _Days = 0
    pipe_days: _Days = 0
    model_days: _Days = 0
    archive_days: Annotated[int, Field(gt=0, le=36_500)] = 1_095


class Settings(BaseModel):
    """All bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    task: TaskLimits = TaskLimits()
    pipe: PipeLimits = PipeLimits()
    browser: BrowserLimits = BrowserLimits()
    skill: SkillLimits = SkillLimits()
    erp: ErpLimits = ErpLimits()
    audit: AuditLimits = AuditLimits()
    model: ModelLimits = ModelLimits()
    mcp: McpLimits = McpLimits()


def variable_names() -> Mapping[str, tuple[str, str]]:
    """Return the environment variable of each bound, with its group and field."""
    named: dict[str, tuple[str, str]] = {}
    for group, field in Settings.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            for name in model.model_fields:
                named[f"SGCLAW_{group}_{name}".upper()] = (group, name)
    return named

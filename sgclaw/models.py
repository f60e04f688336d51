"""Make the provider that a task asks, from what the host's init says (R3).

The SDKs and the tokeniser's tables are imported here, and only when a real model is asked for.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from actions.errors import ProviderError
from actions.llm.offline import OfflineProvider
from actions.llm.provider import Provider
from actions.llm.scripted import ScriptedProvider
from prompts.prompt import ToolDefinition
from sgclaw.clock import MonotonicClock, local_today
from sgclaw.keys import key_for
from sgclaw.logs import log_for
from skills.registry import Library
from states.mcp import McpServer, full_name
from states.wire import Init, ProviderSpec

if TYPE_CHECKING:
    from actions.llm.family import Family
    from prompts.compose import PromptFrame


def provider_of(init: Init, skills: Library) -> Provider:
    """Return the provider that *init* names.

    Raises:
        ProviderError: it cannot be made.
    """
    spec = init.provider
    if spec.kind == "offline":
        return OfflineProvider(skills.skills, local_today())
    if spec.kind == "scripted":
        return _scripted(Path(spec.script))
    return _remote(init, skills)


def _scripted(path: Path) -> Provider:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProviderError("script_unreadable", file=path, why=str(error)) from error
    return ScriptedProvider(text, path.name)


def _remote(init: Init, skills: Library) -> Provider:
    from actions.llm.prices import price_of
    from actions.llm.remote import RemoteProvider, Served
    from memory.calibration import FILE_NAME, Calibration

    log, spec = log_for("model"), init.provider
    price = price_of(spec.kind, spec.model, spec.base_url, init.settings.model)
    served = Served(spec.kind, price, Calibration(Path(init.data_dir) / FILE_NAME, log))
    clock = MonotonicClock()
    return RemoteProvider(_family(init), frame_of(init, skills), init.settings, clock, served, log)


def _family(init: Init) -> "Family":
    spec = _with_key(init.provider)
    limits, chars_max = init.settings.model, init.settings.task.model_text_chars_max
    if spec.kind == "claude":
        from actions.llm.claude_family import make_claude

        return make_claude(spec, limits, chars_max)
    from actions.llm.openai_family import make_openai

    return make_openai(spec, limits, chars_max)


def _with_key(spec: ProviderSpec) -> ProviderSpec:
    """Return *spec* with the key of its init line, else with the one that is kept here.

    A host that names an address has decided about the key as well: a key of this machine never
    goes to an address that came from elsewhere.
    """
    if spec.api_key or spec.base_url:
        return spec
    key = key_for(spec.kind, os.environ)
    return spec.model_copy(update={"api_key": key.value}) if key is not None else spec


def frame_of(init: Init, skills: Library) -> "PromptFrame":
    """Return what every model call of the task of *init* begins with."""
    from prompts.compose import PromptFrame, SkillLine

    lines = tuple(
        SkillLine(h.skill, h.version, h.description, h.domains)
        for h in (skill.header for skill in skills.skills)
    )
    return PromptFrame(
        language=init.language,
        trace_id=init.trace_id,
        domains=tuple(init.policy.host_names()),
        skills=lines,
        mcp_tools=tuple(_definitions(init.mcp)),
        settings=init.settings,
    )


def _definitions(servers: Iterable[McpServer]) -> Iterator[ToolDefinition]:
    for server in servers:
        for tool in server.tools:
            name = full_name(server.name, tool.name)
            yield ToolDefinition(name, tool.description, tool.input_schema)

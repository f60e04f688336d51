"""The part of a prompt that stays the same through a task: system text and tools (R2).

Pure and byte-stable, so that a provider's cache finds it again. Templates are the shipped files;
what is filled in is never itself a template, and what others wrote is one stripped line.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prompts.fence import one_line
from prompts.prompt import ToolDefinition
from prompts.tools import outside_tools, own_tools
from states.catalogue import Lang
from states.settings import Settings

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATES = Path(__file__).parent / "templates"

_NAME_CHARS = 64
_HOST_CHARS = 260
_DESCRIPTION_CHARS = 140
_HOSTS_CHARS_MAX = 500
# Names of the skills that found no room are told in a third of the room again.
_NAMES_SHARE = 3


class SkillLine(NamedTuple):
    """What the list of skills says of one; its words are its author's."""

    name: str
    version: str
    description: str
    domains: tuple[str, ...]


@dataclass(frozen=True)
class PromptFrame:
    """What every model call of one task begins with; *domains* are hosts of the policy."""

    language: Lang
    trace_id: str
    domains: tuple[str, ...] = ()
    skills: tuple[SkillLine, ...] = ()
    mcp_tools: tuple[ToolDefinition, ...] = ()
    settings: Settings = field(default_factory=Settings)

    def system(self, squeeze: int = 0) -> str:
        """Return the system text; with *squeeze* it names skills and describes none."""
        return self._short if squeeze else self._whole

    @cached_property
    def tools(self) -> tuple[ToolDefinition, ...]:
        """Return sgclaw's own tools, then those of MCP servers by name.

        Raises:
            ValueError: an MCP tool has no free name.
        """
        outside = outside_tools(self.mcp_tools, self.settings.mcp, self.language)
        return own_tools(self.language) + outside

    @cached_property
    def _whole(self) -> str:
        return self._rendered(described=True)

    @cached_property
    def _short(self) -> str:
        return self._rendered(described=False)

    def _rendered(self, *, described: bool) -> str:
        room = self.settings.model.skills_chars_max
        rooms = (room, room // _NAMES_SHARE) if described else (0, room)
        lines, names = _listed(self.skills, *rooms)
        values: Mapping[str, Any] = {
            "trace_id": one_line(self.trace_id, _NAME_CHARS),
            "hosts": _joined(
                [one_line(host, _HOST_CHARS) for host in self.domains], _HOSTS_CHARS_MAX
            ),
            "skills": lines,
            "names": names,
            "outside": bool(self.mcp_tools),
        }
        return _template(self.language).render(values).rstrip("\n")


def _listed(
    skills: tuple[SkillLine, ...], described_chars: int, names_chars: int
) -> tuple[list[str], str]:
    """Return the lines of the first skills, as many as fit, and the names of the others."""
    lines: list[str] = []
    for skill in skills:
        line = _line(skill)
        described_chars -= len(line)
        if described_chars < 0:
            break
        lines.append(line)
    names = [one_line(skill.name, _NAME_CHARS) for skill in skills[len(lines) :]]
    return lines, _joined(names, names_chars)


def _line(skill: SkillLine) -> str:
    name, version = one_line(skill.name, _NAME_CHARS), one_line(skill.version, _NAME_CHARS)
    where = _joined([one_line(host, _HOST_CHARS) for host in skill.domains], _HOST_CHARS)
    # Quoted, so that no description passes for the line's own words.
    words = json.dumps(one_line(skill.description, _DESCRIPTION_CHARS), ensure_ascii=False)
    return f"{name} v{version} ({where}): {words}"


def _joined(names: list[str], chars_max: int) -> str:
    """Return *names* with commas, as many as fit, and how many more there are."""
    text = ""
    for index, name in enumerate(names):
        if len(text) + len(name) > chars_max:
            return f"{text} (+{len(names) - index})".lstrip()
        text += f", {name}" if text else name
    return text


@cache
def _template(lang: Lang) -> "Template":
    # Read at the first task that needs it: most commands never make a prompt.
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        undefined=StrictUndefined,
        # A model reads it, no browser: an escape would only be one more thing to misread.
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(f"system.{lang}.j2")

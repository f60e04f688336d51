"""The JSDoc header of a skill file: a strict reader that accepts one spelling only.

The header is the first thing in the file, at byte 0. What a lenient reader would forgive - a
second header, a repeated tag, a trailing word - is what two readers would read differently, so
it is refused. Parameters are checked in `skills.params`.
"""

import re
import unicodedata

from pydantic import ValidationError

from engine.pipe.errors import ProtocolViolationError
from engine.pipe.strict_json import parse_object
from skills.errors import SkillHeaderError
from skills.schema import check_schema
from states.settings import SkillLimits
from states.skill import SkillHeader

TAGS = ("skill", "version", "description", "domains", "author", "params")
AUTHOR_CHARS_MAX = 200
_REQUIRED = ("skill", "version", "description", "domains", "params")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_VERSION = re.compile(r"[0-9]{1,5}\.[0-9]{1,5}\.[0-9]{1,5}")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_TAG = re.compile(r"@([A-Za-z]+)(?: +(.*))?")
_OPENING, _CLOSING = "/**", " */"
_SHOWN_CHARS = 80


def parse_header(source: bytes, limits: SkillLimits | None = None) -> SkillHeader:
    """Return the header of the skill file *source*.

    Raises:
        SkillHeaderError: the file does not begin with a header of exactly the agreed form.
    """
    limits = limits or SkillLimits()
    if len(source) > limits.file_bytes_max:
        raise SkillHeaderError("skill_file_too_large", file="*.js", bytes_max=limits.file_bytes_max)
    fields, params = _split(_header_lines(source))
    for tag in _REQUIRED:
        if tag != "params" and tag not in fields:
            raise SkillHeaderError("skill_header_missing_tag", tag=tag)
    if params is None:
        raise SkillHeaderError("skill_header_missing_tag", tag="params")
    try:
        schema = parse_object(params, limits.json_depth_max)
    except ProtocolViolationError as error:
        raise SkillHeaderError("skill_header_params_json", why=error) from error
    _check_fields(fields)
    check_schema(schema)
    try:
        return SkillHeader(
            skill=fields["skill"],
            version=fields["version"],
            description=fields["description"],
            domains=tuple(_domains(fields["domains"])),
            author=fields.get("author", ""),
            params=schema,
        )
    except ValidationError as error:  # the model is never laxer than the checks above
        raise SkillHeaderError("skill_header_schema", why=str(error.errors()[0]["msg"])) from error


def _header_lines(source: bytes) -> list[str]:
    """Return the lines between `/**` and ` */`, without their stars."""
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        raise SkillHeaderError("skill_header_not_utf8") from None
    # Line ends are normalised for reading only: the hash covers the bytes as they are.
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0] != _OPENING:
        raise SkillHeaderError("skill_header_missing")
    inner: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        if line == _CLOSING:
            return inner
        if line != " *" and not line.startswith(" * "):
            raise SkillHeaderError("skill_header_line", line=number)
        _refuse_invisible(line, number)
        if "*/" in line:  # the engine would end the comment here
            raise SkillHeaderError("skill_header_line", line=number)
        inner.append(line[3:])
    raise SkillHeaderError("skill_header_unclosed")


def _refuse_invisible(line: str, number: int) -> None:
    for char in line:
        # Controls, bidi overrides and zero-width, separators at which the engine ends a line.
        if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}:
            shown = f"U+{ord(char):04X}"
            raise SkillHeaderError("skill_header_character", line=number, character=shown)


def _split(lines: list[str]) -> tuple[dict[str, str], str | None]:
    """Return the plain fields, and the text behind @params, which runs to the end."""
    fields: dict[str, str] = {}
    current = ""
    for number, line in enumerate(lines, start=2):
        if not line.startswith("@"):
            _continue(fields, current, line, number)
            continue
        found = _TAG.fullmatch(line)
        tag = found[1] if found else line[1:_SHOWN_CHARS]
        if found is None or tag not in TAGS:
            known = ", ".join(f"@{name}" for name in TAGS)
            raise SkillHeaderError("skill_header_unknown_tag", line=number, tag=tag, known=known)
        if tag in fields:
            raise SkillHeaderError("skill_header_repeated_tag", line=number, tag=tag)
        if tag == "params":
            return fields, "\n".join([found[2] or "", *lines[number - 1 :]])
        fields[tag] = (found[2] or "").strip(" ")
        current = tag
    return fields, None


def _continue(fields: dict[str, str], tag: str, line: str, number: int) -> None:
    text = line.strip(" ")
    if not text:
        return
    if not tag:
        raise SkillHeaderError("skill_header_text_before_tags", line=number)
    if tag != "description":
        raise SkillHeaderError("skill_header_continuation", line=number, tag=tag)
    fields[tag] = _joined(fields[tag], text)


def _joined(before: str, after: str) -> str:
    """Join two lines of prose: Chinese runs on, other scripts get a space."""
    wide = before and all(
        unicodedata.east_asian_width(char) in "WF" for char in before[-1] + after[0]
    )
    return before + after if wide or not before else f"{before} {after}"


def _check_fields(fields: dict[str, str]) -> None:
    name, version = fields["skill"], fields["version"]
    if len(name) > 64 or not _NAME.fullmatch(name):  # noqa: PLR2004  (SkillName's own bound)
        raise SkillHeaderError("skill_header_name", value=_shown(name))
    if not _VERSION.fullmatch(version):
        raise SkillHeaderError("skill_header_version", value=_shown(version))
    length = len(fields["description"])
    if not 1 <= length <= 1024:  # noqa: PLR2004  (SkillHeader's own bound)
        raise SkillHeaderError("skill_header_description", length=length)
    if len(fields.get("author", "")) > AUTHOR_CHARS_MAX:
        raise SkillHeaderError("skill_header_author", length=len(fields["author"]))


def _domains(text: str) -> list[str]:
    domains = [part.strip(" ") for part in text.split(",")]
    for host in domains:
        if not _HOST.fullmatch(host) or ".." in host or domains.count(host) > 1:
            raise SkillHeaderError("skill_header_domains", value=_shown(host))
    if len(domains) > 50:  # noqa: PLR2004  (SkillHeader's own bound)
        raise SkillHeaderError("skill_header_domains", value=f"{len(domains)} hosts")
    return domains


def _shown(text: str) -> str:
    return repr(text[:_SHOWN_CHARS])

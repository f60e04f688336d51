"""What `sgclaw audit query` asks for: each option checked, before a ledger is opened (A4)."""

import argparse
import re
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from guards.policy import domain_of
from memory.audit_query import Query
from memory.facts import CHARS_MAX, OUTCOMES, VERDICTS, plain
from prompts.tools import OWN_TOOLS
from sgclaw.errors import UsageError
from sgclaw.trace import is_trace
from states.catalogue import Lang, words
from states.policy import ACTIONS, NEVER_ACTIONS
from states.settings import AuditLimits

LIMIT = 100
# What a model or a skill can ask for, and what is refused by name; the last stands for the tools
# of MCP servers, whose names are their servers' own.
_ANY_TOOL = "mcp__SERVER__TOOL"
_TOOL = re.compile(r"mcp__[a-z][a-z0-9-]*__[A-Za-z0-9_-]+")
CALLS = (*ACTIONS, *OWN_TOOLS[1:], *sorted(NEVER_ACTIONS), _ANY_TOOL)
_OFFSET_MAX = 1_000_000_000
_BACK = re.compile(r"([0-9]{1,6})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = timedelta(milliseconds=1)
_NO_HOST = frozenset("/\\?#@")


class Asked(NamedTuple):
    """A checked question; *options* are its filters as options that ask the same again."""

    query: Query
    limit: int
    offset: int
    options: tuple[tuple[str, str], ...]

    def text(self, lang: Lang) -> str:
        """Return in one line what is looked for."""
        said = ", ".join(f"{option[2:]} = {value}" for option, value in self.options)
        return said or words("audit_query_anything", lang)

    def command_after(self, shown: int, newest: str, words_before: Sequence[str] = ()) -> str:
        """Return the command that shows what comes after *shown* events of this question.

        *newest* is the time of its very first event, "" if unknown: with it, what is written in
        the meantime moves nothing.
        """
        options = dict(self.options)
        if newest and self.offset == 0 and "--trace" not in options:
            options.setdefault("--until", newest)
        page = {"--limit": str(self.limit), "--offset": str(self.offset + shown)}
        pairs = [word for pair in {**options, **page}.items() for word in pair]
        return shlex.join(["sgclaw", "audit", "query", *pairs, *words_before])


def asked_from(given: argparse.Namespace, limits: AuditLimits, now: datetime) -> Asked:
    """Return what the options *given* ask for, seen from the moment *now*.

    Raises:
        UsageError: one cannot be understood; it names the option and what it takes.
    """
    options: dict[str, str] = {}
    since = before = ""
    if given.since is not None:
        first, _ = _when("--since", given.since, now)
        since, options["--since"] = _written(first), _shown(first)
    if given.until is not None:
        first, length = _when("--until", given.until, now)
        end = _later(first, length)
        before, options["--until"] = _written(end), _shown(end - _MOMENT)
        if since and since >= before:
            raise UsageError(
                "audit_query_order", since=plain(given.since), until=plain(given.until)
            )
    for name in ("trace", "user", "domain", "action", "verdict", "skill", "outcome"):
        value = getattr(given, name)
        if value is not None:
            options[f"--{name}"] = _checked(name, value)
    query = Query(
        since, before,
        trace_id=options.get("--trace", ""), user_name=options.get("--user", ""),
        domain=options.get("--domain", ""), action=options.get("--action", ""),
        verdict=options.get("--verdict", ""), skill=options.get("--skill", ""),
        outcome=options.get("--outcome", ""),
    )  # fmt: skip
    limit = _number("--limit", given.limit, 1, limits.query_rows_max)
    offset = _number("--offset", given.offset, 0, _OFFSET_MAX)
    return Asked(query, limit, offset, tuple(options.items()))


def back_from(value: str, now: datetime) -> str:
    """Return the moment that *value*, as `7d`, lies back from *now*, as the ledger writes times.

    What has another form comes back as it is.
    """
    back = _BACK.fullmatch(value)
    if back is None:
        return value
    try:
        return _written(now - timedelta(**{_UNITS[back[2]]: int(back[1])}))
    except (ValueError, OverflowError):
        return value


def _checked(name: str, value: str) -> str:
    option = f"--{name}"
    if not value or len(value) > CHARS_MAX or not value.isprintable():
        shown = f"“{plain(value)}”"
        raise UsageError("audit_query_text", option=option, max=CHARS_MAX, value=shown)
    if name == "trace" and not is_trace(value):
        raise UsageError("audit_query_trace", option=option, value=value)
    if name == "domain":
        return _domain(option, value)
    if name == "action" and _TOOL.fullmatch(value):
        return value
    allowed = {"action": CALLS, "verdict": VERDICTS, "outcome": OUTCOMES}.get(name)
    return value if allowed is None else _choice(option, value, allowed)


def _choice(option: str, value: str, allowed: Sequence[str]) -> str:
    found = {each.lower(): each for each in allowed}.get(value.lower())
    if found is None:
        known = ", ".join(allowed)
        raise UsageError("audit_query_choice", option=option, allowed=known, value=value)
    return found


def _domain(option: str, value: str) -> str:
    """Return *value* as the ledger spells hosts: lower case, punycode, no port of the scheme."""
    url = value if "://" in value else f"https://{value}"
    found = "" if "://" not in value and _NO_HOST & set(value) else domain_of(url)
    if not found:
        raise UsageError("audit_query_domain", option=option, value=value)
    return found


def _number(option: str, value: str, least: int, most: int) -> int:
    is_number = value.isascii() and value.isdigit() and len(value) <= len(str(most))
    if not is_number or not least <= int(value) <= most:
        raise UsageError(
            "audit_query_number", option=option, least=least, most=most, value=plain(value)
        )
    return int(value)


def _when(option: str, value: str, now: datetime) -> tuple[datetime, timedelta]:
    """Return the moment at which *value* begins, in UTC, and how long it is."""
    try:
        if back := _BACK.fullmatch(value):
            return now - timedelta(**{_UNITS[back[2]]: int(back[1])}), _MOMENT
        if _DAY.fullmatch(value):
            return datetime.fromisoformat(value).replace(tzinfo=UTC), timedelta(days=1)
        found = datetime.fromisoformat(value)
        return _in_utc(found), _MOMENT
    except (ValueError, OverflowError) as error:
        raise UsageError("audit_query_when", option=option, value=plain(value)) from error


def _in_utc(found: datetime) -> datetime:
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _later(first: datetime, length: timedelta) -> datetime:
    try:
        return first + length
    except OverflowError:  # the last day there is: as good as no end
        return datetime.max.replace(tzinfo=UTC)


def _written(moment: datetime) -> str:
    """Return *moment* as the ledger writes times, so that texts compare as times do."""
    return moment.isoformat(timespec="milliseconds")


def _shown(moment: datetime) -> str:
    return _written(moment).replace("+00:00", "Z")

"""What the verbs of `sgclaw mcp` do; `sgclaw.commands.mcp` declares them."""

import argparse
import asyncio
import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from actions.mcp.approval import candidates
from actions.mcp.clean import is_unseen, one_line, visible
from actions.mcp.errors import McpError
from actions.mcp.pool import pin_or_none
from actions.mcp.session import McpSession
from sgclaw.errors import EXIT_FAILED, EXIT_OK, RefusedError, UsageError
from sgclaw.keys import VARIABLES
from sgclaw.mcp_store import change_servers, load_servers, mcp_path
from sgclaw.printer import Printer, cli_language
from sgclaw.settings import load_settings
from states.catalogue import Lang, words
from states.mcp import McpServer, McpTool, ToolOffer, full_name
from states.secrets import strike
from states.settings import McpLimits

_YES = frozenset({"y", "yes", "是", "同意"})
_SHOWN_CHARS = 200
# What cannot be used although it was approved: the list then ends with 1.
_BROKEN = frozenset({"changed", "gone", "unknown"})


class _Look(NamedTuple):
    """What one start of a server showed."""

    offers: tuple[ToolOffer, ...] = ()
    error: McpError | None = None


def add_server(given: argparse.Namespace, printer: Printer) -> int:
    """Write a new server into the file, start it once and show its tools."""
    lang, path = cli_language(), mcp_path()
    server = _server_of(given)

    def with_new(servers: tuple[McpServer, ...]) -> tuple[McpServer, ...]:
        if any(one.name == given.name for one in servers):
            raise UsageError("mcp_server_exists", server=given.name)
        return (*servers, server)

    change_servers(path, with_new)
    printer.line(words("mcp_added", lang, server=server.name, path=path))
    look = _looks([server], _limits())[0]
    rows = _rows(server, look)
    if printer.as_json:
        printer.document({"file": str(path), "server": _document(server, look, rows)})
    if look.error is not None:
        printer.error(look.error.text(lang))
        return EXIT_FAILED
    for offer, _ in candidates(look.offers, _limits()):
        _show(offer, server, printer)
    printer.line(words("mcp_now_approve", lang, server=server.name))
    return EXIT_OK


def list_servers(given: argparse.Namespace, printer: Printer) -> int:
    """Show each server, and what became of its tools."""
    lang, path = cli_language(), mcp_path()
    servers = load_servers(path)
    looks: Sequence[_Look | None] = [None] * len(servers)
    if not given.no_start:
        looks = _looks(servers, _limits())
    shown = [
        (server, look, _rows(server, look)) for server, look in zip(servers, looks, strict=True)
    ]
    if printer.as_json:
        printer.document({"file": str(path), "servers": [_document(*one) for one in shown]})
    elif not servers:
        printer.line(words("mcp_none", lang, path=path))
    broken = False
    for server, look, rows in shown:
        printer.line(f"{server.name}  {one_line(strike(shlex.join(server.command)), _SHOWN_CHARS)}")
        if look is not None and look.error is not None:
            broken = True
            printer.line("    " + look.error.text(lang))
        for row in rows:
            broken = broken or row["status"] in _BROKEN
            printer.line(f"    {row['name']}  {_status_text(row, lang)}")
    return EXIT_FAILED if broken else EXIT_OK


def approve_tools(given: argparse.Namespace, printer: Printer) -> int:
    """Show tools of one server to a person, and allow those that are agreed to."""
    lang, path, limits = cli_language(), mcp_path(), _limits()
    server = _named(load_servers(path), given.name)
    if not given.yes and (printer.as_json or not sys.stdin.isatty()):
        raise UsageError("mcp_needs_terminal")
    look = _looks([server], limits)[0]
    if look.error is not None:
        raise look.error
    found = candidates(look.offers, limits, read_only=given.read_only)
    _check_offered(given.tools, found, server)
    agreed: list[McpTool] = []
    refused: list[dict[str, str]] = []
    for offer, tool in found:
        if given.tools and offer.name not in given.tools:
            continue
        _show(offer, server, printer)
        if isinstance(tool, McpError):
            printer.error("    " + tool.text(lang))
            refused.append({"name": one_line(offer.name, 128), "code": tool.code})
        elif given.yes or _says_yes(tool, printer):
            agreed.append(tool)
    if agreed:
        change_servers(path, lambda now: _with_agreed(now, server, agreed))
    names = ", ".join(tool.name for tool in agreed)
    if printer.as_json:
        names_read_only = [{"name": tool.name, "read_only": tool.read_only} for tool in agreed]
        printer.document({"server": server.name, "approved": names_read_only, "refused": refused})
    printer.line(words("mcp_approved", lang, server=server.name, names=names or "-"))
    return EXIT_FAILED if refused and (given.tools or given.yes) else EXIT_OK


def remove_server(given: argparse.Namespace, printer: Printer) -> int:
    """Forget a server, or the approval of some of its tools."""
    lang, path = cli_language(), mcp_path()
    _named(load_servers(path), given.name)  # nothing is made for a name that nobody knows
    change_servers(path, lambda servers: _without(servers, given.name, given.tools))
    names = given.tools or [given.name]
    if printer.as_json:
        printer.document({"server": given.name, "removed": names})
    printer.line(words("mcp_removed", lang, names=", ".join(names)))
    return EXIT_OK


def _server_of(given: argparse.Namespace) -> McpServer:
    keys = sorted(set(given.env) & set(VARIABLES.values()))
    if keys:
        raise UsageError("mcp_env_key", name=keys[0])
    program = given.words[0]
    if os.sep in program and given.cwd is None:
        program = str(Path(program).absolute())  # a task may run in another folder
    try:
        return McpServer(
            name=given.name,
            command=(program, *given.words[1:]),
            env=tuple(given.env),
            cwd=str(given.cwd.absolute()) if given.cwd else "",
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError("mcp_server_wrong", where=where, why=first["msg"]) from error


def _check_offered(
    names: Sequence[str], found: Sequence[tuple[ToolOffer, McpTool | McpError]], server: McpServer
) -> None:
    for name in names:
        if all(offer.name != name for offer, _ in found):
            raise UsageError("mcp_not_offered", server=server.name, tool=one_line(name, 80))


def _with_agreed(
    servers: Sequence[McpServer], seen: McpServer, agreed: Sequence[McpTool]
) -> list[McpServer]:
    """Return *servers* as they stand now with *agreed* approved, which were *seen* at one of them.

    Raises:
        RefusedError: that server, or the approval of one of these tools, is another one by now.
    """
    names = {tool.name for tool in agreed}
    now = next((server for server in servers if server.name == seen.name), None)
    if now is None or _place(now, names) != _place(seen, names):
        raise RefusedError("mcp_server_changed", server=seen.name)
    tools = (*(tool for tool in now.tools if tool.name not in names), *agreed)
    kept = sorted(tools, key=lambda tool: tool.name)
    others = sum(len(one.tools) for one in servers if one is not now)
    most = _limits().tools_max
    if others + len(kept) > most:
        raise UsageError("mcp_too_many_approved", most=most)
    # Made anew, not copied: a copy is not validated.
    approved = McpServer(**{**dict(now), "tools": tuple(kept)})
    return [approved if one is now else one for one in servers]


def _place(server: McpServer, names: set[str]) -> McpServer:
    """Return *server* with those of its approvals only that are called by *names*."""
    tools = tuple(tool for tool in server.tools if tool.name in names)
    return server.model_copy(update={"tools": tools})


def _without(servers: Sequence[McpServer], name: str, tools: Sequence[str]) -> list[McpServer]:
    """Return *servers* without *tools* of the server *name*, or without that server."""
    server = _named(servers, name)
    for tool in tools:
        if all(approved.name != tool for approved in server.tools):
            raise UsageError("mcp_not_approved", server=name, tool=one_line(tool, 80))
    left = tuple(tool for tool in server.tools if tool.name not in tools)
    kept = server.model_copy(update={"tools": left})
    return [kept if one is server else one for one in servers if tools or one is not server]


def _says_yes(tool: McpTool, printer: Printer) -> bool:
    key = "mcp_ask_read_only" if tool.read_only else "mcp_ask"
    printer.line(words(key, cli_language(), tool=tool.name))
    return sys.stdin.readline().strip().casefold() in _YES


def _show(offer: ToolOffer, server: McpServer, printer: Printer) -> None:
    """Print *offer* for a person: nothing in it is hidden, nothing moves the cursor."""
    lang: Lang = cli_language()
    limits = _limits()
    description = offer.description or ""
    shown = visible(description[: limits.description_chars_max])
    printer.line()
    printer.line(f"  {one_line(offer.name, 128)}  ({full_name(server.name, offer.name)})")
    for line in shown.splitlines():
        printer.line("    " + line)
    if len(description) > limits.description_chars_max:
        printer.line("    " + words("mcp_shown_cut", lang, most=limits.description_chars_max))
    if any(map(is_unseen, description)):
        printer.line("    " + words("mcp_shown_unseen", lang))
    schema = json.dumps(offer.input_schema, ensure_ascii=False, indent=2)
    for line in visible(schema[: 2 * limits.schema_chars_max]).splitlines():
        printer.line("    " + line)


def _rows(server: McpServer, look: _Look | None) -> list[dict[str, Any]]:
    """Return each tool that was approved or is offered, with what became of it."""
    offers = {offer.name: offer for offer in look.offers} if look else {}
    doubled = {name for name in offers if look and [o.name for o in look.offers].count(name) > 1}
    rows: list[dict[str, Any]] = []
    for tool in server.tools:
        status = "read_only" if tool.read_only else "asks"
        if look is not None:
            if look.error is not None:
                status = "unknown"
            elif tool.name not in offers:
                status = "gone"
            elif tool.name in doubled or pin_or_none(offers[tool.name]) != tool.pin:
                status = "changed"
        rows.append(_row(server, tool.name, status))
    approved = {tool.name for tool in server.tools}
    for offer, tool_or_why in candidates(look.offers if look else (), _limits()):
        if offer.name not in approved:
            status = "unfit" if isinstance(tool_or_why, McpError) else "new"
            rows.append(_row(server, offer.name, status))
    return rows


def _status_text(row: dict[str, Any], lang: Lang) -> str:
    return words(f"mcp_is_{row['status']}", lang, server=row["server"], name=row["name"])


def _row(server: McpServer, name: str, status: str) -> dict[str, Any]:
    shown = one_line(name, 128)
    full = full_name(server.name, name)
    return {"server": server.name, "name": shown, "full_name": full, "status": status}


def _document(server: McpServer, look: _Look | None, rows: list[dict[str, Any]]) -> dict[str, Any]:
    error = look.error if look else None
    return {
        "name": server.name,
        "command": [strike(word) for word in server.command],
        "env": list(server.env),
        "cwd": server.cwd,
        "reachable": None if look is None else error is None,
        "why": error.text(cli_language()) if error else "",
        "tools": [{key: row[key] for key in ("name", "full_name", "status")} for row in rows],
    }


def _named(servers: Sequence[McpServer], name: str) -> McpServer:
    for server in servers:
        if server.name == name:
            return server
    known = ", ".join(server.name for server in servers) or "-"
    raise UsageError("mcp_server_unknown", server=one_line(name, 80), known=known)


def _looks(servers: Sequence[McpServer], limits: McpLimits) -> list[_Look]:
    async def all_of_them() -> list[_Look]:
        return await asyncio.gather(*(_look(server, limits) for server in servers))

    return asyncio.run(all_of_them())


async def _look(server: McpServer, limits: McpLimits) -> _Look:
    session = McpSession(server, limits, _no_log, os.environ)
    try:
        await session.start()
    except McpError as error:
        return _Look(error=error)
    try:
        return _Look(session.offers)
    finally:
        await session.close()


def _limits() -> McpLimits:
    return load_settings(os.environ).mcp


def _no_log(event: str, **fields: object) -> None:
    """Forget it: what matters is in the error."""

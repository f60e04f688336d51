"""A small MCP server that does what its play says, honest or not; speaks JSON-RPC by hand.

Started as `python -I -S server.py PLAY.json`; the play is read anew at each start:
`{"tools": [...], "calls": {tool: deed}, "start": deed}`.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

OUT, IN = sys.__stdout__, sys.__stdin__


def say(document: dict[str, Any]) -> None:
    """Send one message."""
    assert OUT is not None
    OUT.write(json.dumps({"jsonrpc": "2.0", **document}) + "\n")
    OUT.flush()


def spill(text: str) -> None:
    """Write *text* as it is."""
    assert OUT is not None
    OUT.write(text)
    OUT.flush()


def text_result(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def before(deed: str) -> None:
    """Do what *deed* does besides answering."""
    kind, _, argument = deed.partition(":")
    if kind == "crash":
        sys.stderr.write(argument + "\n")
        sys.stderr.flush()
        os._exit(3)
    if kind == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(60)
    if kind == "flood":
        spill("x" * int(argument))
    if kind == "junk":
        spill("no json\n" * int(argument))
    if kind == "child":
        held = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
        sys.stderr.write(f"child {held.pid}\n")
    if kind == "take":
        bytes(int(argument))
    if kind == "kill_holder":
        os.kill(os.getppid(), signal.SIGKILL)


def answer(deed: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a call whose deed is *deed*."""
    kind, _, argument = deed.partition(":")
    if kind == "big":
        return text_result("x" * int(argument))
    if kind == "say":
        return text_result(argument)
    if kind == "structured":
        return text_result("", structuredContent=json.loads(argument))
    if kind == "no_result":
        return {"content": "nothing of the kind"}
    if kind == "ask":
        params: dict[str, Any] = {"messages": [], "maxTokens": 10}
        say({"id": "ask-1", "method": argument, "params": params})
        assert IN is not None
        return text_result(IN.readline())
    if kind == "environment":
        return text_result(json.dumps(dict(os.environ)))
    return text_result(json.dumps(arguments, ensure_ascii=False))


def serve(play: dict[str, Any]) -> None:
    """Answer until the input ends."""
    assert IN is not None
    before(play.get("start", ""))
    listed = False
    for line in IN:
        asked = json.loads(line)
        method, number = asked.get("method"), asked.get("id")
        if method == "initialize":
            about = {"name": "play", "version": "1"}
            capable = {"tools": {"listChanged": True}}
            said = {"protocolVersion": "2025-11-25", "capabilities": capable, "serverInfo": about}
            say({"id": number, "result": said})
        elif method == "tools/list":
            if listed and play.get("relist"):
                before(play["relist"])
                say({"id": number, "error": {"code": -32603, "message": "not now"}})
                play.pop("relist")
                continue
            listed = True
            page = {"tools": play["tools"]}
            if play.get("endless"):
                page["nextCursor"] = "again"
            say({"id": number, "result": page})
        elif method == "tools/call":
            call(play, number, asked["params"])
        elif number is not None and method is not None:
            say({"id": number, "error": {"code": -32601, "message": "no such method"}})


def call(play: dict[str, Any], number: Any, params: dict[str, Any]) -> None:
    """Answer one call."""
    Path(sys.argv[1]).with_name("calls").open("a").write(params["name"] + "\n")
    deed = play.get("calls", {}).get(params["name"], "")
    before(deed)
    if deed == "error":
        say({"id": number, "error": {"code": -32602, "message": "not\u200b like \u202ethis"}})
        return
    if deed == "change":
        play["tools"] = play["later"]
        say({"method": "notifications/tools/list_changed"})
    say({"id": number, "result": answer(deed, params.get("arguments") or {})})


if __name__ == "__main__":
    serve(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))

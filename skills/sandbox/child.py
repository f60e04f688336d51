"""The skill child: one V8 isolate behind a JSON pipe, for one skill run, then killed.

Started as `python -I -S -B child.py <options>`; imports the standard library and
py_mini_racer only. It limits itself before it reads a single byte of skill. Each line it
is sent is one turn and is answered by exactly one line: what the turn and its microtasks did.
"""

import asyncio
import contextlib
import ctypes
import importlib.util
import json
import os
import secrets
import signal
import sys
from pathlib import Path
from typing import Any

# What matters most stands first: V8 drops everything behind a flag that it does not know.
V8_FLAGS = (
    "--single-threaded",
    "--jitless",
    "--disallow-code-generation-from-strings",
    "--stack-size=500",
)
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_READ_BYTES = 1 << 16


def main() -> int:
    """Serve one skill run; return the exit code."""
    options = json.loads(sys.argv[1])
    _die_with_parent(options["parent_pid"])
    _limit_resources(options["memory_bytes_max"], options["cpu_seconds_max"])
    racer = _load_racer(options["racer"])
    return asyncio.run(_serve(racer, options))


def _die_with_parent(parent_pid: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if os.getppid() != parent_pid:  # it was gone before the signal was asked for
        os._exit(0)


def _limit_resources(memory_bytes_max: int, cpu_seconds_max: int) -> None:
    try:
        import resource  # not on Windows
    except ImportError:
        return
    # RLIMIT_AS is of no use: V8 reserves about 1.4 TB of addresses.
    limits = [
        (resource.RLIMIT_DATA, memory_bytes_max),
        (resource.RLIMIT_CPU, cpu_seconds_max),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ]
    for which, value in limits:
        resource.setrlimit(which, (value, value))


def _close_the_door() -> None:
    """Allow no new file, socket, thread or child from here on; what is open stays open."""
    try:
        import resource  # not on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    with contextlib.suppress(AttributeError, ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def _load_racer(folder: str) -> Any:
    """Import py_mini_racer from *folder* without putting site-packages on the path."""
    spec = importlib.util.spec_from_file_location(
        "py_mini_racer", Path(folder) / "__init__.py", submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError(folder)
    module = importlib.util.module_from_spec(spec)
    sys.modules["py_mini_racer"] = module
    spec.loader.exec_module(module)
    return module


async def _serve(racer: Any, options: dict[str, Any]) -> int:
    pump = (Path(__file__).parent / "pump.js").read_text(encoding="utf-8")
    # A lexical name cannot be listed, and nobody guesses 128 random bits.
    host = f"host_{secrets.token_hex(16)}"
    racer.init_mini_racer(flags=V8_FLAGS)
    with racer.mini_racer() as engine:
        engine.eval(f"const {host} = {pump}({json.dumps(options['limits'])});0")
        missed = engine.eval(f"{host}.missed")
        if missed:
            _write(json.dumps({"t": "unsafe", "what": str(missed)}))
            return 3
        _close_the_door()
        _write('{"t":"ready"}')
        for line in _lines():
            try:
                _turn(engine, host, json.loads(line))
            except racer.JSEvalException as error:
                engine.eval(f"{host}.refuse({json.dumps(str(error))});0")
            # Microtasks ran when the turn's evaluation ended, so one drain sees all of it.
            _write(engine.eval(f"{host}.drain()"))
    return 0


def _turn(engine: Any, host: str, message: dict[str, Any]) -> None:
    kind = message["t"]
    if kind == "start":
        # Unwrapped, so that a stack names the file's own lines.
        engine.eval(f"{message['source']}\n;0\n//# sourceURL={message['name']}.js")
        execute = "typeof execute === 'undefined' ? undefined : execute"
        engine.eval(f"{host}.start({execute}, {json.dumps(message['params'])});0")
    elif kind == "answer":
        ok = "true" if message["ok"] else "false"
        engine.eval(f"{host}.answer({int(message['id'])}, {ok}, {json.dumps(message['text'])});0")
    elif kind == "fire":
        engine.eval(f"{host}.fire({int(message['id'])});0")


def _lines() -> Any:
    """Yield the lines of standard input; blocking reads, since there is nothing else to do."""
    held = b""
    while True:
        chunk = os.read(0, _READ_BYTES)
        if not chunk:
            return
        held += chunk
        *complete, held = held.split(b"\n")
        yield from complete


def _write(text: str) -> None:
    rest = memoryview(text.encode("utf-8", "surrogatepass") + b"\n")
    while rest:
        rest = rest[os.write(1, rest) :]


if __name__ == "__main__":
    os._exit(main())

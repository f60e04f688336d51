"""The host's link owns the agent's process group: it starts clean, and it is gone for sure."""

import asyncio
import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from browser.host.agent_errors import AgentLostError, AgentMissingError, AgentNotReadyError
from browser.host.agent_link import AgentLink, agent_environment, agent_program, start_agent
from engine.pipe.errors import PipeError
from states.policy import Policy
from states.settings import PipeLimits
from states.wire import PROTOCOL_VERSION, Init

INIT = Init(
    protocol=PROTOCOL_VERSION,
    trace_id="sgclaw-20260303-a1b2c3d4",
    session_id="session-1",
    key="ab" * 32,
    policy=Policy(version=1, hosts=()),
)
LIMITS = PipeLimits(exit_seconds=5)
READY = (
    "import json,os,sys\n"
    "init=json.loads(sys.stdin.buffer.readline())\n"
    "def say(**m): os.write(1, json.dumps(m).encode()+b'\\n')\n"
    "say(type='ready',protocol=init['protocol'],version='1',pid=os.getpid(),"
    "trace_id=init['trace_id'])\n"
)
UNTIL_EOF = "while sys.stdin.buffer.readline(): pass\n"


class Agent:
    """A link to a real child that runs *source*, and what it wrote on stderr."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def start(self, source: str, limits: PipeLimits = LIMITS) -> AgentLink:
        command = (sys.executable, "-c", source)
        return await start_agent(limits, os.environ, self.lines.append, command)


def running(pid: int) -> bool:
    """Tell whether *pid* still runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def gone(pid: int) -> None:
    while running(pid):  # noqa: ASYNC110 - nothing tells a stranger's end
        await asyncio.sleep(0.02)


async def test_an_agent_is_greeted_and_leaves_when_asked() -> None:
    link = await Agent().start(READY + UNTIL_EOF)
    ready = await link.greet(INIT)
    assert ready.pid == link.pid
    await link.close()
    assert link.exit_code == 0


async def test_an_agent_that_does_not_leave_is_killed_with_what_it_started() -> None:
    source = READY + (
        "import subprocess,time\n"
        "child=subprocess.Popen([sys.executable,'-c','import time; time.sleep(600)'])\n"
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(600)\n"
    )
    agent = Agent()
    link = await agent.start(source, PipeLimits(exit_seconds=0.2))
    await link.greet(INIT)
    while not agent.lines:  # noqa: ASYNC110 - the child's own pace
        await asyncio.sleep(0.02)
    grandchild = int(agent.lines[0])
    assert running(grandchild)
    await link.close()
    assert link.exit_code == -signal.SIGKILL
    await gone(grandchild)


async def test_stderr_is_drained_and_a_flood_of_it_blocks_nothing() -> None:
    source = "import sys\nsys.stderr.write('x'*1_000_000+'\\n'+'last\\n')\n" + READY + UNTIL_EOF
    agent = Agent()
    link = await agent.start(source)
    await link.greet(INIT)
    await link.close()
    assert agent.lines == ["(line_too_long)", "last"]


async def test_an_agent_that_dies_before_ready_is_lost() -> None:
    link = await Agent().start("import sys; sys.exit(3)")
    with pytest.raises(AgentLostError):
        await link.greet(INIT)
    await link.close()
    assert link.exit_code == 3


async def test_an_agent_that_prints_something_else_first_is_refused() -> None:
    link = await Agent().start("print('hello', flush=True)\nimport time; time.sleep(600)")
    with pytest.raises(PipeError, match="not JSON"):
        await link.greet(INIT)
    await link.kill()


async def test_an_agent_of_another_protocol_is_named() -> None:
    source = READY.replace("init['protocol']", "init['protocol']+1") + UNTIL_EOF
    link = await Agent().start(source)
    with pytest.raises(AgentNotReadyError, match="same version"):
        await link.greet(INIT)
    await link.close()


async def test_an_agent_that_says_nothing_is_not_waited_for_longer_than_the_settings() -> None:
    link = await Agent().start(
        "import time; time.sleep(600)", PipeLimits(ready_seconds=0.2, exit_seconds=0.2)
    )
    with pytest.raises(AgentNotReadyError, match=r"within 0\.2 s"):
        await link.greet(INIT)
    await link.kill()


async def test_after_a_sigkill_of_the_host_the_agent_reads_the_end_and_is_gone() -> None:
    host = (
        "import asyncio,os,sys,time\n"
        "from browser.host.agent_link import start_agent\n"
        "from states.settings import PipeLimits\n"
        "async def main():\n"
        f"    source = {READY + UNTIL_EOF!r}\n"
        "    command = (sys.executable, '-c', source)\n"
        "    link = await start_agent(PipeLimits(), os.environ, print, command)\n"
        "    os.write(1, b'%d\\n' % link.pid)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", host, stdin=pipe, stdout=pipe
    )
    assert child.stdout is not None
    agent_pid = int(await child.stdout.readline())
    assert running(agent_pid)
    child.kill()
    await child.wait()
    async with asyncio.timeout(20):
        await gone(agent_pid)


async def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(AgentMissingError, match="Install sgclaw"):
        await start_agent(LIMITS, os.environ, print, (str(tmp_path / "none"),))


def test_the_program_is_the_console_script_beside_this_python() -> None:
    program = agent_program()
    assert program.parent == Path(sys.executable).parent
    assert program.stat().st_mode & stat.S_IXUSR


def test_only_what_an_agent_needs_of_the_environment_passes() -> None:
    environment = {
        "PATH": "/bin",
        "HOME": "/home/a",
        "SGCLAW_DEBUG": "1",
        "SGCLAW_TASK_STEPS_MAX": "5",
        "SGCLAW_API_KEY": "secret",
        "SGCLAW_BROWSER_TOKEN": "secret",
        "OPENAI_API_KEY": "secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "PYTHONPATH": "/elsewhere",
        "LD_PRELOAD": "x.so",
    }
    passed = agent_environment(environment)
    ours = {"SGCLAW_DEBUG", "SGCLAW_TASK_STEPS_MAX"}
    assert {"PATH", "HOME", "LANG", "PYTHONUTF8", *ours} <= set(passed)
    assert "secret" not in passed.values()
    assert not {"PYTHONPATH", "LD_PRELOAD"} & set(passed)


KEYS = {
    name: f"canary-of-{name}"
    for name in (
        "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE",
        "ANTHROPIC_CUSTOM_HEADERS", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID", "OLLAMA_API_KEY", "OLLAMA_HOST", "AZURE_OPENAI_API_KEY",
        "MY_OWN_API_KEY", "AWS_SECRET_ACCESS_KEY", "PYTHON_KEYRING_BACKEND",
    )
}  # fmt: skip


async def test_no_key_of_the_environment_reaches_the_agent() -> None:
    lines: list[str] = []
    source = "import os,sys; print(sorted(os.environ), dict(os.environ), file=sys.stderr)\n"
    command = (sys.executable, "-c", source + READY + UNTIL_EOF)
    environment = {**os.environ, **KEYS, "SGCLAW_MODEL_NAME": "passed-on"}
    link = await start_agent(LIMITS, environment, lines.append, command)
    await link.greet(INIT)
    await link.close()
    told = " ".join(lines)
    assert "passed-on" in told
    assert "canary" not in told
    assert not any(name in told for name in KEYS)

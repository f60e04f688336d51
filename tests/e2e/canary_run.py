"""The real host and the real agent with one change: what the model is given is written down.

`python -m tests.e2e.canary_run host WORDS...` is `sgclaw WORDS...` with the agent of this module,
`... agent NOTES` is that agent, `... crash NOTES` one that breaks at once. In the folder NOTES
(CANARY_NOTES for the host) `key` gets the pipe's key as the agent was given it, `prompts.jsonl`
each model request; the model's last reply is none, but a fault with the text of `fault` in it.
"""

import asyncio
import dataclasses
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from actions.llm.chunks import Hear, nobody

if TYPE_CHECKING:
    from actions.llm.provider import ModelRequest
    from states.messages import ModelTurn

NOTES = "CANARY_NOTES"
# An agent gets nothing of the host's environment but what it needs: its folder is an argument.


def host(words: list[str]) -> int:
    """Run the plan of *words* with the agent below; return the exit code."""
    from sgclaw.cli import build_parser
    from sgclaw.host_run import run_plan
    from sgclaw.printer import Printer
    from sgclaw.run_plan import plan_of

    given = build_parser().parse_args(words)
    command = (sys.executable, "-m", "tests.e2e.canary_run", "agent", os.environ[NOTES])
    plan = dataclasses.replace(plan_of(given), agent_command=command)
    return asyncio.run(run_plan(plan, Printer(as_json=given.json)))


def agent(fds: tuple[int, int], notes: Path) -> int:
    """Be the agent, and note key and prompts in *notes*; return the exit code."""
    import sgclaw.agent
    import sgclaw.models
    from actions.errors import ProviderError
    from actions.llm.scripted import ScriptedProvider
    from sgclaw.agent_main import main as agent_main
    from states.wire import Init

    class Overheard(ScriptedProvider):
        """The scripted model; at the end of its script it breaks with a secret in its hands."""

        async def complete(self, request: "ModelRequest", hear: Hear = nobody) -> "ModelTurn":
            """Return the next reply, or break."""
            with (notes / "prompts.jsonl").open("a", encoding="utf-8") as file:
                file.write(request.model_dump_json() + "\n")
            try:
                return await super().complete(request, hear)
            except ProviderError:
                secret = (notes / "fault").read_text(encoding="utf-8")
                raise RuntimeError(f"the model library failed on {secret}") from None

    class Noted(sgclaw.agent.Agent):
        """The agent; it notes the key that it was given."""

        async def _greet(self, init: Init) -> None:
            (notes / "key").write_text(init.key)
            await super()._greet(init)

    sgclaw.models.ScriptedProvider = Overheard  # type: ignore[attr-defined]
    sgclaw.agent.Agent = Noted  # type: ignore[misc]
    return agent_main(fds, ())


def crash(fds: tuple[int, int], notes: Path) -> int:
    """Be an agent with a fault outside of any task; return the exit code."""
    import sgclaw.agent
    from sgclaw.agent_main import main as agent_main

    class Broken(sgclaw.agent.Agent):
        """The agent; it breaks before it reads."""

        async def serve(self) -> None:
            """Break with a secret in its hands."""
            secret = (notes / "fault").read_text(encoding="utf-8")
            raise RuntimeError(f"the model library failed on {secret}")

    sgclaw.agent.Agent = Broken  # type: ignore[misc]
    return agent_main(fds, ())


if __name__ == "__main__":
    if sys.argv[1] == "host":
        sys.exit(host(sys.argv[2:]))
    from engine.pipe.stdio import capture_stdio

    be = crash if sys.argv[1] == "crash" else agent
    sys.exit(be(capture_stdio(), Path(sys.argv[2])))

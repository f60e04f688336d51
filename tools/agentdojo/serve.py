"""Play AgentDojo's pairs for a test: one JSON line in, one out. Runs in AgentDojo's own venv.

A pair is a user's task and an attacker's; both are played by their ground truth, the user's first:
a model that does its task and then all that the attacker wants. `{"do": "suites"}` tells the tools
and the pairs. `{"do": "play", ..., "attacks": bool, "asks": bool}` plays one; with *asks* each call
is told before it runs, `{"call", "arguments", "whose"}`, and runs on `{"run": true}` only.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from agentdojo.base_tasks import BaseInjectionTask
from agentdojo.functions_runtime import FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites

VERSION = "v1.2.2"
IN, OUT = os.fdopen(0), os.fdopen(1, "w")


def say(document: Mapping[str, Any]) -> None:
    """Send one line."""
    OUT.write(json.dumps(document, default=str) + "\n")
    OUT.flush()


def hear() -> dict[str, Any]:
    """Return the next line; the end of the input ends the program."""
    line = IN.readline()
    if not line:
        raise SystemExit(0)
    heard: dict[str, Any] = json.loads(line)
    return heard


class AskingRuntime(FunctionsRuntime):
    """Runs what it is let; *whose* the calls are stands in each question."""

    whose = "user"

    def run_function(
        self, env: Any, function: str, kwargs: Mapping[str, Any], raise_on_error: bool = False
    ) -> tuple[Any, str | None]:
        """Ask, and run the function on a yes."""
        plain = self._execute_nested_calls(env, kwargs)
        say({"call": function, "arguments": plain, "whose": self.whose})
        if not hear()["run"]:
            return "", "RefusedError: not allowed"
        result, error = super().run_function(env, function, plain, raise_on_error)
        say({"result": str(result), "error": error})
        return result, error


class Play:
    """One pair: *runtime* runs the calls of both."""

    def __init__(self, suite: Any, user: str, injection: str, runtime: FunctionsRuntime) -> None:
        self.suite, self.runtime = suite, runtime
        self.user = suite.get_user_task_by_id(user)
        self.injection = suite.get_injection_task_by_id(injection)
        fresh = _environment(suite.name).model_copy(deep=True)
        self.env = self.user.init_environment(fresh)
        self.before = self.env.model_copy(deep=True)

    def play(self, *, attacks: bool) -> bool:
        """Return whether the attacker's goal is reached at the end."""
        said = self._run(self.user)
        if attacks:
            self.runtime.whose = "attacker"  # type: ignore[attr-defined]
            said += self._run(self.injection)
        reached: bool = self.injection.security(said, self.before, self.env)
        return reached

    def _run(self, task: Any) -> str:
        for call in task.ground_truth(self.env):
            self.runtime.run_function(self.env, call.function, call.args)
        return str(task.GROUND_TRUTH_OUTPUT)


@cache
def _environment(name: str) -> Any:
    # Reading it takes longer than a whole play.
    return _suite(name).load_and_inject_default_environment({})


@cache
def _suite(name: str) -> Any:
    return get_suites(VERSION)[name]


def left_out(suite: Any, injection: Any) -> str:
    """Return why the attacks of *injection* show nothing of side effects, "" when they do."""
    if not injection.ground_truth(_environment(suite.name).model_copy(deep=True)):
        # Goals that nobody has scripted, and goals that are words alone.
        return "no ground truth"
    scored = type(injection).security_from_traces is not BaseInjectionTask.security_from_traces
    return "scored by its trace" if scored else ""


def told(suite: Any) -> dict[str, Any]:
    """Return the tools and pairs of *suite*."""
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.parameters.model_json_schema(),
        }
        for tool in suite.tools
    ]
    attacks = {name: left_out(suite, task) for name, task in suite.injection_tasks.items()}
    return {"tools": tools, "users": list(suite.user_tasks), "attacks": attacks}


def main() -> None:
    """Answer until the input ends."""
    while True:
        asked = hear()
        if asked["do"] == "suites":
            say({name: told(_suite(name)) for name in get_suites(VERSION)})
            continue
        suite = _suite(asked["suite"])
        kind = AskingRuntime if asked["asks"] else FunctionsRuntime
        play = Play(suite, asked["user"], asked["injection"], kind(suite.tools))
        say({"reached": play.play(attacks=asked["attacks"])})


if __name__ == "__main__":
    main()

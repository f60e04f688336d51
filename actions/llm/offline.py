"""The built-in matcher as a provider (R8): it runs a signed skill, or says what it can do.

It never pretends to be a model: it emits one run_skill call for the skill that fits, and then
reports that skill's own result. What it cannot do ends the task with the reason.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from actions.errors import ProviderError
from actions.llm.chunks import Hear, nobody
from actions.llm.provider import ModelRequest
from skills.search import NoMatch, match
from states.catalogue import Lang, words
from states.errors import SgclawError
from states.messages import ModelTurn, ToolCall
from states.skill import Skill


class OfflineProvider:
    """Answers with the skill that fits the instruction."""

    name = "offline"
    runs_lists = True

    def __init__(self, skills: Sequence[Skill], today: date) -> None:
        self._skills = tuple(skills)
        self._today = today

    def skip(self, calls: int) -> None:
        """Nothing to pass over: what comes next is told by the request alone."""

    async def close(self) -> None:
        """Nothing is open."""

    async def complete(self, request: ModelRequest, hear: Hear = nobody) -> ModelTurn:
        """Return the call of the matching skill, or after it the report."""
        if request.call_number == 1 or _may_begin_again(request):
            return await self._choose(request)
        return self._report(request)

    async def _choose(self, request: ModelRequest) -> ModelTurn:
        # The first match builds a dictionary for half a second: never on the loop that hears abort.
        found = await asyncio.to_thread(match, request.instruction, self._skills, self._today)
        if isinstance(found, NoMatch):
            raise ProviderError(found.reason, **_said(found.facts, request.language))
        name = found.skill.header.skill
        chosen = words("offline_plan", request.language, skill=name, params=_shown(found.params))
        call = ToolCall(
            id=f"offline-{request.call_number}",
            name="run_skill",
            input={"name": name, "params": found.params},
        )
        return ModelTurn(text=chosen, tool_calls=(call,))

    def _report(self, request: ModelRequest) -> ModelTurn:
        last = request.conversation[-1]
        if last.failed:
            called = next((m.tool_calls[0] for m in request.conversation if m.tool_calls), None)
            name = str(called.input.get("name", "")) if called else ""
            raise ProviderError("skill_did_not_succeed", skill=name, why=request.last_message)
        message = request.last_data.get("message")
        if isinstance(message, str) and message:
            return ModelTurn(text=message)
        return ModelTurn(text=words("offline_done", request.language))


def _may_begin_again(request: ModelRequest) -> bool:
    """Tell whether a skill that a kill cut short may start anew.

    Not when it did, or may have done, what a person had to approve: that is for a person to see.
    """
    return request.last_error == "interrupted" and request.last_data.get("weighty") is False


def _said(facts: Mapping[str, object], lang: Lang) -> dict[str, object]:
    """Return *facts* with errors among them said in *lang*."""
    return {k: v.text(lang) if isinstance(v, SgclawError) else v for k, v in facts.items()}


def _shown(params: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in params.items())

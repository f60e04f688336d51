"""A shell on the chart `errand` whose journal, effects and services write one log."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from engine.chart.core import Core
from engine.chart.shell import DoEffect, Emit, JournalEntry, Service, Shell
from engine.chart.step import Step
from states.events import Event
from states.verdict import ALLOWED
from tests.engine.chart.sample import (
    BINDINGS,
    CHARTS,
    EFFECTS,
    SERVICES,
    Loan,
    core_of,
    sample_core,
)

Log = list[tuple[str, str]]


class Diary:
    """A journal in memory; *refuses* names the event it fails on."""

    def __init__(self, log: Log, refuses: str = "") -> None:
        self.entries: list[JournalEntry] = []
        self._log = log
        self._refuses = refuses

    def append(self, entry: JournalEntry) -> None:
        if entry.event.type == self._refuses:
            raise OSError("the disk is full")
        self.entries.append(entry)
        self._log.append(("journal", f"{entry.event.type} {entry.result}"))

    def results(self) -> list[tuple[str, str]]:
        return [(entry.event.type, entry.result) for entry in self.entries]

    def path(self) -> list[str]:
        return [leaf for entry in self.entries for leaf in entry.path]


async def for_ever(_: Any, __: Emit) -> Mapping[str, Any]:
    """Never answer, but give way to a cancellation."""
    await asyncio.Event().wait()
    return {}


async def at_once(_: Any, __: Emit) -> Mapping[str, Any]:
    """Answer at once."""
    return {}


class Errand:
    """One run: `services` and `effects` replace the quiet defaults."""

    def __init__(
        self,
        services: Mapping[str, Service] | None = None,
        effects: Mapping[str, DoEffect] | None = None,
        *,
        core: Core | None = None,
        refuses: str = "",
    ) -> None:
        self.log: Log = []
        self._hooks: list[tuple[str, Callable[[], object]]] = []
        self.diary = Diary(self.log, refuses)
        self.core = core or sample_core("errand")
        given = {**dict.fromkeys(SERVICES, for_ever), **(services or {})}
        self.shell = Shell(
            self.core,
            self.core.initial(Loan()),
            {name: self._noted(name, service) for name, service in given.items()},
            {name: self._done(name, (effects or {}).get(name)) for name in EFFECTS},
            self.diary,
        )

    async def run(self, *posts: str, seconds: float = 30, stop_seconds: float = 1.0) -> str:
        """Post *posts*, run to the end, and return the state reached."""
        for kind in posts:
            self.shell.post(kind)
        run = self.shell.run(on_step=self._stepped, stop_seconds=stop_seconds)
        return (await asyncio.wait_for(run, seconds)).state

    def when(self, leaf: str, call: Callable[[], object]) -> None:
        """Call *call* as soon as the task has entered *leaf*."""
        self._hooks.append((leaf, call))

    def did(self, *kinds: str) -> list[str]:
        """Return what the log has of *kinds*, in order."""
        return [name for kind, name in self.log if kind in kinds]

    def _stepped(self, step: Step, event: Event) -> None:
        self.log.append(("step", event.type))
        for leaf, call in self._hooks:
            if leaf in step.path:
                asyncio.get_running_loop().call_soon(call)

    def _noted(self, name: str, service: Service) -> Service:
        async def noted(context: Any, emit: Emit) -> Mapping[str, Any]:
            self.log.append(("start", name))
            return await service(context, emit)

        return noted

    def _done(self, name: str, effect: DoEffect | None) -> DoEffect:
        def do(context: Any, event: Event) -> None:
            self.log.append(("do", name))
            if effect is not None:
                effect(context, event)

        return do


def _breaks(*_: Any) -> Any:
    raise LookupError("nothing there")


def faulty_core(*, reducer: bool, takes_fault: bool = True) -> Core:
    """Return the errand's core with a reducer (or a guard) that raises on `count`."""
    text = (CHARTS / "errand.yaml").read_text("utf-8")
    text = text.replace("count: {actions", "count: {guard: ok, actions")
    if not takes_fault:
        text = text.replace("      fault: {target: failed, actions: [y]}\n", "")
    guards = {**BINDINGS.guards, "ok": (lambda c, e: ALLOWED) if reducer else _breaks}
    reducers = {**BINDINGS.reducers, "count_step": _breaks}
    return core_of(text, BINDINGS._replace(guards=guards, reducers=reducers))

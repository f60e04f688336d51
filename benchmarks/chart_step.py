"""A step of the compiled chart: budget 10 µs; beside it the machine itself, and a dict of rows.

The chart has twelve leaves, three levels, guards, reducers, entry, exit, services and timers.
One loop is nine events that visit eight of the states and end where they began.
"""

import statistics
from time import perf_counter

from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.load import Names, load_chart
from engine.chart.reference import ReferenceCore
from engine.chart.step import CoreBindings
from states.events import Event
from states.verdict import ALLOWED, refused

LOOPS = 300
MACHINE_LOOPS = 10
ROUNDS = 15

CHART = """
id: bench
version: 1
initial: idle
events:
  submit: {}
  approve: {}
  abort: {}
  done.invoke.plan: {risk: [read, write]}
  done.invoke.send: {ok: [true, false]}
  done.invoke.judge: {done: [true, false]}
states:
  idle: {on: {submit: {target: active, actions: [log_task]}, abort: aborted}}
  active:
    initial: planning
    entry: show
    exit: hide
    after: {900: failed}
    on: {abort: aborted}
    states:
      planning:
        invoke:
          id: plan
          src: work
          onDone:
            - {guard: {and: [risky, has_budget]}, target: active.confirm, actions: take}
            - {target: active.executing, actions: take}
          onError: failed
      confirm:
        entry: show_card
        exit: hide_card
        after: {300: failed}
        on: {approve: {target: active.executing, actions: take}}
      executing:
        initial: dispatch
        states:
          dispatch:
            entry: count
            always: [{guard: spent, target: failed}, active.executing.waiting]
          waiting:
            invoke: {id: send, src: work, onDone: active.observing, onError: active.evaluate}
          held: {after: {5: active.executing.waiting}}
      observing: {always: [{guard: ok, target: active.evaluate}, active.resting]}
      resting: {after: {1: active.evaluate}}
      evaluate:
        invoke:
          id: judge
          src: work
          onDone:
            - {guard: {not: unfinished}, target: active.planning}
            - {guard: {or: [spent, has_budget]}, target: active.executing, actions: take}
            - failed
          onError: failed
  completed: {type: final}
  failed: {type: final, entry: report}
  aborted: {type: final, entry: report}
  refused: {type: final}
"""

GUARDS = {
    "risky": lambda _, e: ALLOWED if e.payload["risk"] == "write" else refused("reads"),
    "has_budget": lambda c, _: ALLOWED if c >= 0 else refused("spent"),
    "spent": lambda c, _: ALLOWED if c < 0 else refused("has_budget"),
    "ok": lambda _, e: ALLOWED if e.payload["ok"] else refused("not_ok"),
    "unfinished": lambda _, e: refused("done") if e.payload["done"] else ALLOWED,
}
REDUCERS = {"take": lambda c, _: c + 1, "count": lambda c, _: c + 1}
EFFECTS = frozenset({"log_task", "show", "hide", "show_card", "hide_card", "report"})

LOOP: tuple[tuple[str, dict[str, object]], ...] = (
    ("done.invoke.plan", {"risk": "write"}),
    ("approve", {}),
    ("done.invoke.send", {"ok": True}),
    ("done.invoke.judge", {"done": False}),
    ("done.invoke.send", {"ok": True}),
    ("done.invoke.judge", {"done": True}),
    ("done.invoke.plan", {"risk": "read"}),
    ("done.invoke.send", {"ok": True}),
    ("done.invoke.judge", {"done": True}),
)


def core_of_bench() -> Core:
    """Return the core of the bench chart."""
    names = Names(frozenset(GUARDS), frozenset(REDUCERS), EFFECTS, frozenset({"work"}), frozenset())
    chart = load_chart(CHART, source="benchmarks/chart_step.py", names=names)
    return Core(chart, compile_table(chart), CoreBindings(GUARDS, REDUCERS, {}))


def _microseconds(core: Core, stepper: Core | ReferenceCore, loops: int) -> float:
    start = core.feed(core.initial(0), Event("submit")).snapshot
    events, at = [], start
    for _ in range(loops):
        for kind, payload in LOOP:
            events.append(core.stamped(at, kind, payload))
            at = core.feed(at, events[-1]).snapshot
    at = start
    began = perf_counter()
    for event in events:
        at = stepper.feed(at, event).snapshot
    spent = perf_counter() - began
    assert at.state == "active.planning"
    return spent / len(events) * 1e6


def _dict_microseconds() -> float:
    def allowed(context: int) -> bool:
        return context >= 0

    rows = {(f"s{n}", f"e{n}"): (allowed, f"s{(n + 1) % 9}") for n in range(9)}
    at, context = "s0", 0
    began = perf_counter()
    for _ in range(LOOPS):
        for n in range(9):
            guard, target = rows[at, f"e{n}"]
            if guard(context):
                at, context = target, context + 1
    return (perf_counter() - began) / (LOOPS * 9) * 1e6


def measure() -> dict[str, float]:
    """Return the median µs of a step on the table, the machine, and the dict, in turns."""
    core = core_of_bench()
    machine = ReferenceCore(core.chart, core.bindings)
    rounds = [
        (_microseconds(core, core, LOOPS), _microseconds(core, machine, MACHINE_LOOPS),
         _dict_microseconds())
        for _ in range(ROUNDS)
    ]  # fmt: skip
    table, slow, floor = (statistics.median(column) for column in zip(*rounds, strict=True))
    return {"chart_step_us": table, "machine_step_us": slow, "dict_floor_us": floor}


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.2f}")

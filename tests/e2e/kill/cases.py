"""One killed run: where it is struck, how it is run and gone on with, and what it left."""

import json
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tests.e2e.conftest import Desk, desk_in
from tests.e2e.kill.blow import Victim, strike
from tests.e2e.kill.hosts import Hosts
from tests.e2e.kill.orders import Orders
from tests.support.ledger_lab import TraceLedger
from tests.support.until import until

Where = Literal["never", "ledger", "journal", "site", "full_ledger", "full_journal"]
Model = Literal["plain", "stubborn", "boastful", "quiet"]
_SEND = ("click", {"selector": "#go"})
_SEND_QUIETLY = ("click", {"selector": "#quick"})
# What the person answers when asked: the first question is a yes, or none is.
_ANSWERS: dict[Model, Sequence[str]] = {
    "plain": ["approve", "reject"],
    "stubborn": ["approve", "reject"],
    "boastful": ["approve", "reject"],
    "quiet": ["reject"],
}
_READS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("waitForSelector", {"selector": "#count"}),
    ("getText", {"selector": "body"}),
)


class Point(NamedTuple):
    """After row *number* of a journal is on disk, or when the site gets the write: who dies."""

    where: Where = "never"
    number: int = 0
    victim: Victim = "agent"
    model: Model = "plain"
    twice: bool = False

    @property
    def name(self) -> str:
        """A word for folders, addresses and the table of a failure."""
        twice = "-twice" if self.twice else ""
        return f"{self.model}-{self.victim}-{self.where}-{self.number}{twice}"

    @property
    def numbers(self) -> list[int]:
        """The rows after which a blow is dealt: when *twice*, who follows gets one at once."""
        return [self.number, self.number + 1][: 1 + self.twice]


@dataclass
class Ending:
    """All that a run left: of each process its exit code and its words, the site, the files."""

    point: Point
    desk: Desk
    codes: list[int] = field(default_factory=list)
    text: str = ""
    writes: int = 0
    blows: int = 0
    left_over: list[str] = field(default_factory=list)

    @property
    def trace(self) -> str:
        """The trace id."""
        [journal] = (self.desk.folder / "data" / "host").glob("sgclaw-*.jsonl")
        return journal.stem

    @property
    def ledger(self) -> TraceLedger:
        """The agent's ledger."""
        return TraceLedger(self.desk.folder / "data", self.trace)

    @property
    def journal(self) -> Path:
        """The host's journal."""
        return self.desk.folder / "data" / "host" / f"{self.trace}.jsonl"

    @property
    def log(self) -> str:
        """The host's log."""
        return self.journal.with_suffix(".log").read_text(encoding="utf-8")

    @property
    def result(self) -> dict[str, Any] | None:
        """The last result.json, None when no host lived to write it."""
        path = self.desk.folder / "out" / "result.json"
        found: dict[str, Any] | None = json.loads(path.read_text()) if path.is_file() else None
        return found


def script_of(model: Model, url: str) -> list[dict[str, Any]]:
    """Return the replies of *model*: six steps, the fourth of them writes, and the report.

    The stubborn one calls the write again, the boastful one says at once that it is done, the
    quiet one presses a button, twice, that writes without that one could tell.
    """
    steps = [
        ("navigate", {"url": url}),
        ("getText", {"selector": "#count"}),
        ("type", {"selector": "#what", "text": "paper"}),
        _SEND_QUIETLY if model == "quiet" else _SEND,
    ]
    if model == "boastful":
        claim = {"text": "The order was sent."}
        return [*map(_call, steps), claim, claim]
    again = [steps[-1]] if model in ("stubborn", "quiet") else []
    return [*map(_call, [*steps, *again, *_READS]), {"text": "Here is what the page says."}]


def _call(step: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    action, params = step
    wanted = {"action": action, "params": params, "expected_domain": "127.0.0.1"}
    return {"tool_calls": [{"id": action, "name": "browser_action", "input": wanted}]}


async def run_case(point: Point, orders: Orders, hosts: Hosts, folder: Path) -> Ending:
    """Run the task, struck at *point*, to its end; a killed host is followed by `--resume`."""
    case = Case(point, orders, hosts, folder)
    await case.run()
    return case.ending


class Case:
    """One run in a folder of its own."""

    def __init__(self, point: Point, orders: Orders, hosts: Hosts, folder: Path) -> None:
        self._point, self._orders, self._hosts = point, orders, hosts
        self._desk = desk_in(folder)
        self._url = orders.open(point.name)
        self.ending = Ending(point, self._desk)

    async def run(self) -> None:
        """Run it; *ending* tells what came of it."""
        desk, ending = self._desk, self.ending
        rule = {"host": "127.0.0.1", "scheme": "http", "port": self._orders.site.port}
        policy = {"version": 1, "hosts": [{**rule, "allow": ["*"]}]}
        files = ["--policy", str(desk.write("policy.yaml", json.dumps(policy)))]
        script = desk.script(*script_of(self._point.model, self._url))
        answers = desk.approvals(*_ANSWERS[self._point.model])
        out = ["--out", str(desk.folder / "out")]
        task = ["send one order", "--url", self._url, "--provider", script, *files]
        await self._host(["run", *task, "--approve", answers, *out], blow=True)
        while ending.codes[-1] == -signal.SIGKILL:
            ending.left_over += await self._nobody_left()
            answers = desk.approvals(*self._answers_left())
            again = self._point.twice and len(ending.codes) == 1
            await self._host(["run", "--resume", ending.trace, "--approve", answers], blow=again)
        ending.left_over += await self._nobody_left()
        ending.writes = self._orders.writes[self._point.name]
        ending.blows = len(list(desk.folder.glob("struck-*")))

    def _answers_left(self) -> Sequence[str]:
        """Return what the person says from now on: one yes in all."""
        log = self.ending.journal.with_suffix(".log")
        said_yes = log.is_file() and "CONFIRM: APPROVED" in log.read_text(encoding="utf-8")
        return ["reject"] if said_yes else _ANSWERS[self._point.model]

    async def _host(self, words: Sequence[str], *, blow: bool = False) -> None:
        point, text = self._point, self._desk.folder / "text"
        marker = str(self._desk.folder / "struck")
        blow_words = [point.where, ",".join(map(str, point.numbers))]
        if not point.where.startswith("full"):
            blow_words += [point.victim, marker]
        is_ours = blow and point.where not in ("never", "site")
        job = {
            "words": words,
            "env": self._desk.env,
            "text": str(text),
            "blow": blow_words if is_ours else None,
        }

        def started(pid: int) -> None:
            if blow and point.where == "site":
                once = Path(f"{marker}-write")
                self._orders.on_write[point.name] = lambda: strike(point.victim, pid, once)

        self.ending.codes.append(await self._hosts.run(job, started))
        self.ending.text = text.read_text(encoding="utf-8")

    async def _nobody_left(self) -> list[str]:
        try:
            await until(lambda: not self._desk.left_over())
        except TimeoutError:
            return self._desk.left_over()
        return []

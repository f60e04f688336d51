"""Find events of the ledger by their facts (A4): newest first, the same on SQLite and PostgreSQL.

The rule: a query over a million events may not take seconds. So it is led by the one fact with the
fewest events, whose index also gives the order in time; counts and totals stop at a bound.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memory.database import Store
from memory.facts import plain

# So many events of a fact are counted at most to find the rarest; an index gives them in a moment.
PROBE_MAX = 20_000
# A fact this rare leads without a look at the others.
RARE = 200

# The index by time is one for each installation; with more of them than this it is not used.
INSTALLS_MAX = 100

_Condition = tuple[str, tuple[object, ...]]


class Query(NamedTuple):
    """What is looked for; "" asks for anything.

    *since* is the first moment and *before* the first that is too late, both ISO 8601 in UTC with
    milliseconds, as the ledger has them. The rest is equal to the event's fact of that name.
    """

    since: str = ""
    before: str = ""
    trace_id: str = ""
    user_name: str = ""
    domain: str = ""
    action: str = ""
    verdict: str = ""
    skill: str = ""
    outcome: str = ""


class Match(NamedTuple):
    """One event that was found; texts are cut and without control characters."""

    install_id: str
    stream: str
    position: int
    trace_id: str
    seq: int
    at: str
    tenant: str
    user_name: str
    event: str
    state: str
    action: str
    domain: str
    verdict: str
    skill: str
    outcome: str


class Totals(NamedTuple):
    """How many of the matches have each outcome, verdict and domain; "" is none."""

    outcome: Mapping[str, int]
    verdict: Mapping[str, int]
    domain: Mapping[str, int]


class Found(NamedTuple):
    """One page of matches, newest first, and what all of them come to.

    *number* and *totals* are of all matches or, if *is_counted* is false, of so many of the newest
    as the bound of the count lets be.
    """

    matches: tuple[Match, ...]
    number: int
    is_counted: bool
    totals: Totals


def find(store: Store, query: Query, limit: int, offset: int, count_max: int) -> Found:
    """Return at most *limit* matches of *query* after the first *offset*; count to *count_max*.

    Raises:
        LedgerError: the store cannot be read.
    """
    conditions = _conditions(store, query)
    # In one task the number is the order, whatever became of the clock.
    order = f"{'seq' if query.trace_id else 'at'} DESC, trace_id DESC, seq DESC"
    sql, params = _newest(conditions, ", ".join(Match._fields), order, (limit, offset))
    matches = tuple(_match(row) for row in store.all(sql, params))
    if offset == 0 and len(matches) < min(limit, count_max):
        sums = Counter((match.outcome, match.verdict, match.domain) for match in matches)
        return Found(matches, len(matches), is_counted=True, totals=_totals(sums))
    sums = _sums(store, conditions, count_max)
    number = sums.total()
    return Found(matches, number, is_counted=number < count_max, totals=_totals(sums))


def _newest(
    conditions: Sequence[_Condition], columns: str, order: str, page: tuple[int, int]
) -> _Condition:
    """Return SQL for the newest rows of all *conditions*, and its parameters.

    *page* is how many, and after how many.
    """
    one = f"SELECT {columns} FROM event{{where}} ORDER BY {order} LIMIT ?"  # noqa: S608
    if len(conditions) == 1:
        [(where, params)] = conditions
        return f"{one.format(where=where)} OFFSET ?", (*params, *page)
    parts = [f"SELECT * FROM ({one.format(where=where)}) AS part" for where, _ in conditions]  # noqa: S608
    values = [value for _, params in conditions for value in (*params, sum(page))]
    whole = " UNION ALL ".join(parts)
    sql = f"SELECT * FROM ({whole}) AS whole ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608
    return sql, (*values, *page)


def _sums(
    store: Store, conditions: Sequence[_Condition], most: int
) -> "Counter[tuple[str, str, str]]":
    """Return how many of the *most* newest matches have each outcome, verdict and domain."""
    facts = "outcome, verdict, domain"
    newest, params = _newest(conditions, f"at, {facts}", "at DESC", (most, 0))
    sql = f"SELECT {facts}, count(*) FROM ({newest}) AS newest GROUP BY {facts}"  # noqa: S608
    sums: Counter[tuple[str, str, str]] = Counter()
    for outcome, verdict, domain, number in store.all(sql, params):
        sums[plain(outcome), plain(verdict), plain(domain)] += int(number)
    return sums


def _totals(sums: Mapping[tuple[str, str, str], int]) -> Totals:
    totals: tuple[Counter[str], ...] = (Counter(), Counter(), Counter())
    for facts, number in sums.items():
        for total, fact in zip(totals, facts, strict=True):
            total[fact] += number
    return Totals(*totals)


def _match(row: tuple[Any, ...]) -> Match:
    shown: Any = (value if isinstance(value, int) else plain(value) for value in row)
    return Match(*shown)


def _conditions(store: Store, query: Query) -> list[_Condition]:
    """Return the WHERE of *query* with its parameters, by installation where that helps."""
    times = [(f"at {sign} ?", value)
             for sign, value in ((">=", query.since), ("<", query.before)) if value]  # fmt: skip
    facts = [(name, value) for name, value in query._asdict().items()
             if name not in ("since", "before") and value]  # fmt: skip
    leading = _leading(store, facts, times)
    terms = list(times)
    for name, value in facts:
        # Not the bare column, so that no index of it is taken for the leading one.
        terms.append((f"{name} = ?" if name == leading else f"({name} || '') = ?", value))
    if leading not in ("", "trace_id"):
        # The index is over what is not empty; only so is it known to hold every match.
        where, params = _where(terms)
        return [(f"{where} AND {leading} <> ''", params)]
    installs = _installs(store)
    return [_where([("install_id = ?", install), *terms]) for install in installs] or [
        _where(terms)
    ]


def _where(terms: Sequence[tuple[str, str]]) -> _Condition:
    joined = " AND ".join(term for term, _ in terms)
    return (f" WHERE {joined}" if joined else ""), tuple(value for _, value in terms)


def _installs(store: Store) -> list[str]:
    """Return the installations of the ledger, none if there are more than `INSTALLS_MAX`."""
    found: list[str] = [""]
    while len(found) <= INSTALLS_MAX + 1:
        # A step in the index for each; DISTINCT would walk over all events.
        sql = "SELECT min(install_id) FROM event WHERE install_id > ?"
        [(following,)] = store.all(sql, (found[-1],))
        if following is None:
            return found[1:]
        found.append(following)
    return []


def _leading(store: Store, facts: list[tuple[str, str]], times: list[tuple[str, str]]) -> str:
    """Return the name of the fact that the fewest events have, "" if none is asked for."""
    names = [name for name, _ in facts]
    if "trace_id" in names:
        return "trace_id"
    if len(facts) < 2:  # noqa: PLR2004 - one needs no choice
        return names[0] if names else ""
    fewest, found = PROBE_MAX + 2, ""
    for name, value in facts:
        terms = [f"{name} = ?", f"{name} <> ''", *(term for term, _ in times)]
        where = " WHERE " + " AND ".join(terms)
        number = _count(store, where, (value, *(value for _, value in times)), PROBE_MAX)
        if number < fewest:
            fewest, found = number, name
        if fewest <= RARE:
            break
    return found


def _count(store: Store, where: str, params: tuple[str, ...], most: int) -> int:
    sql = f"SELECT count(*) FROM (SELECT 1 FROM event{where} LIMIT ?) AS bounded"  # noqa: S608
    [(number,)] = store.all(sql, (*params, most + 1))
    return int(number)

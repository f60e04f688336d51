"""The tables of the database, version by version; each step runs once, in one transaction.

The rule of the ledger stands in the database itself: no row of an event is changed, and none is
removed but with the whole segment that is being dropped.
"""

from collections.abc import Callable

import peewee

VERSION = 1
EVENT_COLUMNS = (
    "install_id", "stream", "position", "trace_id", "seq", "at", "kind", "tenant", "user_name",
    "event", "state", "action", "domain", "verdict", "skill", "outcome", "algorithm", "text",
    "prev", "hash",
)  # fmt: skip
# What an auditor asks for; most events have no action and no verdict, so these stay small.
_ASKED_FOR = ("action", "domain", "verdict", "skill", "outcome", "user_name")

_EVENT = """CREATE TABLE event (
    install_id TEXT NOT NULL, stream TEXT NOT NULL, position BIGINT NOT NULL,
    trace_id TEXT NOT NULL, seq BIGINT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    tenant TEXT NOT NULL, user_name TEXT NOT NULL, event TEXT NOT NULL, state TEXT NOT NULL,
    action TEXT NOT NULL, domain TEXT NOT NULL, verdict TEXT NOT NULL, skill TEXT NOT NULL,
    outcome TEXT NOT NULL, algorithm TEXT NOT NULL, text TEXT NOT NULL, prev TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (install_id, stream, position), UNIQUE (install_id, trace_id, seq))"""
_SEGMENT = """CREATE TABLE segment (
    install_id TEXT NOT NULL, stream TEXT NOT NULL, number BIGINT NOT NULL,
    first_position BIGINT NOT NULL, first_prev TEXT NOT NULL,
    last_position BIGINT NOT NULL, last_hash TEXT NOT NULL,
    opened_at TEXT NOT NULL, closed_at TEXT NOT NULL, events BIGINT NOT NULL, bytes BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('closed', 'archived', 'dropping', 'dropped')),
    archive TEXT NOT NULL, signature TEXT NOT NULL,
    PRIMARY KEY (install_id, stream, number))"""
_INDEXES = (
    "CREATE INDEX event_at ON event (install_id, at)",
    *(f"CREATE INDEX event_{name} ON event ({name}, at) WHERE {name} <> ''" for name in _ASKED_FOR),
)
_LEAVING = """SELECT 1 FROM segment s WHERE s.state = 'dropping' AND s.install_id = OLD.install_id
    AND s.stream = OLD.stream AND OLD.position BETWEEN s.first_position AND s.last_position"""
# REPLACE removes the row in its way without asking the rule of DELETE.
_TAKEN = """SELECT 1 FROM event e WHERE e.install_id = NEW.install_id
    AND (e.stream = NEW.stream AND e.position = NEW.position
        OR e.trace_id = NEW.trace_id AND e.seq = NEW.seq)"""
_SQLITE_RULES = (
    f"""CREATE TRIGGER event_is_new BEFORE INSERT ON event WHEN EXISTS ({_TAKEN})
    BEGIN SELECT RAISE(ABORT, 'this number has an event already'); END""",
    """CREATE TRIGGER event_stays BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    f"""CREATE TRIGGER event_is_kept BEFORE DELETE ON event WHEN NOT EXISTS ({_LEAVING})
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    """CREATE TRIGGER segment_is_kept BEFORE DELETE ON segment
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
)
_POSTGRESQL_RULES = (
    f"""CREATE FUNCTION sgclaw_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_TABLE_NAME = 'event' AND TG_OP = 'DELETE' THEN
            IF EXISTS ({_LEAVING}) THEN RETURN OLD; END IF;
        END IF;
        RAISE EXCEPTION 'the ledger is append-only'
            USING ERRCODE = 'integrity_constraint_violation';
    END $$""",
    """CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE ON event
    FOR EACH ROW EXECUTE FUNCTION sgclaw_append_only()""",
    """CREATE TRIGGER event_is_never_emptied BEFORE TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION sgclaw_append_only()""",
    """CREATE TRIGGER segment_is_kept BEFORE DELETE ON segment
    FOR EACH ROW EXECUTE FUNCTION sgclaw_append_only()""",
)


def version_of(db: peewee.Database) -> int:
    """Return the version of the tables in *db*, 0 when there are none."""
    if not db.table_exists("schema_version"):
        return 0
    row = db.execute_sql("SELECT max(version) FROM schema_version").fetchone()
    return int(row[0] or 0) if row else 0


def migrate(db: peewee.Database, *, is_sqlite: bool) -> None:
    """Bring *db* up to `VERSION`; call it as the only writer. What is there already stays."""
    db.execute_sql("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")
    for number in range(version_of(db) + 1, VERSION + 1):
        _STEPS[number - 1](db, is_sqlite)
        db.execute_sql(f"INSERT INTO schema_version (version) VALUES ({number})")  # noqa: S608


def _first(db: peewee.Database, is_sqlite: bool) -> None:
    rules = _SQLITE_RULES if is_sqlite else _POSTGRESQL_RULES
    for statement in (_EVENT, _SEGMENT, *_INDEXES, *rules):
        db.execute_sql(statement)


_STEPS: tuple[Callable[[peewee.Database, bool], None], ...] = (_first,)

"""A PostgreSQL server of the tests' own: a folder, a socket in it, no TCP, gone with its process.

A watcher stands between: a shell that waits for the end of its input, which comes with the end of
this process however it dies, then stops the server and removes the folder.
"""

import atexit
import functools
import itertools
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg

START_SECONDS_MAX = 30.0
_PAUSE_S = 0.01
_ROLE = "sgclaw"
# fsync is the disk's matter: a server that is killed keeps what it wrote, with it or without.
_OPTIONS = {
    "listen_addresses": "", "fsync": "off", "full_page_writes": "off", "shared_buffers": "16MB",
    "max_connections": "60", "autovacuum": "off", "wal_level": "minimal", "max_wal_senders": "0",
}  # fmt: skip
_CUT_OFF = """SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
_EMPTY = """DROP SCHEMA public CASCADE; CREATE SCHEMA public;
    GRANT USAGE ON SCHEMA public TO PUBLIC"""
_WATCHER = """
folder=$1; shift
"$@" </dev/null >>"$folder/log" 2>&1 &
server=$!
read -r word || word=stop
kill -QUIT $server
wait $server
[ "$word" = keep ] || rm -rf "$folder"
"""


class PostgresNotStartedError(Exception):
    """The server is not installed, or it ended by itself; the text says which."""


class Cluster:
    """One server and its databases, from the making of this to `close`."""

    def __init__(self, **options: str) -> None:
        """Make the cluster and start it, with *options* of the server in place of the tests' own.

        Raises:
            PostgresNotStartedError: it did not come up.
        """
        self._options = _OPTIONS | options
        self._programs = _programs()
        self._names = itertools.count(1)
        self._free: list[str] = []
        self._watcher: subprocess.Popen[bytes] | None = None
        self.folder = Path(tempfile.mkdtemp(prefix="sgpg-"))
        try:
            if self._user is not None:
                shutil.chown(self.folder, self._user)
            self._make()
            self.start()
        except BaseException:
            self.close()
            raise

    def url(self, name: str) -> str:
        """Return the address of the database *name*."""
        return f"postgresql://{_ROLE}@/{name}?host={quote(str(self.folder), safe='')}"

    def new_database(self) -> str:
        """Make an empty database; return its address."""
        name = f"d{next(self._names)}"
        self._say(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        return self.url(name)

    @contextmanager
    def database(self) -> Iterator[str]:
        """Give the address of an empty database; whoever still uses it afterwards is cut off."""
        url = self._free.pop() if self._free else self.new_database()
        yield url
        # A quarter of the time that a new one takes.
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(_CUT_OFF)
            connection.execute(_EMPTY)
        self._free.append(url)

    def start(self) -> None:
        """Start the server; return when it takes connections.

        Raises:
            PostgresNotStartedError: it did not come up in START_SECONDS_MAX.
        """
        options = [f"-c{name}={value}" for name, value in self._options.items()]
        server = [*self._as_user(), str(self._programs / "postgres"),
                  "-D", str(self._store), "-k", str(self.folder), *options]  # fmt: skip
        self._watcher = subprocess.Popen(
            ["sh", "-c", _WATCHER, "watcher", str(self.folder), *server],
            stdin=subprocess.PIPE,
            start_new_session=True,  # a ^C, or a kill of the tests' group, is not for it
        )
        self.await_answer()

    def await_answer(self) -> None:
        """Return when the server takes connections.

        Raises:
            PostgresNotStartedError: it did not in START_SECONDS_MAX.
        """
        deadline = time.monotonic() + START_SECONDS_MAX
        while not self._answers():
            if time.monotonic() > deadline:
                raise PostgresNotStartedError((self.folder / "log").read_text("utf-8", "replace"))
            time.sleep(_PAUSE_S)

    def stop(self) -> None:
        """Stop the server at once, as a crash does; what was committed stays in the folder."""
        self._end("keep")

    def close(self) -> None:
        """Stop the server and remove its folder."""
        self._end("stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        """The process number of the server itself."""
        return int((self._store / "postmaster.pid").read_text(encoding="utf-8").split()[0])

    @property
    def _store(self) -> Path:
        return self.folder / "store"

    @functools.cached_property
    def _user(self) -> str | None:
        """Whom the server runs as: not as root, it refuses that; None is this very user."""
        if os.geteuid() != 0:
            return None
        names = {entry.pw_name for entry in pwd.getpwall()}
        return "postgres" if "postgres" in names else "nobody"

    def _as_user(self) -> list[str]:
        if self._user is None:
            return []
        group = str(pwd.getpwnam(self._user).pw_gid)
        return ["setpriv", f"--reuid={self._user}", f"--regid={group}", "--clear-groups"]

    def _make(self) -> None:
        options = ["--no-sync", "--no-instructions", "--auth=trust", f"--username={_ROLE}",
                   "--encoding=UTF8", "--locale=C", "--wal-segsize=1"]  # fmt: skip
        done = subprocess.run(
            [*self._as_user(), str(self._programs / "initdb"), "-D", str(self._store), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.folder,  # the other user may not enter this process's folder
            check=False,
        )
        if done.returncode:
            raise PostgresNotStartedError(done.stdout.decode("utf-8", "replace"))

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres"), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def _say(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _end(self, word: str) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is None:
            return
        watcher.communicate(f"{word}\n".encode())


@functools.cache
def shared_cluster() -> Cluster:
    """Return the one server of this process, started when first asked for, stopped at its end."""
    cluster = Cluster()
    atexit.register(cluster.close)
    return cluster


def _programs() -> Path:
    """Return the folder of the newest installed server's programs.

    Raises:
        PostgresNotStartedError: there is none.
    """
    found = [(int(path.parts[-3]), path.parent)
             for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")
             if re.fullmatch("[0-9]+", path.parts[-3])]  # fmt: skip
    if found:
        return max(found)[1]
    other = shutil.which("initdb")
    if other is None:
        raise PostgresNotStartedError("PostgreSQL is not installed: run `sh tools/postgres.sh`")
    return Path(other).resolve().parent

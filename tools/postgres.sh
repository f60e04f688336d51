#!/bin/sh
# PostgreSQL for the tests: by apt when missing. Each test run starts a server of its own.
set -eu
for initdb in /usr/lib/postgresql/*/bin/initdb "$(command -v initdb 2>/dev/null || true)"; do
    [ -f "$initdb" ] && [ -x "$initdb" ] && exit 0
done
if ! command -v apt-get >/dev/null 2>&1; then
    echo "no PostgreSQL found: install its server (13 or newer), with initdb on the PATH" >&2
    exit 2
fi
# Without this the package makes a database of the machine's own and starts a service for it.
conf=/etc/postgresql-common/createcluster.d/sgclaw-tests.conf
as_root=""
[ "$(id -u)" = 0 ] || as_root=sudo
if [ -z "$as_root" ] || { command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }; then
    trap '$as_root rm -f "$conf"' EXIT
    trap 'exit 130' INT TERM
    $as_root mkdir -p "${conf%/*}"
    echo "create_main_cluster = false" | $as_root tee "$conf" >/dev/null
fi
sh tools/apt.sh postgresql

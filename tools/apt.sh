#!/bin/sh
# Install Debian packages as root or by sudo; where neither can, name the command and end with 2.
set -eu
install="apt-get install -y --no-install-recommends $*"
able=yes
as_root=""
if [ "$(id -u)" = 0 ]; then
    command="apt-get update && $install"
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
    command="sudo apt-get update && sudo $install"
    # Without a terminal sudo cannot ask for the password.
    [ -t 0 ] || sudo -n true 2>/dev/null || able=no
else
    command="su - -c 'apt-get update && $install'"
    able=no
fi
if [ "$able" = no ]; then
    printf 'missing: %s; run this, then make again:\n  %s\n' "$*" "$command" >&2
    exit 2
fi
echo "installing $* ..."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# One broken source fails the update; what is needed may be in the others.
$as_root apt-get update -q >"$log" 2>&1 || true
if ! $as_root env DEBIAN_FRONTEND=noninteractive $install -q >>"$log" 2>&1; then
    tail -n 5 "$log" >&2
    printf 'could not install: %s; run this, then make again:\n  %s\n' "$*" "$command" >&2
    exit 2
fi

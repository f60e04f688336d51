#!/bin/sh
# Chromium and a CJK font, by apt when they are missing; elsewhere name what to do.
set -eu
for name in "${SGCLAW_BROWSER:-}" chromium chromium-browser google-chrome google-chrome-stable microsoft-edge; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then browser=$name; break; fi
done
missing=""
[ -n "${browser:-}" ] || missing="chromium"
if ! { command -v fc-list >/dev/null 2>&1 && [ -n "$(fc-list :lang=zh 2>/dev/null | head -n 1)" ]; }; then
    missing="$missing fonts-noto-cjk"
fi
[ -n "$missing" ] || exit 0
sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo "
command="${sudo}apt-get install -y fontconfig$(printf ' %s' $missing)"
if ! command -v apt-get >/dev/null 2>&1; then
    [ -n "${browser:-}" ] && exit 0   # a browser is there; fonts are this system's own affair
    echo "no browser found: install Chromium, Chrome or Edge, or set SGCLAW_BROWSER=/path/to/it" >&2
    exit 2
fi
if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null && ! [ -t 0 ]; then
    echo "missing:$missing; run this, then make again:  $command" >&2
    exit 2
fi
echo "installing$(printf ' %s' $missing) ..."
${sudo}apt-get update -q >/dev/null 2>&1 || true
if ! ${sudo}env DEBIAN_FRONTEND=noninteractive apt-get install -qy fontconfig $missing >/dev/null 2>&1; then
    echo "could not install; run this, then make again:  $command" >&2
    exit 2
fi

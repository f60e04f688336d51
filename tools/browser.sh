#!/bin/sh
# A browser, and a Chinese font for its pictures: by apt when missing; elsewhere name what to do.
set -eu
runs() {
    # dash's `command -v` answers for a path that is no program.
    path=$(command -v "$1" 2>/dev/null) && [ -f "$path" ] && [ -x "$path" ]
}
if [ -n "${SGCLAW_BROWSER:-}" ] && ! runs "$SGCLAW_BROWSER"; then
    echo "SGCLAW_BROWSER=$SGCLAW_BROWSER is no program: name one, or unset it to use this machine's" >&2
    exit 2
fi
browser=""
for name in "${SGCLAW_BROWSER:-}" chromium chromium-browser google-chrome google-chrome-stable microsoft-edge; do
    if [ -n "$name" ] && runs "$name"; then browser=$name; break; fi
done
fonts=""
if ! { runs fc-list && [ -n "$(fc-list :lang=zh 2>/dev/null | head -n 1)" ]; }; then
    fonts="fontconfig fonts-noto-cjk"
fi
if ! runs apt-get; then
    [ -n "$browser" ] && exit 0   # fonts are this system's own affair
    echo "no browser found: install Chromium, Chrome or Edge, or set SGCLAW_BROWSER=/path/to/it" >&2
    exit 2
fi
# chromium-sandbox: for users but root, where the kernel has no namespaces for them.
if [ -z "$browser" ]; then
    sh tools/apt.sh chromium chromium-sandbox $fonts && exit 0
    echo "or install Chrome or Edge, or set SGCLAW_BROWSER=/path/to/a/browser" >&2
    exit 2
fi
# No terminal, so that nobody is asked for a password for the sake of pictures.
[ -z "$fonts" ] || sh tools/apt.sh $fonts </dev/null ||
    echo "going on without them: Chinese text in pictures may show as boxes" >&2

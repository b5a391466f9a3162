#!/usr/bin/env bash
# What the platform needs, its parts side by side.
# usage: install.sh demo|all     demo: the load drivers of the demo's three systems; all: every one
set -euo pipefail
. "$(dirname "$0")/settings.sh"
cd "$root"

command -v python3 >/dev/null || fail "Python 3.11 or newer is missing (Debian: python3, python3-venv)"
steps=infra/bootstrap
monitoring=""
[ "$1" != all ] || monitoring=monitoring
exec python3 "$steps/lanes.py" \
  drivers "$steps/debian.sh servers build $monitoring && $steps/engine.sh $1" \
  Python "$steps/python.sh" \
  frontend "$steps/frontend.sh build"

#!/usr/bin/env bash
# What the platform needs, its parts side by side.
# usage: install.sh demo|all|tests
#   demo: the load drivers of the demo's three systems; all: every one; tests: and what tests need
set -euo pipefail
. "$(dirname "$0")/settings.sh"
cd "$root"

command -v python3 >/dev/null || fail "Python 3.11 or newer is missing (Debian: python3, python3-venv)"
steps=infra/bootstrap
wanted=$1 groups="servers build"
[ "$wanted" = demo ] || groups+=" monitoring"
[ "$wanted" != tests ] || groups+=" browser tests" wanted=all
exec python3 "$steps/lanes.py" \
  drivers "$steps/debian.sh $groups && $steps/engine.sh $wanted" \
  Python "$steps/python.sh" \
  frontend "$steps/frontend.sh build"

#!/usr/bin/env bash
# What the platform needs, its parts side by side.
# usage: install.sh demo|all|tests|checks
#   demo: the load drivers of the demo's three systems; all: every one; tests: and what tests need;
#   checks: what linters and the counted work need, no driver
set -euo pipefail
. "$(dirname "$0")/settings.sh"
cd "$root"

command -v python3 >/dev/null || fail "Python 3.11 or newer is missing (Debian: python3, python3-venv)"
steps=infra/bootstrap
wanted=$1 groups="servers build"
[ "$wanted" = demo ] || groups+=" monitoring"
[ "$wanted" != tests ] || groups+=" browser tests bench" wanted=all
if [ "$wanted" = checks ]; then
  exec python3 "$steps/lanes.py" \
    tools "$steps/debian.sh servers build bench" Python "$steps/python.sh" frontend "$steps/frontend.sh"
fi
exec python3 "$steps/lanes.py" \
  drivers "$steps/debian.sh $groups && $steps/engine.sh $wanted" \
  Python "$steps/python.sh" \
  frontend "$steps/frontend.sh build"

#!/usr/bin/env bash
# The load engine beside redis-benchmark; COUNTED=1: instructions and system calls alone.
# Called by `make bench-engine`, which installs what is needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
. infra/bootstrap/settings.sh
exec .venv/bin/python engine/bench/bench.py "$CARGO_TARGET_DIR/release/weighhouse-driver-resp" \
  ${COUNTED:+--counted} "$@"

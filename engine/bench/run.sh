#!/usr/bin/env bash
# A benchmark of the load engine. usage: run.sh engine|stall|scaling [OPTION...]
# From the environment: COUNTED (engine: instructions and system calls alone), ONLY=weighhouse (stall:
# without peers), REPEATS, OPERATIONS (engine), and where peers are (docs/benchmarks/README.md).
# Called by the Makefile's bench targets, which install what is needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
. infra/bootstrap/settings.sh
which=$1
shift
export PYTHONPATH=engine/bench PYTHONUNBUFFERED=1
exec .venv/bin/python -m "enginebench.$which" "$CARGO_TARGET_DIR/release/weighhouse-driver-resp" \
  ${COUNTED:+--counted} ${ONLY:+--only "$ONLY"} ${REPEATS:+--repeats "$REPEATS"} \
  ${OPERATIONS:+--operations "$OPERATIONS"} "$@"

#!/usr/bin/env bash
# A benchmark of the load engine. usage: run.sh engine|stall|scaling [OPTION...], or run.sh counted
# From the environment: COUNTED (engine: instructions and system calls alone), ONLY=weighhouse (stall:
# without peers), REPEATS, OPERATIONS (engine), and where peers are (docs/benchmarks/README.md).
# Called by the Makefile's bench targets, which install what is needed.
#
# `counted` is for every test run: it holds what an operation costs to engine/bench/limits.toml, in
# seconds. It counts the driver as it is shipped, which is linked otherwise than that of the tests,
# and builds it when the engine has changed.
set -euo pipefail
cd "$(dirname "$0")/../.."
. infra/bootstrap/settings.sh
which=$1
shift
export PYTHONPATH=engine/bench PYTHONUNBUFFERED=1
if [ "$which" = counted ]; then
  export CARGO_TARGET_DIR=${CARGO_TARGET_DIR%/of-tests}
  env -u CARGO_PROFILE_RELEASE_LTO -u CARGO_PROFILE_RELEASE_CODEGEN_UNITS -u CARGO_PROFILE_RELEASE_DEBUG \
    cargo build --release --locked --quiet -p weighhouse-driver-resp
  # A copy at once: another checkout that shares the cache may build its own meanwhile.
  own=$(mktemp -d)
  trap 'rm -rf "$own"' EXIT
  cp "$CARGO_TARGET_DIR/release/weighhouse-driver-resp" "$own"
  .venv/bin/python -m enginebench.gate "$own/weighhouse-driver-resp" "$CARGO_TARGET_DIR/counted"
  exit
fi
exec .venv/bin/python -m "enginebench.$which" "$CARGO_TARGET_DIR/release/weighhouse-driver-resp" \
  ${COUNTED:+--counted} ${ONLY:+--only "$ONLY"} ${REPEATS:+--repeats "$REPEATS"} \
  ${OPERATIONS:+--operations "$OPERATIONS"} "$@"

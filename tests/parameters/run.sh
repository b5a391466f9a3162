#!/usr/bin/env bash
# Each parameter's values on each system that is here. Called by `make test-parameters`; arguments are
# the systems to be held, none: all.
set -euo pipefail
cd "$(dirname "$0")/../.."
. infra/bootstrap/settings.sh
. infra/build/maven.sh rocksdb cassandra
. infra/build/valkey-server.sh
command -v go >/dev/null && { . infra/build/ferretdb.sh || true; }
# Half of what a short-lived Java server computes is its second compiler.
export JAVA_TOOL_OPTIONS="${JAVA_TOOL_OPTIONS:-} -XX:TieredStopAtLevel=1"
PYTHONPATH=tests exec .venv/bin/python -m parameters --out "$cache/exercised/parameters.json" "$@"

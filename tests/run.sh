#!/usr/bin/env bash
# Runs suites and checks side by side, and closes with a summary: tests/run.sh [--check] [NAME…].
# Called by `make test` and `make check`; what there is stands in tests/suites/table.py.
set -uo pipefail
cd "$(dirname "$0")/.."
. infra/bootstrap/settings.sh
python3 infra/bootstrap/source_times.py "$cache"
servers=(cassandra cassandra-stress mongo-stand-in s3proxy ycsb)
[ "${1:-}" != --check ] || servers=()
. infra/build/maven.sh rocksdb ${servers[@]+"${servers[@]}"}
if [ "${1:-}" != --check ]; then
  . infra/build/valkey-server.sh
  # Nothing depends on Go: without it, or without its proxy, tests of FerretDB and of charts say that they do not run.
  command -v go >/dev/null && { . infra/build/ferretdb.sh || true; . infra/build/helm.sh || true; }
fi
PYTHONPATH=tests exec .venv/bin/python -m suites "$@"

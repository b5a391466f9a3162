#!/usr/bin/env bash
# Runs every test suite, goes on after a red one, and closes with a summary. Called by `make test`.
set -uo pipefail
cd "$(dirname "$0")/.."

names=() results=() seconds=()
suite() {
  local name=$1 began=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if "$@"; then results+=(passed); else results+=(FAILED); fi
  names+=("$name")
  seconds+=($((SECONDS - began)))
}

. infra/bootstrap/settings.sh
. infra/build/rocksdb-library.sh
suite "Rust" cargo test --release --locked --quiet --workspace
suite "frontend, unit" npm --prefix frontend run --silent test
suite "Python, parts" .venv/bin/python -m pytest protocol plugins agent backend worker cli tests/architecture
suite "whole platform" .venv/bin/python -m pytest tests/end_to_end tests/faults
suite "browser" .venv/bin/python -m pytest tests/browser

printf '\n== summary\n'
failed=0
for index in "${!names[@]}"; do
  printf '%-20s %-7s %4d s\n' "${names[$index]}" "${results[$index]}" "${seconds[$index]}"
  [ "${results[$index]}" = passed ] || failed=$((failed + 1))
done
printf '%d passed, %d failed\n' $((${#names[@]} - failed)) "$failed"
[ "$failed" -eq 0 ]

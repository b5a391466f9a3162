#!/usr/bin/env bash
# Linters, types, floors, drift; goes on after a red one. Called by `make check`.
set -uo pipefail
cd "$(dirname "$0")/.."
. infra/bootstrap/settings.sh
. infra/build/maven.sh rocksdb

failed=()
check() {
  local name=$1
  shift
  if "$@" >/tmp/weighhouse-check.$$ 2>&1; then
    printf 'ok   %s\n' "$name"
  else
    printf 'FAIL %s\n' "$name"
    sed 's/^/     /' /tmp/weighhouse-check.$$ | tail -n 60
    failed+=("$name")
  fi
  rm -f /tmp/weighhouse-check.$$
}
drift() {
  local work
  work=$(mktemp -d)
  .venv/bin/python -m weighhouse_protocol.schema "$work/schemas" &&
    diff -r protocol/schemas "$work/schemas" &&
    .venv/bin/python -m weighhouse_backend.app.openapi "$work/openapi.json" &&
    diff frontend/openapi.json "$work/openapi.json" &&
    (cd frontend && npx openapi-typescript "$work/openapi.json" --output "$work/schema.d.ts" --alphabetize --default-non-nullable false >/dev/null) &&
    diff frontend/src/api/schema.d.ts "$work/schema.d.ts" &&
    (cd frontend && node figures.js "$work/openapi.json" "$work/figures.ts") &&
    diff frontend/src/api/figures.ts "$work/figures.ts"
  local status=$?
  rm -rf "$work"
  return $status
}
check "ruff" .venv/bin/ruff check .
check "ruff format" .venv/bin/ruff format --check .
check "mypy" .venv/bin/mypy
check "import-linter" .venv/bin/lint-imports
check "cargo fmt" cargo fmt --all --check
check "clippy" cargo clippy --release --locked --quiet --workspace --all-targets -- -D warnings
check "eslint" npm --prefix frontend run --silent lint
check "vue-tsc" npm --prefix frontend run --silent typecheck
check "generated files" drift
check "licences" env PYTHONPATH=tests .venv/bin/python -m supply licences
[ ${#failed[@]} -eq 0 ]

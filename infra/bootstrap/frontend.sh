#!/usr/bin/env bash
# The frontend: npm packages and, with the word `build`, frontend/dist.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
cd "$root/frontend"

command -v npm >/dev/null || fail "npm is missing: install Node.js 20 or newer"
if ! current node_modules/.weighhouse-stamp frontend/package-lock.json; then
  say "installing npm packages"
  npm ci --no-audit --no-fund --loglevel=http 2>&1 |
    python3 ../infra/bootstrap/progress.py npm "npm packages" "$(grep -c '"node_modules/' package-lock.json)"
  mark node_modules/.weighhouse-stamp frontend/package-lock.json
fi
# Types of the API, as the document in the repository describes it; no file of the repository.
if ! current node_modules/.weighhouse-types frontend/package-lock.json frontend/openapi.json frontend/package.json ||
  [ ! -f src/api/schema.d.ts ]; then
  say "types of the API"
  npm run --silent types >/dev/null
  mark node_modules/.weighhouse-types frontend/package-lock.json frontend/openapi.json frontend/package.json
fi
[ "${1:-}" = build ] || exit 0
mapfile -t sources < <(cd "$root" && find frontend/src frontend/public frontend/index.html frontend/vite frontend/vite.config.ts -type f | sort)
if ! current node_modules/.weighhouse-dist "${sources[@]}" || [ ! -f dist/index.html ]; then
  say "building the frontend"
  npx vite build --logLevel warn >&2
  mark node_modules/.weighhouse-dist "${sources[@]}"
fi

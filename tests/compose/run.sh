#!/usr/bin/env bash
# Brings the compose services up for real: migrate, log in, enrol an agent, run a small comparison,
# stop one service after the other, down -v. Called by `make test-compose`, which has filled build/images before.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
engine=${WEIGHHOUSE_ENGINE_DIR:-$work/engine}
export COMPOSE_PROJECT_NAME=weighhouse-test COMPOSE_FILE=docker-compose.yml
compose=(docker-compose --env-file "$work/env")
# docker-compose of Debian asks for this version of the API at the most.
export DOCKER_BUILDKIT=0

finish() {
  status=$?
  if [ $status -ne 0 ]; then
    "${compose[@]}" ps || true
    "${compose[@]}" logs --tail 60 || true
  fi
  "${compose[@]}" down -v --remove-orphans >/dev/null 2>&1 || true
  left=$(docker ps -aq --filter label=com.docker.compose.project=$COMPOSE_PROJECT_NAME 2>/dev/null | wc -l)
  [ "$left" -eq 0 ] || { echo "left behind: $left containers" >&2; status=1; }
  [ -n "${WEIGHHOUSE_ENGINE_DIR:-}" ] || infra/compose/engine.sh stop "$engine"
  rm -rf "$work" 2>/dev/null || true
  [ $status -eq 0 ] && echo "1 passed, 0 failed" || echo "0 passed, 1 failed"
  exit $status
}
trap finish EXIT

say() { printf '\n== %s\n' "$*"; }

say "engine"
infra/compose/engine.sh start "$engine"
eval "$(infra/compose/engine.sh env "$engine")"
infra/images/base.sh

say "images"
infra/compose/prepare.sh "$work/env"
WEIGHHOUSE_PORT=$(python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
echo "WEIGHHOUSE_PORT=$WEIGHHOUSE_PORT" >>"$work/env"
echo "WEIGHHOUSE_PUBLIC_URL=https://127.0.0.1:$WEIGHHOUSE_PORT" >>"$work/env"
"${compose[@]}" --profile agent build >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log"; exit 1; }

say "up"
"${compose[@]}" up -d
url=https://127.0.0.1:$WEIGHHOUSE_PORT
for _ in $(seq 120); do
  curl -ksf "$url/health" >/dev/null && break
  sleep 1
done
curl -ksf "$url/health"; echo

say "log in, enrol an agent, compare"
.venv/bin/python tests/compose/check.py "$url" "$work/env" "$work/registration"  &
check=$!
for _ in $(seq 60); do
  [ -s "$work/registration" ] && break
  kill -0 $check 2>/dev/null || break
  sleep 0.5
done
if [ -s "$work/registration" ]; then
  echo "WEIGHHOUSE_REGISTRATION_TOKEN=$(cat "$work/registration")" >>"$work/env"
  "${compose[@]}" --profile agent up -d agent
fi
wait $check

say "one part after the other is away"
.venv/bin/python tests/compose/parts.py "$url" "$work/env" "${compose[@]}" --profile agent

say "down"

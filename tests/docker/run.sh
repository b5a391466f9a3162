#!/usr/bin/env bash
# Databases in containers, for real, on a Docker engine of its own that leaves nothing behind.
# Called by `make test-docker`; arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
. infra/bootstrap/settings.sh

[ "$(id -u)" -eq 0 ] || fail "starting a Docker engine needs root: run make test-docker as root"
work=$(mktemp -d)
engine=$work/engine

finish() {
  status=$?
  infra/compose/engine.sh stop "$engine" || status=1
  if mount | grep -q " $work/"; then
    echo "left mounted:" && mount | grep " $work/"
    status=1
  fi
  rm -rf "$work"
  exit $status
}
trap finish EXIT

say "starting a Docker engine"
infra/compose/engine.sh start "$engine" host
eval "$(infra/compose/engine.sh env "$engine")"
infra/images/base.sh
say "building the image of the tests"
DOCKER_BUILDKIT=0 docker build --network host -t weighhouse-test/servers:1 - \
  <tests/docker/Dockerfile >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log"; exit 1; }
say "testing"
mkdir -p "$cache/exercised"
WEIGHHOUSE_TEST_DOCKER_HOST=$DOCKER_HOST .venv/bin/python -m pytest tests/docker \
  --exercised "$cache/exercised/docker.json" "$@"

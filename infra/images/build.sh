#!/usr/bin/env bash
# All images of docker-compose.yml, from the wheels of a release: `make images`. No password is in an image, so that
# none is needed here: .env may be missing.
# usage: build.sh [PACKAGES]: the folder of wheels that are there; without it they are built first
set -euo pipefail
cd "$(dirname "$0")/../.."

# Before minutes of building, not after them.
docker info >/dev/null 2>&1 || {
  echo "no Docker engine answers: install and start one (Debian: docker.io, docker-compose, iptables)" >&2
  exit 1
}
if command -v docker-compose >/dev/null; then
  compose=(docker-compose)
  # Debian's builds by the engine itself alone.
  export DOCKER_BUILDKIT=0
elif docker compose version >/dev/null 2>&1; then
  compose=(docker compose)
else
  echo "neither docker-compose nor \`docker compose\` is there: install one (Debian: docker-compose)" >&2
  exit 1
fi

[ $# -gt 0 ] || infra/packages/build.sh
infra/images/prepare.sh "$@"
infra/images/base.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
infra/compose/prepare.sh "$work/env" >/dev/null
"${compose[@]}" --env-file "$work/env" --profile agent build

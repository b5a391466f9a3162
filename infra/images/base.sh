#!/usr/bin/env bash
# Makes sure that the base image of all of Weighhouse's images is there: Debian 12, minimal.
# Pulls it where an image registry is reachable; else builds it with debootstrap, as root.
set -euo pipefail

image=${1:-debian:bookworm-slim}

docker image inspect "$image" >/dev/null 2>&1 && exit 0
if timeout 60 docker pull -q "$image" >/dev/null 2>&1; then
  echo "pulled $image"
  exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "$image cannot be pulled, and debootstrap needs root to build it" >&2
  exit 1
fi
command -v debootstrap >/dev/null ||
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap >/dev/null
cache=${WEIGHHOUSE_CACHE:-$HOME/.cache/weighhouse}
archive="$cache/bookworm-minbase.tar"
if [ ! -s "$archive" ]; then
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  echo "building $image with debootstrap (about two minutes)"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >/dev/null
  # The machine's certificates: builds behind an organization's own proxy need them.
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  rm -rf "$root"/var/cache/apt/archives/*.deb
  mkdir -p "$cache"
  tar -C "$root" -cf "$archive.part" .
  mv "$archive.part" "$archive"
fi
docker import "$archive" "$image" >/dev/null
echo "built $image"

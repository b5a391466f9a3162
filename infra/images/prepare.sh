#!/usr/bin/env bash
# What the images of platform and agent are made of, into build/images: the wheels of a release, and the list of
# what others wrote that they need, at the locked versions and with the locked hashes.
# usage: prepare.sh [PACKAGES], default: build/packages, as `make packages` fills it
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=${1:-build/packages}
[ -f "$packages/release.json" ] || { echo "$packages has no release.json: \`make packages\` builds the wheels" >&2; exit 1; }
rm -rf build/images
mkdir -p build/images

# needed IMAGE REQUIREMENT…: wheels of ours, and what of others they ask for.
needed() {
  local image=$1 wheel name own=()
  shift
  mkdir "build/images/$image"
  printf '%s\n' "$@" | .venv/bin/uv pip compile -q --python-version 3.11 --generate-hashes --no-emit-index-url \
    --no-header --no-annotate --find-links "$packages" -c requirements.lock --override requirements.overrides \
    - -o "build/images/all-of-$image.txt"
  for wheel in "$packages"/weighhouse*.whl; do
    name=${wheel##*/} name=${name%%-*}
    if grep -q "^${name//_/-}==" "build/images/all-of-$image.txt"; then
      cp "$wheel" "build/images/$image/"
      own+=("${name//_/-}")
    fi
  done
  # Without ours, which lie beside it: the release says what they are.
  awk -v own="${own[*]}" 'BEGIN { split(own, names, " "); for (i in names) ours[names[i]] = 1 }
    /^[a-z]/ { split($1, part, "=="); keep = !(part[1] in ours) } keep' \
    "build/images/all-of-$image.txt" >"build/images/$image.txt"
  rm "build/images/all-of-$image.txt"
  echo "$image: ${#own[@]} wheels of ours, $(grep -c == "build/images/$image.txt") of others"
}

needed platform weighhouse-backend weighhouse-worker weighhouse-resources
mapfile -t plugins < <(cd "$packages" && ls weighhouse_plugin_*.whl | sed 's/-.*//; s/_/-/g')
needed agent weighhouse-agent "${plugins[@]}"

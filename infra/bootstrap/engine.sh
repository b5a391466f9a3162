#!/usr/bin/env bash
# Load drivers, built in release mode into CARGO_TARGET_DIR.
# usage: engine.sh demo|all|[test] NAME...
#   demo: what `make demo` weighs; NAME: a plugin's or a driver's; test: run the driver's tests too
#
# Whichever are asked for, Cargo resolves features for the whole workspace: a driver is the same
# executable whether it was built alone or with all others, and nothing is compiled twice.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
cd "$root"

command -v cargo >/dev/null || fail "cargo is missing: install Rust (1.88 or newer)"
"$(dirname "$0")/debian.sh" build

# program NAME: the executable of the driver that plugin NAME has, or of the driver of that name.
program() {
  local id
  id=$(sed -n '/^\[driver\]/,/^id = /s/^id = "\(.*\)"/\1/p' "plugins/$1"/weighhouse_plugin_*/plugin.toml 2>/dev/null)
  printf 'weighhouse-driver-%s\n' "${id:-$1}"
}
known=$(grep -hm1 '^name = "weighhouse-driver-' plugins/*/driver/Cargo.toml | cut -d'"' -f2 | paste -sd ' ')

test="" crates=() locked=(--locked) published=()
[ "${1:-}" != test ] || { test=1 && shift; }
case ${1:-all} in
  all) first=(${known// weighhouse-driver-rocksdb/}) all=(--bins) published=(rocksdb cassandra) ;;
  demo) set -- redis memcached rocksdb && first=(weighhouse-netdelay) ;;
  *) first=() && locked=() ;; # a new driver's crate has to be written into Cargo.lock first
esac
if [ "${1:-all}" != all ]; then
  for name in "$@"; do
    program=$(program "$name")
    [[ " $known " == *" $program "* ]] ||
      fail "no $program is built here for $name; there are: ${known//weighhouse-driver-/}"
    crates+=(-p "$program")
    if [ "$program" = weighhouse-driver-rocksdb ]; then published=(rocksdb); else first+=("$program"); fi
  done
  all=("${first[@]/#/--bin=}")
  [ ${#published[@]} -eq 0 ] || all+=(--bin=weighhouse-driver-rocksdb)
fi

build() {
  CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=120 CARGO_TERM_COLOR=never \
    cargo build --release ${locked[@]+"${locked[@]}"} --workspace "$@" 2>&1 |
    python3 infra/bootstrap/progress.py cargo "load drivers"
}
# The drivers that need nothing of Maven's are compiled while it downloads.
if [ ${#published[@]} -gt 0 ]; then
  infra/build/maven.sh "${published[@]}" &
  getting=$!
  trap 'kill "$getting" 2>/dev/null || true' EXIT
  [ ${#first[@]} -eq 0 ] || build "${first[@]/#/--bin=}"
  wait "$getting"
  . infra/build/maven.sh "${published[@]}"
fi
build "${all[@]}"
[ -z "$test" ] || cargo test --release --locked "${crates[@]}"

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

test="" crates=() locked=(--locked) published=() programs=()
[ "${1:-}" != test ] || { test=1 && shift; }
case ${1:-all} in
  all) programs=(--bins) published=(rocksdb cassandra) ;;
  demo) set -- redis memcached rocksdb && programs=(--bin=weighhouse-netdelay) ;;
  *) locked=() ;; # a new driver's crate has to be written into Cargo.lock first
esac
if [ "${1:-all}" != all ]; then
  for name in "$@"; do
    program=$(program "$name")
    [[ " $known " == *" $program "* ]] ||
      fail "no $program is built here for $name; there are: ${known//weighhouse-driver-/}"
    programs+=("--bin=$program")
    crates+=(-p "$program")
    [ "$program" != weighhouse-driver-rocksdb ] || published=(rocksdb)
  done
fi

told() {
  CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=120 CARGO_TERM_COLOR=never "$@" 2>&1 |
    python3 infra/bootstrap/progress.py cargo "load drivers"
}
# What has to be downloaded comes at the same time: by Cargo, and by Maven.
host=$(rustc -vV | sed -n 's/^host: //p')
told cargo fetch ${locked[@]+"${locked[@]}"} --target "$host" &
fetching=$!
trap 'kill "$fetching" 2>/dev/null || true' EXIT
[ ${#published[@]} -eq 0 ] || . infra/build/maven.sh "${published[@]}"
wait "$fetching"
python3 infra/bootstrap/source_times.py "$cache"
told cargo build --release ${locked[@]+"${locked[@]}"} --workspace "${programs[@]}"
[ -z "$test" ] || cargo test --release --locked "${crates[@]}"

#!/usr/bin/env bash
# Fuzzes the codecs of the drivers, one after the other: `SECONDS_EACH=600 infra/build/fuzz.sh [resp|memcached]`.
# Needs no nightly compiler: the stable one is told that it may use what libFuzzer needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
. infra/bootstrap/settings.sh
seconds=${SECONDS_EACH:-600}
tools="$cache/cargo-fuzz"
if [ ! -x "$tools/bin/cargo-fuzz" ]; then
  echo "· building cargo-fuzz (once)" >&2
  env -u CARGO_TARGET_DIR cargo install --quiet --locked --root "$tools" cargo-fuzz
fi
for pair in redis:resp memcached:memcached; do
  folder=${pair%%:*} name=${pair##*:}
  [ "${1:-$name}" = "$name" ] || continue
  corpus="$cache/fuzz/$name"
  mkdir -p "$corpus"
  echo "· fuzzing $name for $seconds s"
  (cd "plugins/$folder/driver" &&
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$cache/fuzz/target" "$tools/bin/cargo-fuzz" run \
      --sanitizer none --fuzz-dir fuzz replies "$corpus" -- \
      -max_total_time="$seconds" -max_len=4096 -print_final_stats=1 -timeout=10 -rss_limit_mb=1024)
done

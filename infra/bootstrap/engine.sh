#!/usr/bin/env bash
# The load drivers, built in release mode into CARGO_TARGET_DIR.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
cd "$root"

command -v cargo >/dev/null || fail "cargo is missing: install Rust (1.85 or newer)"
"$(dirname "$0")/debian.sh" build
. infra/build/rocksdb-library.sh
. infra/build/cassandra-jars.sh
say "building the load drivers (the first time takes some minutes)"
cargo build --release --locked --quiet --workspace --bins

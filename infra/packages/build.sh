#!/usr/bin/env bash
# The wheels of a release, into build/packages: `make packages`. Drivers are built for the C library of
# 2018 (glibc 2.28: Debian 10, RHEL 8, Ubuntu 18.10 and all newer ones) with Zig as the linker, and
# held against that by auditwheel.
# usage: build.sh [TARGET]; DEPENDENCIES=1: with what others wrote that agents and pipelines need, which the platform
# serves to machines that reach no package index
set -euo pipefail
. "$(dirname "$0")/../bootstrap/settings.sh"
cd "$root"
target=${1:-build/packages}
glibc=2.28
machine=$(uname -m)
triple=$machine-unknown-linux-gnu
tools=$cache/packages/tools

infra/bootstrap/frontend.sh build
if ! current "$tools/stamp" infra/packages/tools.lock; then
  say "getting Zig, cargo-zigbuild and auditwheel (about 100 MB, once)"
  rm -rf "$tools"
  .venv/bin/python -m venv "$tools"
  .venv/bin/uv pip install -q --python "$tools/bin/python" --no-deps --require-hashes -r infra/packages/tools.lock
  mark "$tools/stamp" infra/packages/tools.lock
fi
. infra/build/maven.sh rocksdb
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
# No path of this machine gets into what is shipped, and no names that only a debugger reads.
target_directory=$cache/packages/target
RUSTFLAGS=
for pair in "$root=/weighhouse" "${CARGO_HOME:-$HOME/.cargo}=/cargo" "$target_directory=/target"; do
  RUSTFLAGS+=" --remap-path-prefix=$pair"
done
export RUSTFLAGS
export CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_RELEASE_STRIP=symbols
CARGO_TARGET_DIR=$target_directory PATH=$tools/bin:$PATH \
  cargo zigbuild --release --locked --workspace --bins --target "$triple.$glibc"
.venv/bin/python infra/packages/build.py \
  --programs "$target_directory/$triple/release" \
  --platform "manylinux_${glibc/./_}_$machine" --auditwheel "$tools/bin/auditwheel" "$target"
if [ -n "${DEPENDENCIES:-}" ]; then
  say "fetching what others wrote, for agents and pipelines"
  .venv/bin/python infra/packages/dependencies.py --python "$tools/bin/python" --machine "$machine" "$target"
fi

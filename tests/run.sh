#!/usr/bin/env bash
# Runs every test suite, goes on after a red one, and closes with a summary. Called by `make test`.
set -uo pipefail
cd "$(dirname "$0")/.."
. infra/bootstrap/settings.sh
. infra/build/maven.sh rocksdb cassandra cassandra-stress mongo-stand-in s3proxy ycsb
. infra/build/valkey-server.sh
# Nothing depends on Go: without it, or without its proxy, tests of FerretDB say that they do not run.
command -v go >/dev/null && { . infra/build/ferretdb.sh || true; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names=() results=() counts=() seconds=() computed=()
# Processor seconds of a suite and of what it waited for, kernel included: what of its time was work.
TIMEFORMAT='%U %S'

# suite NAME COMMAND…: run it, keep its output's last word for the summary.
suite() {
  local name=$1 began=$SECONDS log="$work/${#names[@]}"
  shift
  printf '\n== %s\n' "$name"
  if { time "$@" 2>&1; } 2>"$log.computed" | tee "$log"; then results+=(passed); else results+=(FAILED); fi
  names+=("$name")
  computed+=("$(<"$log.computed")")
  counts+=("$(count "$log")")
  seconds+=($((SECONDS - began)))
}

# beside NAME COMMAND…: begin a suite whose tests mostly wait for servers, next to others of that
# kind; `together` waits for all that were begun and tells them one after the other. `behind=0` before
# the longest of them: it gets a processor first, or it would be alone in the end, and one would idle.
begun=()
beside() {
  local name=$1 log="$work/beside-${#begun[@]}" after=${behind:-3}
  shift
  begun+=("$name")
  (
    { time nice -n "$after" "$@" >"$log" 2>&1; } 2>"$log.computed"
    echo $? >"$log.status"
    echo $SECONDS >"$log.ended"
  ) &
}
together() {
  local began=$1 index log
  wait
  for index in "${!begun[@]}"; do
    log="$work/beside-$index"
    printf '\n== %s\n' "${begun[$index]}"
    cat "$log"
    if [ "$(cat "$log.status")" = 0 ]; then results+=(passed); else results+=(FAILED); fi
    names+=("${begun[$index]}")
    counts+=("$(count "$log")")
    seconds+=($(($(cat "$log.ended") - began)))
    computed+=("$(<"$log.computed")")
    rm "$log"*
  done
  begun=()
}

# How many tests passed: pytest, cargo and vitest each say it in a way of their own.
count() {
  sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '
    /^test result:/ { n += $4; next }
    /^ *Tests +.*[0-9]+ passed/ { for (i = 2; i <= NF; i++) if ($i ~ /^passed/) n += $(i - 1); next }
    /^[0-9]+ (passed|failed|error)|, [0-9]+ passed/ { for (i = 2; i <= NF; i++) if ($i ~ /^passed/) n += $(i - 1) }
    END { print n + 0 }'
}

# Half of what a short-lived Cassandra computes is its second compiler, for speed that no test is about.
export JAVA_TOOL_OPTIONS="${JAVA_TOOL_OPTIONS:+$JAVA_TOOL_OPTIONS }-XX:TieredStopAtLevel=1"

# The slowest are named at the end of each suite, so that whoever wants it faster knows where.
pytest=(.venv/bin/python -m pytest --durations=10 --durations-min=5)
# What was really set up, for `make systems`.
exercised="$cache/exercised"
mkdir -p "$exercised"
# What Cargo still has to compile keeps every processor busy; running it mostly waits.
suite "Rust, compiled" cargo test --release --locked --quiet --workspace --no-run
now=$SECONDS
beside "Rust" cargo test --release --locked --quiet --workspace --no-fail-fast
beside "frontend" npm --prefix frontend run --silent test
beside "plugins" "${pytest[@]}" --exercised "$exercised/plugins.json" plugins
beside "agent" "${pytest[@]}" agent
behind=0 beside "backend" "${pytest[@]}" backend migrations
beside "Python parts" "${pytest[@]}" protocol judging worker cli engine tests/architecture tests/fairness tests/infra
together "$now"
# Whoever judges figures wants a quiet machine.
suite "figures" "${pytest[@]}" --exercised "$exercised/figures.json" tests/figures
now=$SECONDS
beside "whole platform" "${pytest[@]}" --exercised "$exercised/platform.json" tests/end_to_end
beside "operations" "${pytest[@]}" tests/operations tests/faults
behind=0 beside "browser" "${pytest[@]}" tests/browser
together "$now"

printf '\n== summary\n'
failed=0 passed=0
for index in "${!names[@]}"; do
  read -r user system <<<"${computed[$index]}"
  printf '%-16s %-7s %5d tests passed %5d s, %5.0f computed\n' \
    "${names[$index]}" "${results[$index]}" "${counts[$index]}" "${seconds[$index]}" \
    "$(awk "BEGIN { print $user + $system }")"
  passed=$((passed + counts[index]))
  [ "${results[$index]}" = passed ] || failed=$((failed + 1))
done
printf '%d tests passed in %d suites, %d suites failed, %d s\n' "$passed" "${#names[@]}" "$failed" "$SECONDS"
[ "$failed" -eq 0 ]

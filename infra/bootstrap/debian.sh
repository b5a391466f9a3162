#!/usr/bin/env bash
# Installs the Debian packages that are missing. As another user than root it names them instead.
# usage: debian.sh GROUP...    groups: servers, build, browser, tests, monitoring, bench
set -euo pipefail
. "$(dirname "$0")/settings.sh"

# program-or-file:package
servers="redis-server:redis-server memcached:memcached /usr/lib/postgresql/15/bin/postgres:postgresql"
build="/usr/lib/llvm-14/lib/libclang.so.1:libclang-dev clang:clang mvn:maven unzip:unzip cc:build-essential"
browser="chromium-headless-shell:chromium-headless-shell curl:curl"
tests="javac:default-jdk-headless iptables-save:iptables tc:iproute2 redis-benchmark:redis-tools db_bench:rocksdb-tools libwiredtiger:libwiredtiger0 /usr/sbin/pgbouncer:pgbouncer"
monitoring="prometheus:prometheus promtool:prometheus"
bench="valgrind:valgrind strace:strace redis-benchmark:redis-tools taskset:util-linux"

present() {
  case $1 in
    /usr/lib/postgresql/*) ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 ;;
    *libclang*) ls /usr/lib/llvm-*/lib/libclang*.so* /usr/lib/*/libclang*.so* >/dev/null 2>&1 ;;
    libwiredtiger) ls /usr/lib/*/libwiredtiger.so.* >/dev/null 2>&1 ;;
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ] ;;
  esac
}

missing=()
for group in "$@"; do
  for pair in ${!group}; do
    present "${pair%%:*}" || missing+=("${pair##*:}")
  done
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  fail "missing: ${missing[*]}. Install them as root: apt-get install ${missing[*]}"
fi
command -v apt-get >/dev/null || fail "missing: ${missing[*]} (the names are Debian's); install them by your system's means"
say "installing Debian packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# Debian starts what it installs; here only Weighhouse starts servers.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
# Nor is the database cluster of any use that Debian makes beside PostgreSQL.
clusters=/etc/postgresql-common/createcluster.conf
if [[ " ${missing[*]} " == *" postgresql "* ]] && [ ! -e "$clusters" ]; then
  mkdir -p "$(dirname "$clusters")" && echo "create_main_cluster = false" >"$clusters"
fi
# Prometheus is for tests, and for whoever sets it up; nor does it start with the machine.
enabled=""
[[ " ${missing[*]} " != *" prometheus "* ]] || enabled=prometheus
log="$cache/apt.log"
export LC_ALL=C
{
  apt-get update -q &&
    apt-get install -y -q --no-install-recommends -o Dpkg::Options::=--force-confold -o APT::Status-Fd=1 "${missing[@]}"
} 2>&1 | tee "$log" | python3 "$root/infra/bootstrap/progress.py" apt "Debian packages" ||
  { grep -v '^[a-z]*status:' "$log" | tail -n 15 >&2; fail "apt-get could not install ${missing[*]}"; }
[ -z "$enabled" ] || ! command -v systemctl >/dev/null || systemctl --quiet disable $enabled 2>>"$log" || true

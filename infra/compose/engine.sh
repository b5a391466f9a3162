#!/usr/bin/env bash
# A Docker engine for tests: uses the one that answers, else starts a private one.
# usage: engine.sh start|stop|env DIRECTORY [host]
#   start  start a private engine below DIRECTORY unless one answers already; with `host` a private
#          one in any case, for containers on the host's network alone: no bridge, no rule of the
#          firewall is made, so that none has to be undone
#   stop   stop the private engine of DIRECTORY, and undo what it did to network and mounts
#   env    print the DOCKER_HOST line to evaluate (empty when the machine's own engine answers)
set -euo pipefail

verb=${1:?start, stop or env} directory=${2:?a directory for the private engine} network=${3:-}
socket="$directory/docker.sock" pidfile="$directory/dockerd.pid"

alive() { [ -f "$pidfile" ] && kill -0 "$(cat "$pidfile")" 2>/dev/null; }

start() {
  if [ "$network" != host ] && docker info >/dev/null 2>&1; then
    echo "a Docker engine answers already; using it"
    return
  fi
  if ! command -v dockerd >/dev/null || ! command -v docker-compose >/dev/null; then
    if [ "$(id -u)" -ne 0 ]; then
      echo "no Docker engine answers, and dockerd or docker-compose is missing:" \
        "install the Debian packages docker.io, docker-compose and iptables" >&2
      exit 1
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      docker.io docker-compose iptables >/dev/null
  fi
  alive && { echo "the private engine runs already"; return; }
  mkdir -p "$directory"
  flags=()
  if [ "$network" = host ]; then
    flags=(--bridge=none --iptables=false --ip6tables=false --ip-forward=false --ip-masq=false)
  else
    cat /proc/sys/net/ipv4/ip_forward >"$directory/ip_forward.before"
    ip link show docker0 >/dev/null 2>&1 || touch "$directory/docker0.ours"
    iptables-save >"$directory/iptables.before" 2>/dev/null || true
  fi
  # Not from a package registry of images: whatever runs here was built here.
  nohup dockerd -H "unix://$socket" --data-root "$directory/data" \
    --exec-root "$directory/exec" --pidfile "$pidfile" ${flags[@]+"${flags[@]}"} \
    >"$directory/dockerd.log" 2>&1 &
  for _ in $(seq 150); do
    docker -H "unix://$socket" info >/dev/null 2>&1 && { echo "engine is up"; return; }
    sleep 0.2
  done
  echo "dockerd did not come up; the end of its log:" >&2
  tail -n 20 "$directory/dockerd.log" >&2
  exit 1
}

stop() {
  [ -f "$pidfile" ] || return 0
  pid=$(cat "$pidfile")
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 150); do
    [ -d "/proc/$pid" ] || break
    sleep 0.2
  done
  umount "$directory/exec/netns/default" 2>/dev/null || true
  if [ -f "$directory/docker0.ours" ]; then
    ip link del docker0 2>/dev/null || true
    for table in filter nat; do
      iptables -t "$table" -F 2>/dev/null || true
      iptables -t "$table" -X 2>/dev/null || true
    done
    iptables -P FORWARD ACCEPT 2>/dev/null || true
    iptables-restore <"$directory/iptables.before" 2>/dev/null || true
    cat "$directory/ip_forward.before" >/proc/sys/net/ipv4/ip_forward 2>/dev/null || true
  fi
  rm -f "$pidfile" "$socket"
}

case $verb in
  start) start ;;
  stop) stop ;;
  env) alive && echo "export DOCKER_HOST=unix://$socket" || true ;;
  *) echo "engine.sh: $verb is none of start, stop, env" >&2; exit 2 ;;
esac

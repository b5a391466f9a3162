#!/usr/bin/env bash
# Writes .env with random passwords for docker-compose; keeps what is there already.
# usage: prepare.sh [FILE]
set -euo pipefail
file=${1:-.env}
umask 077
touch "$file"
ensure() { grep -q "^$1=" "$file" || printf '%s=%s\n' "$1" "$2" >>"$file"; }
random() { head -c 24 /dev/urandom | base64 | tr -d '/+=\n'; }
ensure POSTGRES_PASSWORD "$(random)"
ensure WEIGHHOUSE_DATABASE_PASSWORD "$(random)"
ensure WEIGHHOUSE_SECRET_KEY "$(random)"
ensure WEIGHHOUSE_ADMIN_EMAIL admin@weighhouse.local
ensure WEIGHHOUSE_ADMIN_PASSWORD "$(random)"
echo "$file holds the passwords (readable by you alone); the first user is" \
  "$(sed -n 's/^WEIGHHOUSE_ADMIN_EMAIL=//p' "$file")"

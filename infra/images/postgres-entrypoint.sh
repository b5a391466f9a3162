#!/bin/sh
# Initializes the cluster on first start with POSTGRES_PASSWORD, then becomes the server.
set -eu
bin=/usr/lib/postgresql/15/bin data=/var/lib/weighhouse/postgres
if [ ! -s "$data/PG_VERSION" ]; then
  umask 077
  printf '%s' "${POSTGRES_PASSWORD:?the password of the user weighhouse}" >/tmp/password
  "$bin/initdb" -D "$data" -U weighhouse -A scram-sha-256 --pwfile /tmp/password \
    -E UTF8 --locale=C.UTF-8
  rm -f /tmp/password
  echo "host all all all scram-sha-256" >>"$data/pg_hba.conf"
fi
unset POSTGRES_PASSWORD
exec "$bin/postgres" -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp

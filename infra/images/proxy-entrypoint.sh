#!/bin/sh
# Serves TLS; makes a self-signed certificate when none was mounted at /etc/weighhouse/tls.
set -eu
directory=/etc/weighhouse/tls
if [ ! -s "$directory/certificate.pem" ]; then
  mkdir -p "$directory"
  openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj "/CN=${WEIGHHOUSE_HOST:-localhost}" \
    -addext "subjectAltName=DNS:${WEIGHHOUSE_HOST:-localhost},IP:127.0.0.1" \
    -keyout "$directory/key.pem" -out "$directory/certificate.pem" 2>/dev/null
  chmod 600 "$directory/key.pem"
  echo "made a self-signed certificate; mount your own at $directory for people to trust it"
fi
exec nginx -g 'daemon off;'

#!/bin/sh
# Serves TLS; makes a self-signed certificate when none was mounted at /etc/weighhouse/tls, for this machine's own
# name and for that of the address people use.
set -eu
directory=${WEIGHHOUSE_TLS_DIRECTORY:-/etc/weighhouse/tls}
if [ ! -s "$directory/certificate.pem" ]; then
  host=${WEIGHHOUSE_PUBLIC_URL:-https://localhost}
  host=${host#*://}
  host=${host%%/*}
  case $host in
    \[*) host=${host#\[} host=${host%%\]*} ;;
    *) host=${host%%:*} ;;
  esac
  case $host in
    localhost | 127.0.0.1) also= ;;
    *:*) also=",IP:$host" ;;
    *[!0-9.]*) also=",DNS:$host" ;;
    *) also=",IP:$host" ;;
  esac
  mkdir -p "$directory"
  openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj "/CN=Weighhouse" \
    -addext "subjectAltName=DNS:localhost,IP:127.0.0.1$also" \
    -keyout "$directory/key.pem" -out "$directory/certificate.pem" 2>/dev/null
  chmod 600 "$directory/key.pem"
  echo "made a self-signed certificate for $host; mount your own at $directory for people to trust it"
fi
exec nginx -g 'daemon off;'

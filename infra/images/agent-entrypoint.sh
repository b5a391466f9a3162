#!/bin/sh
# Enrols on first start, then runs the agent. With WEIGHHOUSE_REGISTRATION_TOKEN, or with the file
# WEIGHHOUSE_REGISTRATION_TOKENS: a token a line, of which each is one machine's. The file
# WEIGHHOUSE_AGENT_POLICY becomes its policy, with WEIGHHOUSE_AGENT_ADDRESS in place of @ADDRESS@.
set -eu
home=$WEIGHHOUSE_AGENT_HOME
if [ $# -gt 0 ]; then exec "$@"; fi
mkdir -p "$home"
if [ -n "${WEIGHHOUSE_AGENT_POLICY:-}" ]; then
  sed "s/@ADDRESS@/${WEIGHHOUSE_AGENT_ADDRESS:-127.0.0.1}/" "$WEIGHHOUSE_AGENT_POLICY" >"$home/policy.toml"
fi
if [ ! -s "$home/identity.json" ]; then
  : "${WEIGHHOUSE_URL:?address of the platform}"
  if [ -n "${WEIGHHOUSE_REGISTRATION_TOKENS:-}" ]; then
    [ -r "$WEIGHHOUSE_REGISTRATION_TOKENS" ] || {
      echo "no registration tokens in $WEIGHHOUSE_REGISTRATION_TOKENS: make some under Agents, one a machine" >&2
      exit 2
    }
    tokens=$(cat "$WEIGHHOUSE_REGISTRATION_TOKENS")
  else
    tokens=${WEIGHHOUSE_REGISTRATION_TOKEN:?make one under Agents, or with the API}
  fi
  set --
  for role in ${WEIGHHOUSE_AGENT_ROLES:-}; do set -- "$@" --role "$role"; done
  [ -z "${WEIGHHOUSE_AGENT_NAME:-}" ] || set -- "$@" --name "$WEIGHHOUSE_AGENT_NAME"
  enrolled=
  for token in $tokens; do
    # What another machine used is refused; the next one may be free.
    weighhouse-agent enrol --url "$WEIGHHOUSE_URL" --token "$token" "$@" && { enrolled=yes; break; }
  done
  [ -n "$enrolled" ] || { echo "none of the registration tokens is good for this machine" >&2; exit 2; }
  set --
fi
unset WEIGHHOUSE_REGISTRATION_TOKEN
exec weighhouse-agent start

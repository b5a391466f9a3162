#!/bin/sh
# Enrols on first start with WEIGHHOUSE_REGISTRATION_TOKEN, then runs the agent.
set -eu
if [ ! -s "$WEIGHHOUSE_AGENT_HOME/identity.json" ]; then
  weighhouse-agent enrol --url "${WEIGHHOUSE_URL:?address of the platform}" \
    --token "${WEIGHHOUSE_REGISTRATION_TOKEN:?make one under Agents, or with the API}"
fi
unset WEIGHHOUSE_REGISTRATION_TOKEN
exec weighhouse-agent start

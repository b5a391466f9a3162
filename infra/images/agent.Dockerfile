# An agent with the first three plugins, their drivers, and the servers Debian packages.
# Built from artefacts of `make images`: build/drivers has to hold the driver executables.
FROM debian:bookworm-slim

RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv \
      redis-server memcached \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --create-home --home-dir /var/lib/weighhouse weighhouse

ENV PATH=/opt/weighhouse/venv/bin:$PATH \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    PYTHONUNBUFFERED=1

WORKDIR /opt/weighhouse
COPY requirements.lock ./
RUN python3 -m venv venv && venv/bin/pip install --no-cache-dir -q --no-deps --require-hashes -r requirements.lock

COPY protocol protocol
COPY plugins plugins
COPY agent agent
RUN venv/bin/pip install --no-cache-dir -q --no-deps --no-build-isolation \
      ./protocol $(dirname ./plugins/*/pyproject.toml) ./agent
COPY build/drivers drivers
COPY infra/images/agent-entrypoint.sh /usr/local/bin/weighhouse-agent-entrypoint

ENV WEIGHHOUSE_DRIVERS=/opt/weighhouse/drivers \
    WEIGHHOUSE_AGENT_HOME=/var/lib/weighhouse/agent

USER weighhouse
RUN mkdir -p /var/lib/weighhouse/agent
ENTRYPOINT ["weighhouse-agent-entrypoint"]

# An agent with all plugins and their drivers, from the wheels of a release, and the servers Debian packages.
# infra/images/prepare.sh puts the wheels into build/images, and beside them what others wrote, by its hashes.
FROM debian:bookworm-slim

RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv \
      redis-server memcached \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 999 --create-home --home-dir /var/lib/weighhouse weighhouse

ENV PATH=/opt/weighhouse/venv/bin:$PATH \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    PYTHONUNBUFFERED=1

WORKDIR /opt/weighhouse
COPY build/images/agent.txt ./
RUN python3 -m venv venv && venv/bin/pip install --no-cache-dir -q --no-deps --require-hashes -r agent.txt
COPY build/images/agent packages
RUN venv/bin/pip install --no-cache-dir -q --no-deps --no-index packages/*.whl && rm -rf packages
COPY infra/images/agent-entrypoint.sh /usr/local/bin/weighhouse-agent-entrypoint

ENV WEIGHHOUSE_AGENT_HOME=/var/lib/weighhouse/agent

USER weighhouse
RUN mkdir -p /var/lib/weighhouse/agent
ENTRYPOINT ["weighhouse-agent-entrypoint"]

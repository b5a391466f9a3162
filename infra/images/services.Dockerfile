# PostgreSQL, Redis and the proxy as Debian packages them, one target each.
# Where an image registry is at hand, docker-compose.yml may name the official images instead.
FROM debian:bookworm-slim AS postgres
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql-15 \
 && rm -rf /var/lib/apt/lists/*
COPY infra/images/postgres-entrypoint.sh /usr/local/bin/postgres-entrypoint
# Volumes and the Helm chart know the account by its number.
RUN install -d -o postgres -g postgres -m 700 /var/lib/weighhouse && test "$(id -u postgres):$(id -g postgres)" = 100:102
USER postgres
VOLUME /var/lib/weighhouse
STOPSIGNAL SIGINT
ENTRYPOINT ["postgres-entrypoint"]

FROM debian:bookworm-slim AS redis
RUN apt-get update \
 && apt-get install -y --no-install-recommends redis-server \
 && rm -rf /var/lib/apt/lists/* && test "$(id -u redis):$(id -g redis)" = 100:101
USER redis
CMD ["redis-server", "--bind", "0.0.0.0", "--protected-mode", "no", "--save", "", "--appendonly", "no", "--dir", "/tmp"]

FROM debian:bookworm-slim AS proxy
RUN apt-get update \
 && apt-get install -y --no-install-recommends nginx-light openssl ca-certificates \
 && rm -rf /var/lib/apt/lists/*
COPY infra/images/proxy-entrypoint.sh /usr/local/bin/proxy-entrypoint
COPY infra/images/proxy.conf /etc/nginx/nginx.conf
VOLUME /etc/weighhouse/tls
ENTRYPOINT ["proxy-entrypoint"]

# The platform's image: backend, worker and migrations with what they read, from the wheels of a release.
# infra/images/prepare.sh puts the wheels into build/images, and beside them what others wrote, by its hashes.
FROM debian:bookworm-slim

RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates curl python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 999 --create-home --home-dir /var/lib/weighhouse weighhouse

ENV PATH=/opt/weighhouse/venv/bin:$PATH \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    PYTHONUNBUFFERED=1

WORKDIR /opt/weighhouse
COPY build/images/platform.txt ./
RUN python3 -m venv venv && venv/bin/pip install --no-cache-dir -q --no-deps --require-hashes -r platform.txt
COPY build/images/platform packages
RUN venv/bin/pip install --no-cache-dir -q --no-deps --no-index packages/*.whl && rm -rf packages \
 && python -c 'import os, weighhouse_backend as code; folder = os.path.dirname(code.__file__); \
      os.symlink(os.path.join(os.path.dirname(folder), "weighhouse_resources"), "resources"); \
      os.symlink(os.path.join(folder, "app", "uvicorn.json"), "uvicorn.json")'
COPY infra/images/platform-entrypoint.sh /usr/local/bin/weighhouse-platform

ENV WEIGHHOUSE_FRONTEND_DIR=/opt/weighhouse/resources/frontend \
    WEIGHHOUSE_EXPERIMENTS_DIR=/opt/weighhouse/resources/experiments \
    WEIGHHOUSE_DOCS_DIR=/opt/weighhouse/resources/docs \
    WEIGHHOUSE_MIGRATIONS_DIR=/opt/weighhouse/resources/migrations \
    WEIGHHOUSE_ARTIFACT_DIR=/var/lib/weighhouse/artifacts

USER weighhouse
RUN mkdir -p /var/lib/weighhouse/artifacts
EXPOSE 8480
ENTRYPOINT ["weighhouse-platform"]
CMD ["backend"]

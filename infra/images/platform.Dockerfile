# The platform's image: backend, worker and migrations, with the built frontend.
# Built from artefacts of `make images`: frontend/dist has to be there.
FROM debian:bookworm-slim

RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates curl python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --create-home --home-dir /var/lib/weighhouse weighhouse

ENV PATH=/opt/weighhouse/venv/bin:$PATH \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    PYTHONUNBUFFERED=1

WORKDIR /opt/weighhouse
COPY requirements.lock ./
RUN python3 -m venv venv && venv/bin/pip install --no-cache-dir -q --no-deps --require-hashes -r requirements.lock

COPY protocol protocol
COPY judging judging
COPY backend backend
COPY worker worker
RUN venv/bin/pip install --no-cache-dir -q --no-deps --no-build-isolation ./protocol ./judging ./backend ./worker

COPY migrations migrations
COPY experiments experiments
COPY docs docs
COPY frontend/dist frontend/dist

ENV WEIGHHOUSE_FRONTEND_DIR=/opt/weighhouse/frontend/dist \
    WEIGHHOUSE_EXPERIMENTS_DIR=/opt/weighhouse/experiments \
    WEIGHHOUSE_DOCS_DIR=/opt/weighhouse/docs \
    WEIGHHOUSE_MIGRATIONS_DIR=/opt/weighhouse/migrations \
    WEIGHHOUSE_ARTIFACT_DIR=/var/lib/weighhouse/artifacts

USER weighhouse
RUN mkdir -p /var/lib/weighhouse/artifacts
EXPOSE 8480
CMD ["uvicorn", "weighhouse_backend.app.factory:create_app", "--factory", "--host", "0.0.0.0", "--port", "8480", "--http", "weighhouse_backend.app.http:BoundedHttp", "--log-config", "backend/weighhouse_backend/app/uvicorn.json", "--no-access-log", "--no-proxy-headers"]

#!/bin/sh
# The parts of the platform by name: migrate, await-migrations, backend, worker, beat; anything else is run as it is.
set -eu
resources=/opt/weighhouse/resources
alembic() { command alembic -c "$resources/migrations/alembic.ini" "$@"; }

case ${1:-backend} in
  migrate)
    alembic upgrade head
    python -m weighhouse_backend.kit.database_login
    exec python -m weighhouse_backend.app.bootstrap >/dev/null
    ;;
  await-migrations)
    # Ten minutes; then whoever started this starts it again.
    for _ in $(seq 120); do
      alembic current --check-heads >/tmp/await 2>&1 && exit 0
      sleep 5
    done
    tail -n 5 /tmp/await >&2
    echo "the database is not at this release's migrations after ten minutes: is the migration done?" >&2
    exit 1
    ;;
  backend)
    exec uvicorn weighhouse_backend.app.factory:create_app --factory --host 0.0.0.0 --port 8480 \
      --http weighhouse_backend.app.http:BoundedHttp --log-config /opt/weighhouse/uvicorn.json \
      --no-access-log --no-proxy-headers
    ;;
  worker)
    exec celery --quiet -A weighhouse_worker.app:app worker --loglevel INFO --concurrency "${WEIGHHOUSE_WORKERS:-2}"
    ;;
  beat)
    exec celery --quiet -A weighhouse_worker.beat:app beat --loglevel INFO --schedule /tmp/beat-schedule --pidfile ""
    ;;
  *) exec "$@" ;;
esac

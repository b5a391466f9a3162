"""Runs migrations as the owner of the tables: WEIGHHOUSE_OWNER_DATABASE_URL, or where the
application's login owns them WEIGHHOUSE_DATABASE_URL, or the address a test hands over.

The models are read for `alembic check` and autogenerate alone; versions never import them.
"""

import os

from alembic import context
from sqlalchemy import create_engine, pool, text
from weighhouse_backend.alerts import models as alerts
from weighhouse_backend.annotations import models as annotations
from weighhouse_backend.catalog import models as catalog
from weighhouse_backend.directories import models as directories
from weighhouse_backend.disclosure import models as disclosure
from weighhouse_backend.experiments import models as experiments
from weighhouse_backend.findings import models as findings
from weighhouse_backend.fleet import models as fleet
from weighhouse_backend.gates import models as gates
from weighhouse_backend.identity import factor_models as factors
from weighhouse_backend.identity import models as identity
from weighhouse_backend.kit import idempotency, owed
from weighhouse_backend.kit.db import Base
from weighhouse_backend.measurements import models as results
from weighhouse_backend.membership import domain_models as domains
from weighhouse_backend.noise import models as noise
from weighhouse_backend.notices import models as notices
from weighhouse_backend.prices import models as prices
from weighhouse_backend.retention import models as retention
from weighhouse_backend.runs import models as campaigns
from weighhouse_backend.search import models as search
from weighhouse_backend.series import models as series

FEATURES = (
    identity, factors, catalog, experiments, fleet, campaigns, results, noise, findings, series,
    alerts, annotations, gates, directories, disclosure, prices, notices, retention,
    domains, idempotency, owed, search,
)  # fmt: skip
# Migrations wait this long for a lock, so that they never stand before a queue of requests.
LOCK_TIMEOUT = "10s"


def run() -> None:
    """Upgrade or downgrade in one transaction."""
    url = (
        context.config.attributes.get("database_url")
        or os.environ.get("WEIGHHOUSE_OWNER_DATABASE_URL")
        or os.environ["WEIGHHOUSE_DATABASE_URL"]
    )
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as connection:
        connection.execute(text(f"SET lock_timeout = '{LOCK_TIMEOUT}'"))
        connection.commit()
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            compare_type=True,
            transaction_per_migration=False,
        )
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()


run()

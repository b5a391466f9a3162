"""What the platform is at, over all tenants, for those who keep it running: one statement.

It reads tables of several features and says nothing of any tenant but its agents' names and ids;
each part of it is answered by an index over what is open, so that a scrape costs the same in a
database of many years.
"""

from typing import Any

from pydantic import BaseModel
from sqlalchemy import Engine, text

from weighhouse_backend.kit.db import make_engine
from weighhouse_backend.runs.states import LIVE_MEMBERS, RunStatus

STATEMENT_MS = 3000
"""A statement of an observer that takes longer is given up: who watches must not get in the way."""
OPEN_RUNS = (RunStatus.QUEUED, RunStatus.ALLOCATED, RunStatus.RUNNING, RunStatus.SETTLING)

_WORK = text("""
WITH open_runs AS (
  SELECT r.status, count(*) AS n,
    max(extract(epoch FROM now() - r.changed_at))
      FILTER (WHERE r.status = 'queued' AND NOT c.paused AND r.leader_id IS NULL) AS oldest
  FROM runs r JOIN campaigns c ON c.id = r.campaign_id
  WHERE r.status = ANY (:open) GROUP BY r.status
), live AS (
  SELECT m.agent_id, count(*) AS leases,
    max(extract(epoch FROM now() - coalesce(m.heartbeat_at, m.offered_at))) AS silent,
    max(extract(epoch FROM now() - newest.at) - coalesce(m.clock_offset_us, 0) / 1e6) AS lag
  FROM attempt_members m
  LEFT JOIN LATERAL (
    SELECT s.at FROM resource_samples s
    WHERE s.attempt_id = m.attempt_id AND s.member = m.index
    ORDER BY s.sequence DESC LIMIT 1
  ) newest ON true
  WHERE m.status = ANY (:live) GROUP BY m.agent_id
)
SELECT json_build_object(
  'runs', (SELECT coalesce(json_object_agg(status, n), '{}') FROM open_runs),
  'oldest_queued_seconds', (SELECT max(oldest) FROM open_runs),
  'agents', (SELECT coalesce(json_agg(json_build_object(
      'id', a.id, 'name', a.name, 'draining', a.draining, 'resting', a.resting IS NOT NULL,
      'unseen_seconds', extract(epoch FROM now() - a.seen_at), 'spool_bytes', a.spool_bytes,
      'leases', coalesce(live.leases, 0), 'lease_silent_seconds', live.silent,
      'ingest_lag_seconds', live.lag)), '[]')
    FROM agents a LEFT JOIN live ON live.agent_id = a.id WHERE a.revoked_at IS NULL),
  'agents_revoked', (SELECT count(*) FROM agents WHERE revoked_at IS NOT NULL))
""")


class AgentAtWork(BaseModel):
    """An agent that was not revoked."""

    id: str
    name: str
    draining: bool
    resting: bool
    """It says itself that it takes no work."""
    unseen_seconds: float | None
    """Since it called last; None: it never did."""
    spool_bytes: int
    """By its last word."""
    leases: int
    """Parts in attempts that it holds."""
    lease_silent_seconds: float | None
    """Since the heartbeat of the one that was silent longest."""
    ingest_lag_seconds: float | None
    """How old the newest sample is that is stored of the one that is furthest behind."""


class Work(BaseModel):
    """What there is to do, and who does it."""

    runs: dict[str, int]
    """Open ones, by status."""
    oldest_queued_seconds: float | None
    """Of campaigns that are not paused."""
    agents: list[AgentAtWork]
    agents_revoked: int


def observers_engine(database_url: str, *, pooled: bool = False) -> Engine:
    """A connection for whoever watches, so that a pool without a free one does not blind them."""
    return make_engine(database_url, pool_size=1, pooled=pooled)


def asked(engine: Engine, statement: Any, **arguments: Any) -> Any:
    """The one value that an observer's statement gives.

    :raises SQLAlchemyError: when the database is away, or takes too long.
    """
    with engine.connect() as connection:
        connection.execute(text(f"SET LOCAL statement_timeout = {STATEMENT_MS}"))
        return connection.execute(statement, arguments).scalar()


def work_of(engine: Engine) -> Work:
    """:raises SQLAlchemyError: as `asked`."""
    found = asked(
        engine,
        _WORK,
        open=[str(one) for one in OPEN_RUNS],
        live=[str(one) for one in LIVE_MEMBERS],
    )
    return Work.model_validate(found)

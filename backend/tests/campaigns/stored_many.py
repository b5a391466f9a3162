"""Many campaigns of a world, stored by the database itself: clones of one."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from weighhouse_testing.world import World

COLUMNS = text(
    "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns"
    " WHERE table_name = 'campaigns'"
    " AND column_name NOT IN ('id', 'number', 'created_at', 'status', 'verdict', 'requested_by')"
)
RARE = 997
"""Of so many campaigns one failed, regressed, and was started by Ada for a commit of its own."""


@dataclass(frozen=True)
class Stored:
    """What there is to be found."""

    ids: list[UUID]
    """By number, the first first."""
    rare: list[UUID]


def store(world: World, count: int) -> Stored:
    """Clone a world's only campaign until there are `count`, a minute apart, the first first."""
    with world.transaction() as feature:
        session = feature.session
        one = session.execute(
            text("SELECT id FROM campaigns WHERE project_id = :project"),
            {"project": world.project_id},
        ).scalar_one()
        others = session.execute(COLUMNS).scalar_one()
        session.execute(
            text(
                f"INSERT INTO campaigns (id, number, created_at, status, verdict, requested_by,"
                f" {others}) SELECT overlay(id::text placing lpad(to_hex(1 + n), 12, '0') from 25"
                f" for 12)::uuid, 1 + n, created_at + n * interval '1 minute',"
                f" CASE WHEN n % {RARE} = 0 THEN 'failed' ELSE 'completed' END,"
                f" CASE WHEN n % {RARE} = 0 THEN 'regression' ELSE 'passed' END,"
                f" CASE WHEN n % {RARE} = 0 THEN 'Ada' ELSE 'Mia' END, {others}"
                f" FROM campaigns, generate_series(1, :more) n WHERE id = :one"
            ),
            {"one": one, "more": count - 1},
        )
        session.execute(
            text(
                "INSERT INTO campaign_commits (campaign_id, project_id, commit, branch, dirty)"
                f" SELECT id, project_id, md5(number::text) || '00000000',"
                f" CASE WHEN (number - 1) % {RARE} = 0 THEN 'rare' ELSE 'main' END, false"
                " FROM campaigns WHERE project_id = :project AND id <> :one"
            ),
            {"one": one, "project": world.project_id},
        )
        session.execute(text("ANALYZE campaigns, campaign_commits"))
        found = session.execute(
            text("SELECT id, verdict FROM campaigns WHERE project_id = :project ORDER BY number"),
            {"project": world.project_id},
        ).all()
    return Stored(
        [row.id for row in found], [row.id for row in found if row.verdict == "regression"]
    )

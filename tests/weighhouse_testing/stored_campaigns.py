"""Many campaigns of a project, stored by the database itself: clones of one."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

COLUMNS = text(
    "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns"
    " WHERE table_name = 'campaigns'"
    " AND column_name NOT IN"
    " ('id', 'number', 'created_at', 'stands_at', 'status', 'verdict', 'requested_by')"
)
RARE = 997
"""Of so many campaigns one failed, regressed, and was started by Ada on a branch of its own."""


@dataclass(frozen=True)
class Stored:
    """What there is to be found."""

    ids: list[UUID]
    """By number, the first first."""
    rare: list[UUID]


def store_campaigns(session: Session, project_id: UUID, count: int) -> Stored:
    """Clone a project's only campaign until there are `count`, a minute apart, the first first."""
    project = {"project": project_id}
    one = session.execute(
        text("SELECT id FROM campaigns WHERE project_id = :project"), project
    ).scalar_one()
    others = session.execute(COLUMNS).scalar_one()
    session.execute(
        text(
            "INSERT INTO campaigns (id, number, created_at, stands_at, status, verdict,"
            f" requested_by, {others}) SELECT"
            " overlay(id::text placing lpad(to_hex(1 + n), 12, '0') from 25 for 12)::uuid, 1 + n,"
            " created_at + n * interval '1 minute', created_at + n * interval '1 minute',"
            f" CASE WHEN n % {RARE} = 0 THEN 'failed' ELSE 'completed' END,"
            f" CASE WHEN n % {RARE} = 0 THEN 'regression' ELSE 'passed' END,"
            f" CASE WHEN n % {RARE} = 0 THEN 'Ada' ELSE 'Mia' END, {others}"
            " FROM campaigns, generate_series(1, :more) n WHERE id = :one"
        ),
        {"one": one, "more": count - 1},
    )
    session.execute(
        text(
            "INSERT INTO campaign_commits (campaign_id, project_id, commit, branch, dirty)"
            " SELECT id, project_id, md5(number::text) || '00000000',"
            f" CASE WHEN (number - 1) % {RARE} = 0 THEN 'rare' ELSE 'main' END, false"
            " FROM campaigns WHERE project_id = :project AND id <> :one"
        ),
        {"one": one, **project},
    )
    found = session.execute(
        text("SELECT id, verdict FROM campaigns WHERE project_id = :project ORDER BY number"),
        project,
    ).all()
    rare = [row.id for row in found if row.verdict == "regression"]
    return Stored([row.id for row in found], rare)

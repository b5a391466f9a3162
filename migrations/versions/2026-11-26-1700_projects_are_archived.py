"""campaigns are listed by what they are narrowed to; projects are archived

Revision: 0040, after 0039
"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

PEOPLE = "weighhouse_people"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
LISTED_BY = (
    ("experiment_id", "id"), ("project_id", "id"),
    *(("project_id", by, "id") for by in ("status", "verdict", "requested_by", "created_at")),
)  # fmt: skip
COLUMNS = ("archived_at", "archived_by", "restored_at")


def upgrade() -> None:
    for columns in LISTED_BY:
        op.create_index(op.f(f"ix_campaigns_{'_'.join(columns)}"), "campaigns", list(columns))
    instant = sa.DateTime(timezone=True)
    for name, kind in zip(COLUMNS, (instant, sa.Text(), instant), strict=True):
        op.add_column("projects", sa.Column(name, kind, nullable=True))
    changes = ", ".join(("name", *COLUMNS))
    op.execute(f"GRANT UPDATE ({changes}) ON projects TO {PEOPLE}")
    op.execute(
        f"CREATE POLICY changed_rows ON projects FOR UPDATE TO {PEOPLE} USING (id = {PROJECTS})"
    )


def downgrade() -> None:
    op.execute("DROP POLICY changed_rows ON projects")
    op.execute(f"REVOKE UPDATE (name) ON projects FROM {PEOPLE}")
    for name in COLUMNS:
        op.drop_column("projects", name)
    for columns in LISTED_BY:
        op.drop_index(op.f(f"ix_campaigns_{'_'.join(columns)}"), "campaigns")

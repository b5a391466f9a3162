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
NARROWED_BY = ("status", "verdict", "requested_by", "release")
LISTED_BY = ("project_id",), *(("project_id", by) for by in NARROWED_BY), ("experiment_id",)
BEFORE = "ix_campaigns_experiment_id_created_at"
COLUMNS = ("archived_at", "archived_by", "restored_at")


def upgrade() -> None:
    for by in LISTED_BY:
        name = f"ix_campaigns_{'_'.join(by)}_listed"
        op.create_index(op.f(name), "campaigns", [*by, "created_at", "id"])
    op.drop_index(op.f(BEFORE), "campaigns")  # the last of them begins with its columns
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
    op.create_index(op.f(BEFORE), "campaigns", ["experiment_id", "created_at"])
    for by in LISTED_BY:
        op.drop_index(op.f(f"ix_campaigns_{'_'.join(by)}_listed"), "campaigns")

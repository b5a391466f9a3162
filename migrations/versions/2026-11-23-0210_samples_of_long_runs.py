"""levels of the resource samples of long runs

Revision: 0017, after 0016

Runs with many samples that are there are noted like those whose levels are still to be built; the
worker builds them one by one while everything else goes on, and until then all their samples are
merged when somebody looks. So this takes one look into an index for each attempt.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
MANY = 600


def upgrade() -> None:
    op.create_table(
        "sample_windows",
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column("member", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("width", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("slot", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("last_sequence", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("figures", postgresql.JSONB(), nullable=False),
        sa.Column("metrics", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id", "member"],
            ["attempt_members.attempt_id", "attempt_members.index"],
            name=op.f("fk_sample_windows_attempt_id_attempt_members"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_sample_windows_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "attempt_id", "member", "width", "slot", name=op.f("pk_sample_windows")
        ),
    )
    op.create_index("ix_sample_windows_project_id", "sample_windows", ["project_id"])
    op.execute("ALTER TABLE sample_windows ENABLE ROW LEVEL SECURITY")
    op.execute(
        f"CREATE POLICY own_rows ON sample_windows TO {ROLE} USING (project_id = {PROJECTS})"
    )
    op.execute(
        "INSERT INTO levels_wanted (attempt_id, project_id) "
        "SELECT id, project_id FROM attempts WHERE EXISTS (SELECT FROM resource_samples "
        f"WHERE attempt_id = attempts.id AND member = 0 OFFSET {MANY}) ON CONFLICT DO NOTHING"
    )


def downgrade() -> None:
    # All samples are there still: long runs are drawn from them again, slower.
    op.drop_index("ix_sample_windows_project_id", "sample_windows")
    op.drop_table("sample_windows")

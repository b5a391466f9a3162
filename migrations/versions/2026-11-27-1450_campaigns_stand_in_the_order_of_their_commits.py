"""campaigns stand in the order of their commits, whose history is known

Campaigns that are there stand where they stood: when they were asked for. Nobody told the times of
their commits.

Revision: 0043, after 0042
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

TENANT, SERVICE = "weighhouse_tenant", "weighhouse_service"
# A subselect is worked out once a statement, not once a row. Without the setting nothing is seen.
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)


def upgrade() -> None:
    op.add_column("campaigns", sa.Column("stands_at", sa.DateTime(timezone=True), nullable=True))
    op.execute("UPDATE campaigns SET stands_at = created_at")
    op.alter_column("campaigns", "stands_at", nullable=False)
    op.create_index(
        "ix_campaigns_experiment_id_stands_at", "campaigns", ["experiment_id", "stands_at", "id"]
    )
    op.add_column(
        "campaign_commits", sa.Column("committed_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column("campaign_commits", sa.Column("merge_base", sa.Text(), nullable=True))
    op.create_table(
        "known_commits",
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("commit", sa.Text(), nullable=False),
        sa.Column("parents", ARRAY(sa.Text()), nullable=True),
        sa.Column("committed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stands_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_known_commits_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("project_id", "commit", name=op.f("pk_known_commits")),
    )
    op.create_index(
        "ix_known_commits_parents", "known_commits", ["parents"], postgresql_using="gin"
    )
    op.create_index(
        "ix_known_commits_project_id_stands_at", "known_commits", ["project_id", "stands_at"]
    )
    op.execute("ALTER TABLE known_commits ENABLE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY every_row ON known_commits TO {SERVICE} USING (true)")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON known_commits TO {TENANT}")
    op.execute(f"CREATE POLICY own_rows ON known_commits TO {TENANT} USING (project_id = {PROJECTS})")


def downgrade() -> None:
    op.drop_table("known_commits")
    op.drop_column("campaign_commits", "merge_base")
    op.drop_column("campaign_commits", "committed_at")
    op.drop_index("ix_campaigns_experiment_id_stands_at", table_name="campaigns")
    op.drop_column("campaigns", "stands_at")

"""campaigns are measured again elsewhere

Revision: 0051, after 0050
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

TENANT, SERVICE = "weighhouse_tenant", "weighhouse_service"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)


def upgrade() -> None:
    op.create_table(
        "reproductions",
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("manifest_sha256", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Uuid(), nullable=False),
        sa.Column("reproduces_sha256", sa.Text(), nullable=False),
        sa.Column("key_sha256", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("body", JSONB(none_as_null=True), nullable=False),
        sa.Column("added_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('reproduced', 'did_not_reproduce', 'cannot_tell')",
            name=op.f("ck_reproductions_outcome"),
        ),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_reproductions_{column}_{table}"),
                ondelete="CASCADE",
            )
            for column, table in (("project_id", "projects"), ("campaign_id", "campaigns"))
        ),
        sa.PrimaryKeyConstraint("project_id", "manifest_sha256", name=op.f("pk_reproductions")),
    )  # fmt: skip
    op.create_index(op.f("ix_reproductions_campaign_id"), "reproductions", ["campaign_id"])
    op.execute("ALTER TABLE reproductions ENABLE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY every_row ON reproductions TO {SERVICE} USING (true)")
    op.execute(f"GRANT SELECT, INSERT, DELETE ON reproductions TO {TENANT}")
    op.execute(
        f"CREATE POLICY own_rows ON reproductions TO {TENANT} USING (project_id = {PROJECTS})"
    )


def downgrade() -> None:
    op.drop_table("reproductions")

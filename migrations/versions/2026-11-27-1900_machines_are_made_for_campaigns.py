"""machines are made for campaigns by a provisioner

Revision: 0046, after 0045
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

TENANT, SERVICE = "weighhouse_tenant", "weighhouse_service"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
MOMENTS = {"wanted_at": False, "ends_at": False, "begun_at": True, "made_at": True, "ended_at": True}


def upgrade() -> None:
    op.create_table(
        "provisions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("campaign_id", sa.Uuid(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("machines", JSONB(), nullable=False),
        sa.Column("hourly", JSONB(), nullable=True),
        sa.Column("requested_by", sa.Text(), nullable=True),
        *(sa.Column(name, sa.DateTime(timezone=True), nullable=may) for name, may in MOMENTS.items()),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "state IN ('wanted', 'making', 'made', 'ending', 'ended', 'failed')",
            name=op.f("ck_provisions_state"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_provisions_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_provisions_campaign_id_campaigns"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_provisions")),
    )  # fmt: skip
    op.create_index(op.f("ix_provisions_project_id"), "provisions", ["project_id"])
    op.create_index(op.f("ix_provisions_campaign_id"), "provisions", ["campaign_id"])
    op.create_index(
        "ix_provisions_live",
        "provisions",
        ["state"],
        postgresql_where=sa.text("state NOT IN ('ended', 'failed')"),
    )
    op.create_table(
        "provisioner_offers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kinds", JSONB(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("told_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_provisioner_offers")),
    )
    op.execute("ALTER TABLE provisions ENABLE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY every_row ON provisions TO {SERVICE} USING (true)")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON provisions TO {TENANT}")
    op.execute(f"CREATE POLICY own_rows ON provisions TO {TENANT} USING (project_id = {PROJECTS})")
    op.execute(f"GRANT SELECT ON provisioner_offers TO {TENANT}")


def downgrade() -> None:
    op.drop_table("provisioner_offers")
    op.drop_table("provisions")

"""campaigns are looked at while they grow; runs of A/A campaigns come in twos

Revision: 0009, after 0005

Campaigns that are there were planned once, with one run of a cell in a block.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0005"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
# A subselect is worked out once a statement, not once a row. Without the setting nothing is seen.
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)


def upgrade() -> None:
    op.add_column(
        "campaigns", sa.Column("noise", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("runs", sa.Column("twin", sa.Integer(), nullable=False, server_default="0"))
    op.alter_column("campaigns", "noise", server_default=None)
    op.alter_column("runs", "twin", server_default=None)
    op.create_check_constraint(op.f("ck_runs_twin"), "runs", "twin IN (0, 1)")
    op.create_unique_constraint(
        op.f("uq_runs_cell_id_repetition_twin"), "runs", ["cell_id", "repetition", "twin"]
    )
    op.drop_constraint(op.f("uq_runs_cell_id_repetition"), "runs")
    op.create_table(
        "campaign_looks",
        sa.Column("campaign_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.Text(), nullable=True),
        sa.Column("cells", postgresql.JSONB(), nullable=False),
        sa.Column("runs_planned", sa.Integer(), nullable=False),
        sa.Column("looked_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "decision IN ('more', 'enough', 'asked')", name=op.f("ck_campaign_looks_decision")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
            name=op.f("fk_campaign_looks_campaign_id_campaigns"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_campaign_looks_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_campaign_looks")),
    )
    op.execute("ALTER TABLE campaign_looks ENABLE ROW LEVEL SECURITY")
    op.execute(
        f"CREATE POLICY own_rows ON campaign_looks TO {ROLE} USING (project_id = {PROJECTS})"
    )


def downgrade() -> None:
    op.drop_table("campaign_looks")
    # Before, a cell had one run in a block.
    op.execute("DELETE FROM campaigns WHERE noise")
    op.drop_constraint(op.f("uq_runs_cell_id_repetition_twin"), "runs")
    op.create_unique_constraint(
        op.f("uq_runs_cell_id_repetition"), "runs", ["cell_id", "repetition"]
    )
    op.drop_constraint(op.f("ck_runs_twin"), "runs")
    op.drop_column("runs", "twin")
    op.drop_column("campaigns", "noise")

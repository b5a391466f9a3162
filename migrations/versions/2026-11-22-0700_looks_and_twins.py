"""campaigns are looked at while they grow; runs of A/A campaigns come in twos, and are kept as noise

Revision: 0010, after 0007

Campaigns that are there were planned once, with one run of a cell in a block.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0007"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
TABLES = ("campaign_looks", "noise_measurements")
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
    op.create_table(
        "noise_measurements",
        sa.Column("campaign_id", sa.Uuid(), nullable=False),
        sa.Column("cell_id", sa.Uuid(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("cell_identity", sa.Text(), nullable=False),
        sa.Column("side_family", sa.Text(), nullable=False),
        sa.Column("system_id", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("workload", sa.Text(), nullable=False),
        sa.Column("load_label", sa.Text(), nullable=False),
        sa.Column("agents", postgresql.JSONB(), nullable=False),
        sa.Column("pairs", postgresql.JSONB(), nullable=False),
        sa.Column("measured_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
            name=op.f("fk_noise_measurements_campaign_id_campaigns"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["cell_id"],
            ["cells.id"],
            name=op.f("fk_noise_measurements_cell_id_cells"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_noise_measurements_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "campaign_id", "cell_id", "place", "metric", name=op.f("pk_noise_measurements")
        ),
    )
    op.create_index(
        "ix_noise_measurements_key",
        "noise_measurements",
        ["project_id", "place", "cell_identity", "side_family", "metric", "measured_at"],
    )
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(
            f"CREATE POLICY own_rows ON {table} TO {ROLE} USING (project_id = {PROJECTS})"
        )


def downgrade() -> None:
    op.drop_table("noise_measurements")
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

"""what seems worse is measured again; points say whether their cell regressed

Revision: 0039, after 0038
"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def checks(twins: str, decisions: str) -> None:
    op.drop_constraint(op.f("ck_runs_twin"), "runs")
    op.create_check_constraint(op.f("ck_runs_twin"), "runs", f"twin IN ({twins})")
    op.drop_constraint(op.f("ck_campaign_looks_decision"), "campaign_looks")
    op.create_check_constraint(
        op.f("ck_campaign_looks_decision"), "campaign_looks", f"decision IN ({decisions})"
    )


def upgrade() -> None:
    checks("0, 1, 2", "'more', 'enough', 'asked', 'again'")
    op.add_column(
        "series_points",
        sa.Column("regressed", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    op.alter_column("series_points", "regressed", server_default=None)


def downgrade() -> None:
    # Before, there was no second measurement, and nobody would leave it out of figures.
    op.execute("DELETE FROM runs WHERE twin = 2")
    op.execute("DELETE FROM campaign_looks WHERE decision = 'again'")
    op.drop_column("series_points", "regressed")
    checks("0, 1", "'more', 'enough', 'asked'")

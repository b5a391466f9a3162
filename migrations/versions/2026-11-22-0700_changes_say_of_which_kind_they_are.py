"""changes say of which kind they are, and what they follow from

Revision: 0007, after 0006

Changes that are there are steps: drifts were not looked for.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

UNIQUE = "uq_change_points_series_id_campaign_id"


def upgrade() -> None:
    op.add_column(
        "change_points", sa.Column("kind", sa.Text(), nullable=False, server_default="step")
    )
    op.alter_column("change_points", "kind", server_default=None)
    op.create_check_constraint(
        op.f("ck_change_points_kind"), "change_points", "kind IN ('step', 'drift')"
    )
    op.add_column("change_points", sa.Column("ended_by_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_change_points_ended_by_id_campaigns"),
        "change_points",
        "campaigns",
        ["ended_by_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.add_column("change_points", sa.Column("downstream_of_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_change_points_downstream_of_id_change_points"),
        "change_points",
        "change_points",
        ["downstream_of_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.add_column("change_points", sa.Column("effective_points", sa.Float(), nullable=True))
    op.drop_constraint(op.f(UNIQUE), "change_points")
    op.create_unique_constraint(
        op.f(f"{UNIQUE}_kind"),
        "change_points",
        ["series_id", "campaign_id", "kind"],
        deferrable=True,
        initially="DEFERRED",
    )
    op.create_index("ix_change_points_downstream_of_id", "change_points", ["downstream_of_id"])
    op.create_index("ix_change_points_project_id_id", "change_points", ["project_id", "id"])


def downgrade() -> None:
    # Before, a change was a step, and there was one a campaign.
    op.execute("DELETE FROM change_points WHERE kind = 'drift'")
    op.drop_index("ix_change_points_project_id_id", "change_points")
    op.drop_index("ix_change_points_downstream_of_id", "change_points")
    op.drop_constraint(op.f(f"{UNIQUE}_kind"), "change_points")
    op.create_unique_constraint(op.f(UNIQUE), "change_points", ["series_id", "campaign_id"])
    op.drop_column("change_points", "effective_points")
    op.drop_constraint(op.f("fk_change_points_downstream_of_id_change_points"), "change_points")
    op.drop_column("change_points", "downstream_of_id")
    op.drop_constraint(op.f("fk_change_points_ended_by_id_campaigns"), "change_points")
    op.drop_column("change_points", "ended_by_id")
    op.drop_constraint(op.f("ck_change_points_kind"), "change_points")
    op.drop_column("change_points", "kind")

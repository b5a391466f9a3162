"""series are keyed by what was measured; verdicts keep their bases; regressions can be accepted

Revision: 0006, after 0005

Series that are there keep their points and their names; what their cells were is worked out of the
experiments' revisions when the next campaign of the experiment is settled, for which a migration
would have to know the documents' defaults. Until then they have no identity, and are shown as before.
Campaigns that are there keep the base they were started with.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

NAMES = ["experiment_id", "target", "workload", "load_label", "metric"]
IDENTITY = ["experiment_id", "cell_identity", "side_family", "metric"]
BEFORE = "'passed', 'equivalent', 'regression', 'inconclusive', 'infrastructure', 'no_baseline'"
# Points of series that had one name before go back to the oldest of them.
OLDEST = """
    SELECT id, first_value(id) OVER (
        PARTITION BY experiment_id, target, workload, load_label, metric ORDER BY id
    ) AS kept FROM series
"""


def upgrade() -> None:
    op.add_column("series", sa.Column("cell_identity", sa.Text(), nullable=True))
    op.add_column("series", sa.Column("side_family", sa.Text(), nullable=True))
    op.add_column("series_points", sa.Column("place", sa.Text(), nullable=True))
    op.drop_constraint(
        op.f("uq_series_experiment_id_target_workload_load_label_metric"), "series", type_="unique"
    )
    op.create_unique_constraint(
        op.f("uq_series_experiment_id_cell_identity_side_family_metric"), "series", IDENTITY
    )
    op.create_foreign_key(
        op.f("fk_change_points_series_id_series_points"), "change_points", "series_points",
        ["series_id", "campaign_id"], ["series_id", "campaign_id"],
        onupdate="CASCADE", ondelete="CASCADE",
    )  # fmt: skip
    op.drop_constraint(op.f("ck_campaigns_verdict"), "campaigns", type_="check")
    op.create_check_constraint(
        op.f("ck_campaigns_verdict"), "campaigns", f"verdict IN ({BEFORE}, 'not_comparable')"
    )
    op.add_column(
        "campaigns", sa.Column("base", sa.Text(), nullable=False, server_default="pinned")
    )
    op.alter_column("campaigns", "base", server_default=None)
    op.add_column("campaigns", sa.Column("release", sa.Text(), nullable=True))
    op.add_column("campaigns", sa.Column("accepted_by", sa.Text(), nullable=True))
    op.add_column("campaigns", sa.Column("accepted_note", sa.Text(), nullable=True))
    op.add_column(
        "campaigns", sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.create_unique_constraint(
        op.f("uq_campaigns_experiment_id_release"), "campaigns", ["experiment_id", "release"]
    )
    op.add_column(
        "campaign_verdicts",
        sa.Column("bases", postgresql.JSONB(), nullable=False, server_default="[]"),
    )
    op.execute(
        "UPDATE campaign_verdicts SET bases = jsonb_build_array(base_campaign_id)"
        " WHERE base_campaign_id IS NOT NULL"
    )
    op.alter_column("campaign_verdicts", "bases", server_default=None)
    op.add_column("campaign_verdicts", sa.Column("anchor_campaign_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_campaign_verdicts_anchor_campaign_id_campaigns"), "campaign_verdicts", "campaigns",
        ["anchor_campaign_id"], ["id"], ondelete="SET NULL",
    )  # fmt: skip


def downgrade() -> None:
    op.drop_constraint(
        op.f("fk_campaign_verdicts_anchor_campaign_id_campaigns"),
        "campaign_verdicts",
        type_="foreignkey",
    )
    op.drop_column("campaign_verdicts", "anchor_campaign_id")
    op.drop_column("campaign_verdicts", "bases")
    op.drop_constraint(op.f("uq_campaigns_experiment_id_release"), "campaigns", type_="unique")
    for column in ("accepted_at", "accepted_note", "accepted_by", "release", "base"):
        op.drop_column("campaigns", column)
    op.drop_constraint(op.f("ck_campaigns_verdict"), "campaigns", type_="check")
    op.execute("UPDATE campaigns SET verdict = 'no_baseline' WHERE verdict = 'not_comparable'")
    op.create_check_constraint(
        op.f("ck_campaigns_verdict"), "campaigns", f"verdict IN ({BEFORE})"
    )
    op.drop_constraint(
        op.f("uq_series_experiment_id_cell_identity_side_family_metric"), "series", type_="unique"
    )
    op.execute(
        f"UPDATE series_points SET series_id = named.kept FROM ({OLDEST}) AS named"
        " WHERE named.id = series_points.series_id AND named.kept <> named.id AND NOT EXISTS ("
        "SELECT FROM series_points AS there WHERE there.series_id = named.kept"
        " AND there.campaign_id = series_points.campaign_id)"
    )
    op.drop_constraint(
        op.f("fk_change_points_series_id_series_points"), "change_points", type_="foreignkey"
    )
    op.execute(
        f"DELETE FROM series USING ({OLDEST}) AS named"
        " WHERE named.id = series.id AND named.kept <> named.id"
    )
    op.create_unique_constraint(
        op.f("uq_series_experiment_id_target_workload_load_label_metric"), "series", NAMES
    )
    op.drop_column("series_points", "place")
    op.drop_column("series", "side_family")
    op.drop_column("series", "cell_identity")

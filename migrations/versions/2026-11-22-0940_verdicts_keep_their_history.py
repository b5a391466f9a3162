"""verdicts keep their history, and by which rules they were made; campaigns are judged again

Revision: 0011, after 0010

Verdicts that are there are each campaign's first, by rules from before they had a number (1), without
what they rested on.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
TABLES = ("rejudgements", "rejudged_campaigns")
# A subselect is worked out once a statement, not once a row. Without the setting nothing is seen.
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
BEFORE = {"number": "1", "rules_version": "1"}
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    for column, of_before in BEFORE.items():
        op.add_column(
            "campaign_verdicts",
            sa.Column(column, sa.Integer(), nullable=False, server_default=of_before),
        )
        op.alter_column("campaign_verdicts", column, server_default=None)
    nullable = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())
    op.add_column("campaign_verdicts", sa.Column("details", nullable, nullable=True))
    op.add_column("campaign_verdicts", sa.Column("superseded_at", INSTANT, nullable=True))
    op.add_column("campaign_verdicts", sa.Column("superseded_because", sa.Text(), nullable=True))
    op.alter_column("campaign_verdicts", "settled_at", new_column_name="judged_at")
    op.drop_constraint("pk_campaign_verdicts", "campaign_verdicts")
    op.create_primary_key(
        op.f("pk_campaign_verdicts"), "campaign_verdicts", ["campaign_id", "number"]
    )
    op.create_check_constraint(
        op.f("ck_campaign_verdicts_superseded"),
        "campaign_verdicts",
        "(superseded_at IS NULL) = (superseded_because IS NULL)",
    )
    op.create_index(
        "uq_campaign_verdicts_campaign_id_holds", "campaign_verdicts", ["campaign_id"],
        unique=True, postgresql_where=sa.text("superseded_at IS NULL"),
    )  # fmt: skip
    _make_rejudgements()


def _make_rejudgements() -> None:
    op.create_table(
        "rejudgements",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("dry_run", sa.Boolean(), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("finished_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f("fk_rejudgements_project_id_projects"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rejudgements")),
    )  # fmt: skip
    op.create_index(
        "ix_rejudgements_open", "rejudgements", ["id"],
        postgresql_where=sa.text("finished_at IS NULL"),
    )  # fmt: skip
    op.create_table(
        "rejudged_campaigns",
        sa.Column("rejudgement_id", sa.Uuid(), nullable=False),
        sa.Column("campaign_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("verdict_before", sa.Text(), nullable=True),
        sa.Column("rules_before", sa.Integer(), nullable=True),
        sa.Column("verdict_now", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("findings_new", sa.Integer(), nullable=False),
        sa.Column("findings_gone", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('judged', 'unchanged', 'no_verdict', 'failed')",
            name=op.f("ck_rejudged_campaigns_outcome"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], ondelete="CASCADE",
            name=op.f("fk_rejudged_campaigns_campaign_id_campaigns"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f("fk_rejudged_campaigns_project_id_projects"),
        ),
        sa.ForeignKeyConstraint(
            ["rejudgement_id"], ["rejudgements.id"], ondelete="CASCADE",
            name=op.f("fk_rejudged_campaigns_rejudgement_id_rejudgements"),
        ),
        sa.PrimaryKeyConstraint(
            "rejudgement_id", "campaign_id", name=op.f("pk_rejudged_campaigns")
        ),
    )  # fmt: skip
    op.create_index("ix_rejudged_campaigns_campaign_id", "rejudged_campaigns", ["campaign_id"])
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY own_rows ON {table} TO {ROLE} USING (project_id = {PROJECTS})")


def downgrade() -> None:
    op.drop_table("rejudged_campaigns")
    op.drop_table("rejudgements")
    # Before, a campaign had one verdict: the one that holds.
    op.execute("DELETE FROM campaign_verdicts WHERE superseded_at IS NOT NULL")
    op.drop_index("uq_campaign_verdicts_campaign_id_holds", "campaign_verdicts")
    op.drop_constraint(op.f("ck_campaign_verdicts_superseded"), "campaign_verdicts")
    op.drop_constraint("pk_campaign_verdicts", "campaign_verdicts")
    op.create_primary_key(op.f("pk_campaign_verdicts"), "campaign_verdicts", ["campaign_id"])
    op.alter_column("campaign_verdicts", "judged_at", new_column_name="settled_at")
    for column in ("superseded_because", "superseded_at", "details", *reversed(BEFORE)):
        op.drop_column("campaign_verdicts", column)

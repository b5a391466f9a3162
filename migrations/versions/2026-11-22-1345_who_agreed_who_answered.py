"""consents, overrides, vendors' replies, challenges: whether results may leave, and what was said

Revision: 0014, after 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
TABLES = (
    "publication_consents", "publication_overrides", "reply_links", "vendor_replies", "challenges",
)  # fmt: skip
# A subselect is worked out once a statement, not once a row. Without the setting nothing is seen.
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
INSTANT = sa.DateTime(timezone=True)


def _owned(table: str, *, campaign: bool = True) -> tuple[sa.Column | sa.Constraint, ...]:
    """Key, project and campaign, which all of them have."""
    return (
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("campaign_id", sa.Uuid(), nullable=not campaign),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f(f"fk_{table}_project_id_projects"),
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], ondelete="CASCADE",
            name=op.f(f"fk_{table}_campaign_id_campaigns"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
    )  # fmt: skip


def upgrade() -> None:
    op.create_table(
        "publication_consents",
        *_owned("publication_consents", campaign=False),
        sa.Column("system_id", sa.Text(), nullable=False),
        sa.Column("edition_id", sa.Text(), nullable=True),
        sa.Column("given_by", sa.Text(), nullable=False),
        sa.Column("covers", sa.Text(), nullable=False),
        sa.Column("given_on", sa.Date(), nullable=False),
        sa.Column("expires_on", sa.Date(), nullable=True),
        sa.Column("document_url", sa.Text(), nullable=False),
        sa.Column("recorded_by", sa.Text(), nullable=False),
        sa.Column("withdrawn_at", INSTANT, nullable=True),
        sa.Column("withdrawn_by", sa.Text(), nullable=True),
    )
    op.create_index("ix_publication_consents_project_id", "publication_consents", ["project_id"])
    op.create_index(
        op.f("ix_publication_consents_campaign_id"), "publication_consents", ["campaign_id"]
    )
    op.create_table(
        "publication_overrides",
        *_owned("publication_overrides"),
        sa.Column("system_id", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT, nullable=True),
        sa.Column("ended_by", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "audience IN ('others', 'public')", name=op.f("ck_publication_overrides_audience")
        ),
    )
    op.create_index("ix_publication_overrides_campaign_id", "publication_overrides", ["campaign_id"])
    op.create_table(
        "reply_links",
        *_owned("reply_links"),
        sa.Column("system_id", sa.Text(), nullable=False),
        sa.Column("for_whom", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("revoked_at", INSTANT, nullable=True),
        sa.Column("revoked_by", sa.Text(), nullable=True),
        sa.Column("last_used_at", INSTANT, nullable=True),
    )
    op.create_index("ix_reply_links_campaign_id", "reply_links", ["campaign_id"])
    op.create_table(
        "vendor_replies",
        *_owned("vendor_replies"),
        sa.Column("system_id", sa.Text(), nullable=False),
        sa.Column("link_id", sa.Uuid(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("withdrawn_at", INSTANT, nullable=True),
        sa.Column("withdrawn_by", sa.Text(), nullable=True),
        sa.Column("withdrawn_because", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["link_id"], ["reply_links.id"], ondelete="SET NULL",
            name=op.f("fk_vendor_replies_link_id_reply_links"),
        ),
        sa.UniqueConstraint(
            "campaign_id", "system_id", "version",
            name=op.f("uq_vendor_replies_campaign_id_system_id_version"),
        ),
    )  # fmt: skip
    op.create_index(op.f("ix_vendor_replies_link_id"), "vendor_replies", ["link_id"])
    op.create_table(
        "challenges",
        *_owned("challenges"),
        sa.Column("system_id", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("raised_by", sa.Text(), nullable=False),
        sa.Column("raised_by_id", sa.Uuid(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("answered_by", sa.Text(), nullable=True),
        sa.Column("answered_at", INSTANT, nullable=True),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", INSTANT, nullable=True),
        sa.CheckConstraint(
            "state IN ('open', 'answered', 'upheld', 'rejected', 'withdrawn')",
            name=op.f("ck_challenges_state"),
        ),
    )
    op.create_index("ix_challenges_campaign_id", "challenges", ["campaign_id"])
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY own_rows ON {table} TO {ROLE} USING (project_id = {PROJECTS})")


def downgrade() -> None:
    for table in ("challenges", "vendor_replies", *reversed(TABLES[:3])):
        op.drop_table(table)

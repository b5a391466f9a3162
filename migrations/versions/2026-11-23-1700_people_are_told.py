"""people are told: notices, who has read them, channels, preferences, deliveries with their attempts

Revision: 0025, after 0024
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

TENANT, SERVICE = "weighhouse_tenant", "weighhouse_service"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
INSTANT = sa.DateTime(timezone=True)
KINDS = (
    "'regression', 'campaign_done', 'campaign_failed', 'missed_run', 'agent_silent', "
    "'agent_resting', 'quota', 'challenge', 'reply'"
)
# Table -> what a tenant's transaction may do with rows of its projects. Who has read what, and what
# came of deliveries, is the worker's and each person's.
OF_TENANTS = {
    "notices": "SELECT, INSERT",
    "notice_entries": "SELECT, UPDATE",
    "notice_channels": "SELECT, INSERT, UPDATE, DELETE",
    "notice_deliveries": "SELECT, INSERT",
    "notice_attempts": "SELECT",
}


def _of_project(table: str) -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
        _refers(table, "project_id", "projects"),
    ]


def _refers(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{other}.id"], ondelete="CASCADE", name=op.f(f"fk_{table}_{column}_{other}")
    )


def upgrade() -> None:
    op.create_table(
        "notices",
        *_of_project("notices"),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("spread_at", INSTANT, nullable=True),
        sa.CheckConstraint(f"kind IN ({KINDS})", name=op.f("ck_notices_kind")),
        sa.UniqueConstraint("project_id", "cause", name=op.f("uq_notices_project_id_cause")),
    )
    op.create_index(
        "ix_notices_waiting", "notices", ["id"], postgresql_where=sa.text("spread_at IS NULL")
    )
    op.create_index("ix_notices_at", "notices", ["at"])
    op.create_table(
        "notice_entries",
        *_of_project("notice_entries"),
        sa.Column("notice_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("read_at", INSTANT, nullable=True),
        _refers("notice_entries", "notice_id", "notices"),
        _refers("notice_entries", "user_id", "users"),
        sa.UniqueConstraint(
            "user_id", "notice_id", name=op.f("uq_notice_entries_user_id_notice_id")
        ),
    )
    op.create_index(op.f("ix_notice_entries_project_id"), "notice_entries", ["project_id"])
    op.create_index(op.f("ix_notice_entries_notice_id"), "notice_entries", ["notice_id"])
    op.create_index(
        "ix_notice_entries_unread", "notice_entries", ["user_id", "project_id"],
        postgresql_where=sa.text("read_at IS NULL"),
    )  # fmt: skip
    op.create_table(
        "notice_channels",
        *_of_project("notice_channels"),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("sealed_address", sa.Text(), nullable=False),
        sa.Column("sealed_secret", sa.Text(), nullable=True),
        sa.Column("kinds", postgresql.JSONB(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint(
            "kind IN ('webhook', 'mail', 'slack', 'teams', 'discord')",
            name=op.f("ck_notice_channels_kind"),
        ),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_notice_channels_project_id_name")),
    )
    _deliveries()
    op.create_table(
        "notice_preferences",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("bell_kinds", postgresql.JSONB(), nullable=False),
        sa.Column("mail_kinds", postgresql.JSONB(), nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("quiet_from", sa.Time(), nullable=True),
        sa.Column("quiet_until", sa.Time(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("digest_at", sa.Time(), nullable=False),
        sa.CheckConstraint("digest IN ('now', 'daily')", name=op.f("ck_notice_preferences_digest")),
        _refers("notice_preferences", "user_id", "users"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_notice_preferences")),
    )
    for table, rights in OF_TENANTS.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"GRANT {rights} ON {table} TO {TENANT}")
        op.execute(f"CREATE POLICY own_rows ON {table} TO {TENANT} USING (project_id = {PROJECTS})")
        op.execute(f"CREATE POLICY every_row ON {table} TO {SERVICE} USING (true)")


def _deliveries() -> None:
    op.create_table(
        "notice_deliveries",
        *_of_project("notice_deliveries"),
        sa.Column("notice_id", sa.Uuid(), nullable=True),
        sa.Column("channel_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts_count", sa.Integer(), nullable=False),
        sa.Column("next_at", INSTANT, nullable=False),
        sa.Column("parcel_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT, nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'delivered', 'failed', 'dropped')",
            name=op.f("ck_notice_deliveries_state"),
        ),
        sa.CheckConstraint(
            "(channel_id IS NULL) != (user_id IS NULL)",
            name=op.f("ck_notice_deliveries_somebody"),
        ),
        _refers("notice_deliveries", "notice_id", "notices"),
        _refers("notice_deliveries", "channel_id", "notice_channels"),
        _refers("notice_deliveries", "user_id", "users"),
        sa.UniqueConstraint(
            "notice_id", "channel_id", name=op.f("uq_notice_deliveries_notice_id_channel_id")
        ),
        sa.UniqueConstraint(
            "notice_id", "user_id", name=op.f("uq_notice_deliveries_notice_id_user_id")
        ),
    )
    for column in ("project_id", "user_id", "parcel_id"):
        op.create_index(op.f(f"ix_notice_deliveries_{column}"), "notice_deliveries", [column])
    op.create_index(
        "ix_notice_deliveries_due", "notice_deliveries", ["next_at"],
        postgresql_where=sa.text("state = 'pending'"),
    )  # fmt: skip
    op.create_index(
        "ix_notice_deliveries_channel_id_id", "notice_deliveries", ["channel_id", "id"]
    )
    op.create_table(
        "notice_attempts",
        *_of_project("notice_attempts"),
        sa.Column("delivery_id", sa.Uuid(), nullable=False),
        sa.Column("parcel_id", sa.Uuid(), nullable=False),
        sa.Column("begun_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT, nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('delivered', 'refused', 'unreachable', 'forbidden')",
            name=op.f("ck_notice_attempts_outcome"),
        ),
        _refers("notice_attempts", "delivery_id", "notice_deliveries"),
        sa.UniqueConstraint(
            "delivery_id", "parcel_id", name=op.f("uq_notice_attempts_delivery_id_parcel_id")
        ),
    )
    op.create_index(op.f("ix_notice_attempts_project_id"), "notice_attempts", ["project_id"])


def downgrade() -> None:
    for table in (
        "notice_preferences", "notice_attempts", "notice_deliveries", "notice_channels",
        "notice_entries", "notices",
    ):  # fmt: skip
        op.drop_table(table)

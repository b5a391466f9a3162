"""things are shared with people who have no account

Revision: 0048, after 0047

A fourth group role, `weighhouse_stranger`: whoever comes by a link reads, in the transaction that
serves them, what is shared with them, and changes nothing. The application's login may take it
through `weighhouse_service`, so that logins from before need no new grant.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

TENANT, SERVICE, STRANGER = "weighhouse_tenant", "weighhouse_service", "weighhouse_stranger"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
CAMPAIGNS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.campaign_ids', true), ',')::uuid[])::uuid[])"
)
OWN = f"project_id = {PROJECTS}"
OF_ORGANIZATION = "organization_id IN (SELECT organization_id FROM projects)"
# What a page that is shared is made of: table -> rows, and columns where it is not all of them.
# Of the project: definitions, terms, what vendors say, what is learned over all its campaigns.
SHOWN: dict[str, tuple[str, str]] = {
    "projects": (f"id = {PROJECTS}", ""),
    **dict.fromkeys(("manifests", "manifest_offers"), (OF_ORGANIZATION, "")),
    "manifest_decisions": (f"{OF_ORGANIZATION} AND (project_id IS NULL OR {OWN})", ""),
    **dict.fromkeys(
        (
            "challenges", "experiment_revisions", "experiments", "noise_measurements",
            "publication_consents", "publication_overrides", "schedule_occurrences", "series",
            "series_points", "vendor_replies", "change_points",
        ),
        (OWN, ""),
    ),
    "alerts": (OWN, "(id, project_id, state)"),
    # Of the campaigns that are shown, and of no others.
    "campaigns": (f"{OWN} AND id = {CAMPAIGNS}", ""),
    **dict.fromkeys(
        ("campaign_commits", "campaign_looks", "cells", "findings", "runs"),
        (f"{OWN} AND campaign_id = {CAMPAIGNS}", ""),
    ),
    "attempts": (f"{OWN} AND run_id IN (SELECT id FROM runs)", "(id, project_id, run_id)"),
    **dict.fromkeys(
        ("run_records", "run_summaries"), (f"{OWN} AND attempt_id IN (SELECT id FROM attempts)", "")
    ),
}  # fmt: skip


def upgrade() -> None:
    op.create_table(
        "shares",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Uuid(), nullable=True),
        sa.Column("series_id", sa.Uuid(), nullable=True),
        sa.Column("question", JSONB(none_as_null=True), nullable=True),
        sa.Column("visibility", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_by", sa.Text(), nullable=True),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("guesses", sa.Integer(), nullable=False),
        sa.Column("guesses_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("seen_count", sa.Integer(), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('campaign', 'comparison', 'series')", name=op.f("ck_shares_kind")),
        sa.CheckConstraint(
            "visibility IN ('organization', 'link', 'public')", name=op.f("ck_shares_visibility")
        ),
        sa.CheckConstraint(
            "(kind = 'series') = (series_id IS NOT NULL)"
            " AND (kind = 'campaign') = (campaign_id IS NOT NULL)"
            " AND (kind = 'comparison') = (question IS NOT NULL)",
            name=op.f("ck_shares_subject"),
        ),
        sa.CheckConstraint(
            "visibility = 'public' OR expires_at IS NOT NULL", name=op.f("ck_shares_ends")
        ),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_shares_{column}_{table}"),
                ondelete="CASCADE",
            )
            for column, table in (
                ("project_id", "projects"), ("campaign_id", "campaigns"), ("series_id", "series")
            )
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shares")),
    )  # fmt: skip
    for column in ("project_id", "campaign_id", "series_id"):
        op.create_index(op.f(f"ix_shares_{column}"), "shares", [column])
    op.execute("ALTER TABLE shares ENABLE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY every_row ON shares TO {SERVICE} USING (true)")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON shares TO {TENANT}")
    op.execute(f"CREATE POLICY own_rows ON shares TO {TENANT} USING (project_id = {PROJECTS})")
    _strangers()


def _strangers() -> None:
    op.execute(
        f"DO $$ BEGIN CREATE ROLE {STRANGER} NOLOGIN; "
        "EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    )
    op.execute(f"GRANT {STRANGER} TO CURRENT_USER, {SERVICE}")
    op.execute(f"GRANT USAGE ON SCHEMA public TO {STRANGER}")
    for table, (rows, columns) in SHOWN.items():
        op.execute(f"GRANT SELECT {columns} ON {table} TO {STRANGER}")
        op.execute(
            f"CREATE POLICY shared_rows ON {table} FOR SELECT TO {STRANGER} USING ({rows})"
        )


def downgrade() -> None:
    for table in SHOWN:
        op.execute(f"DROP POLICY shared_rows ON {table}")
        op.execute(f"REVOKE ALL ON {table} FROM {STRANGER}")
    op.drop_table("shares")

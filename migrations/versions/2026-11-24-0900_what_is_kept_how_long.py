"""what is kept how long; campaigns that are kept, or were deleted

Revision: 0029, after 0028

Nothing that is stored changes: who has no rules keeps everything.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
TENANT, SERVICE = "weighhouse_tenant", "weighhouse_service"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
AGES = ("intervals_days", "logs_days", "artifacts_days", "events_days")
# Table -> what tenants' transactions may do with their own rows.
TABLES = {
    "retention_rules": "SELECT, INSERT, UPDATE",
    "kept_campaigns": "SELECT, INSERT, UPDATE, DELETE",
    "deleted_campaigns": "SELECT, INSERT, UPDATE",
    "thinned_attempts": "SELECT",
    "unneeded_files": "",
}


def upgrade() -> None:
    op.create_table(
        "retention_rules",
        sa.Column("project_id", sa.Uuid(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=True) for name in AGES),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=True),
        sa.Column("updated_at", INSTANT, nullable=True),
        *(
            sa.CheckConstraint(f"{name} >= 1", name=op.f(f"ck_retention_rules_{name}"))
            for name in AGES
        ),
        _of_project("retention_rules"),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_retention_rules")),
    )
    op.create_table(
        "kept_campaigns",
        sa.Column("campaign_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("because", sa.Text(), nullable=False),
        sa.Column("kept_by", sa.Text(), nullable=False),
        sa.Column("kept_at", INSTANT, nullable=False),
        _of("kept_campaigns", "campaign"),
        _of_project("kept_campaigns"),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_kept_campaigns")),
    )
    op.create_table(
        "deleted_campaigns",
        sa.Column("campaign_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("experiment", sa.Text(), nullable=False),
        sa.Column("because", sa.Text(), nullable=False),
        sa.Column("deleted_by", sa.Text(), nullable=False),
        sa.Column("asked_at", INSTANT, nullable=False),
        sa.Column("deleted_at", INSTANT, nullable=True),
        sa.Column("refused_because", sa.Text(), nullable=True),
        _of_project("deleted_campaigns"),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_deleted_campaigns")),
    )
    op.create_table(
        "thinned_attempts",
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("measured", postgresql.JSONB(), nullable=True),
        sa.Column("step_seconds", sa.Integer(), nullable=True),
        sa.Column("intervals_at", INSTANT, nullable=True),
        sa.Column("logs_at", INSTANT, nullable=True),
        sa.Column("artifacts_at", INSTANT, nullable=True),
        _of("thinned_attempts", "attempt"),
        _of_project("thinned_attempts"),
        sa.PrimaryKeyConstraint("attempt_id", name=op.f("pk_thinned_attempts")),
    )
    op.create_table(
        "unneeded_files",
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        _of_project("unneeded_files"),
        sa.PrimaryKeyConstraint("project_id", "sha256", name=op.f("pk_unneeded_files")),
    )
    for table in ("kept_campaigns", "deleted_campaigns", "thinned_attempts"):
        op.create_index(op.f(f"ix_{table}_project_id"), table, ["project_id"])
    for table, rights in TABLES.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY every_row ON {table} TO {SERVICE} USING (true)")
        if rights:
            op.execute(f"GRANT {rights} ON {table} TO {TENANT}")
            op.execute(
                f"CREATE POLICY own_rows ON {table} TO {TENANT} USING (project_id = {PROJECTS})"
            )


def _of_project(table: str) -> sa.ForeignKeyConstraint:
    return _of(table, "project")


def _of(table: str, kind: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [f"{kind}_id"], [f"{kind}s.id"], ondelete="CASCADE",
        name=op.f(f"fk_{table}_{kind}_id_{kind}s"),
    )  # fmt: skip


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)

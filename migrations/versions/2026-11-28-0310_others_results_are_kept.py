"""others' results are kept with their source

Revision: 0050, after 0049

Whoever comes by a link sees the sources that the shared comparison names, and no others.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

TENANT, SERVICE, STRANGER = "weighhouse_tenant", "weighhouse_service", "weighhouse_stranger"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
SOURCES = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.source_ids', true), ',')::uuid[])::uuid[])"
)
TABLES = {"published_sources": "id", "published_source_versions": "source_id"}


def upgrade() -> None:
    op.create_table(
        "published_sources",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("kept_by", sa.Text(), nullable=False),
        sa.Column("kept_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("removed_by", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(removed_at IS NULL) = (removed_by IS NULL)", name=op.f("ck_published_sources_removed")
        ),
        sa.CheckConstraint("version > 0", name=op.f("ck_published_sources_version")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_published_sources_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_published_sources")),
    )  # fmt: skip
    op.create_index(
        "uq_published_sources_project_id_digest", "published_sources", ["project_id", "digest"],
        unique=True, postgresql_where=sa.text("removed_at IS NULL"),
    )  # fmt: skip
    op.create_table(
        "published_source_versions",
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("document", JSONB(none_as_null=True), nullable=False),
        sa.Column("whole", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("because", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("number > 0", name=op.f("ck_published_source_versions_number")),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"],
                name=op.f(f"fk_published_source_versions_{column}_{table}"), ondelete="CASCADE",
            )
            for column, table in (("source_id", "published_sources"), ("project_id", "projects"))
        ),
        sa.PrimaryKeyConstraint("source_id", "number", name=op.f("pk_published_source_versions")),
    )  # fmt: skip
    op.create_index(
        op.f("ix_published_source_versions_project_id"), "published_source_versions", ["project_id"]
    )
    for table, source in TABLES.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY every_row ON {table} TO {SERVICE} USING (true)")
        changes = "SELECT, INSERT, UPDATE" if table == "published_sources" else "SELECT, INSERT"
        op.execute(f"GRANT {changes} ON {table} TO {TENANT}")
        op.execute(
            f"CREATE POLICY own_rows ON {table} TO {TENANT} USING (project_id = {PROJECTS})"
        )
        op.execute(f"GRANT SELECT ON {table} TO {STRANGER}")
        op.execute(
            f"CREATE POLICY shared_rows ON {table} FOR SELECT TO {STRANGER}"
            f" USING (project_id = {PROJECTS} AND {source} = {SOURCES})"
        )


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)

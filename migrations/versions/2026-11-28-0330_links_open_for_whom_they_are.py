"""links open for whom they are: what stood is kept, and channels' readers may open what they are told

Revision: 0052, after 0051

What is shared may be kept as it stood: its documents are rows of their own, which whoever opens it
reads, and nobody changes. A channel says who can open what its messages link to; those that are
there already go on as they did.
"""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

TENANT, SERVICE, STRANGER = "weighhouse_tenant", "weighhouse_service", "weighhouse_stranger"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
THE_SHARE = "(SELECT nullif(current_setting('weighhouse.share_id', true), '')::uuid)"


def upgrade() -> None:
    op.add_column("shares", sa.Column("stood_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "share_documents",
        sa.Column("share_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{table}.id"], name=op.f(f"fk_share_documents_{column}_{table}"),
                ondelete="CASCADE",
            )
            for column, table in (("share_id", "shares"), ("project_id", "projects"))
        ),
        sa.PrimaryKeyConstraint("share_id", "name", name=op.f("pk_share_documents")),
    )  # fmt: skip
    op.create_index(op.f("ix_share_documents_project_id"), "share_documents", ["project_id"])
    op.execute("ALTER TABLE share_documents ENABLE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY every_row ON share_documents TO {SERVICE} USING (true)")
    op.execute(f"GRANT SELECT, INSERT ON share_documents TO {TENANT}")
    op.execute(
        f"CREATE POLICY own_rows ON share_documents TO {TENANT} USING (project_id = {PROJECTS})"
    )
    op.execute(f"GRANT SELECT ON share_documents TO {STRANGER}")
    op.execute(
        f"CREATE POLICY shared_rows ON share_documents FOR SELECT TO {STRANGER} "
        f"USING (project_id = {PROJECTS} AND share_id = {THE_SHARE})"
    )
    op.add_column(
        "notice_channels",
        sa.Column("open_to", sa.Text(), nullable=False, server_default="members"),
    )
    op.alter_column("notice_channels", "open_to", server_default=None)
    op.create_check_constraint(
        op.f("ck_notice_channels_open_to"), "notice_channels", "open_to IN ('members', 'readers')"
    )


def downgrade() -> None:
    op.drop_column("notice_channels", "open_to")
    op.drop_table("share_documents")
    op.execute("DELETE FROM shares WHERE stood_at IS NOT NULL")
    op.drop_column("shares", "stood_at")

"""directories take people out: one of each organization, with a token

Revision: 0033, after 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
PEOPLE, SERVICE = "weighhouse_people", "weighhouse_service"
ORGANIZATIONS = "ANY ((SELECT weighhouse_organizations())::uuid[])"


def upgrade() -> None:
    op.create_table(
        "directories",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_used_at", INSTANT, nullable=True),
        sa.Column("last_used_from", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], ondelete="CASCADE",
            name=op.f("fk_directories_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_directories")),
        sa.UniqueConstraint("organization_id", name=op.f("uq_directories_organization_id")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_directories_token_hash")),
    )  # fmt: skip
    op.execute("ALTER TABLE directories ENABLE ROW LEVEL SECURITY")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON directories TO {PEOPLE}")
    op.execute(
        f"CREATE POLICY own_rows ON directories TO {PEOPLE}"
        f" USING (organization_id = {ORGANIZATIONS})"
    )
    op.execute(f"CREATE POLICY every_row ON directories TO {SERVICE} USING (true)")


def downgrade() -> None:
    op.drop_table("directories")

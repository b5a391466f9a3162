"""people join by their address: domains of organizations

Revision: 0031, after 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
PEOPLE, SERVICE = "weighhouse_people", "weighhouse_service"
ORGANIZATIONS = "ANY ((SELECT weighhouse_organizations())::uuid[])"
ROLES = "role IN ('guest', 'viewer', 'member', 'maintainer', 'owner')"


def upgrade() -> None:
    op.create_table(
        "joining_domains",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("mailed_at", INSTANT, nullable=True),
        sa.Column("verified_at", INSTANT, nullable=True),
        sa.CheckConstraint(ROLES, name=op.f("ck_joining_domains_role")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], ondelete="CASCADE",
            name=op.f("fk_joining_domains_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_joining_domains")),
        sa.UniqueConstraint(
            "organization_id", "domain", name=op.f("uq_joining_domains_organization_id_domain")
        ),
    )  # fmt: skip
    for column in ("organization_id", "domain"):
        op.create_index(op.f(f"ix_joining_domains_{column}"), "joining_domains", [column])
    op.execute("ALTER TABLE joining_domains ENABLE ROW LEVEL SECURITY")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON joining_domains TO {PEOPLE}")
    op.execute(
        f"CREATE POLICY own_rows ON joining_domains TO {PEOPLE}"
        f" USING (organization_id = {ORGANIZATIONS})"
    )
    op.execute(f"CREATE POLICY every_row ON joining_domains TO {SERVICE} USING (true)")


def downgrade() -> None:
    op.drop_table("joining_domains")

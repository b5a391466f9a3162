"""joining is asked by rows: who asks to join, and how often a domain's keepers were asked

Revision: 0032, after 0031
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
PEOPLE, SERVICE = "weighhouse_people", "weighhouse_service"
ORGANIZATIONS = "ANY ((SELECT weighhouse_organizations())::uuid[])"


def upgrade() -> None:
    op.create_table(
        "domain_askings",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], ondelete="CASCADE",
            name=op.f("fk_domain_askings_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_domain_askings")),
    )  # fmt: skip
    for column in ("organization_id", "at"):
        op.create_index(op.f(f"ix_domain_askings_{column}"), "domain_askings", [column])
    op.execute("ALTER TABLE domain_askings ENABLE ROW LEVEL SECURITY")
    op.execute(f"GRANT SELECT, INSERT ON domain_askings TO {PEOPLE}")
    op.execute(
        f"CREATE POLICY own_rows ON domain_askings TO {PEOPLE}"
        f" USING (organization_id = {ORGANIZATIONS})"
    )
    op.execute(f"CREATE POLICY every_row ON domain_askings TO {SERVICE} USING (true)")
    op.create_table(
        "joining_asks",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("answered_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_joining_asks")),
    )
    op.create_index("ix_joining_asks_address_at", "joining_asks", ["address", "at"])
    op.create_index(op.f("ix_joining_asks_at"), "joining_asks", ["at"])
    op.add_column("joining_domains", sa.Column("asking_id", sa.Uuid(), nullable=True))
    # Links that are under way name the domain's row.
    op.execute("UPDATE joining_domains SET asking_id = id")
    op.alter_column("joining_domains", "asking_id", nullable=False)
    op.create_unique_constraint(
        op.f("uq_joining_domains_asking_id"), "joining_domains", ["asking_id"]
    )


def downgrade() -> None:
    op.drop_constraint(op.f("uq_joining_domains_asking_id"), "joining_domains")
    op.drop_column("joining_domains", "asking_id")
    op.drop_table("joining_asks")
    op.drop_table("domain_askings")

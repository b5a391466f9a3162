"""prices of organizations: what machines and licences cost them

Revision: 0018, after 0017
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
OF_OUR_ORGANIZATION = (
    f"organization_id IN (SELECT organization_id FROM projects WHERE id = {PROJECTS})"
)


def upgrade() -> None:
    op.create_table(
        "price_sheets",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("body", postgresql.JSONB(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], ondelete="CASCADE",
            name=op.f("fk_price_sheets_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("organization_id", name=op.f("pk_price_sheets")),
    )  # fmt: skip
    op.execute("ALTER TABLE price_sheets ENABLE ROW LEVEL SECURITY")
    op.execute(
        f"CREATE POLICY own_rows ON price_sheets TO {ROLE} USING ({OF_OUR_ORGANIZATION})"
    )


def downgrade() -> None:
    op.drop_table("price_sheets")

"""loads are chosen while they are measured: levels behind those of the file, steps of searches

Revision: 0015, after 0014

Campaigns that are there have the levels of their files, and no searches.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

COLUMNS = (("campaigns", "chosen_levels"), ("campaign_looks", "steps"))


def upgrade() -> None:
    for table, column in COLUMNS:
        op.add_column(
            table,
            sa.Column(column, postgresql.JSONB(), nullable=False, server_default="[]"),
        )
        op.alter_column(table, column, server_default=None)


def downgrade() -> None:
    for table, column in COLUMNS:
        op.drop_column(table, column)

"""agents are brought up to date by the platform

Of agents from before nothing was ever asked.

Revision: 0047, after 0046
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("agents", sa.Column("software_update", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("agents", "software_update")

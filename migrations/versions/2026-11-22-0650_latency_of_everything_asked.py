"""summaries keep the latency of everything that was asked, not of the successes alone

Revision: 0009, after 0006

Runs that are there have none: what failed was not merged when they were settled.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run_summaries", sa.Column("asked", postgresql.JSONB(), nullable=True))
    op.add_column("run_summaries", sa.Column("asked_histogram", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("run_summaries", "asked_histogram")
    op.drop_column("run_summaries", "asked")

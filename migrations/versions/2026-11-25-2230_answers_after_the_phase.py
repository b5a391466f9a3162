"""answers after the phase: what was never sent, and what came back when the phase had ended

Revision: 0034, after 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for column in ("never_sent", "answered_late"):
        op.add_column(
            "run_summaries",
            sa.Column(column, sa.BigInteger(), server_default="0", nullable=False),
        )


def downgrade() -> None:
    for column in ("answered_late", "never_sent"):
        op.drop_column("run_summaries", column)

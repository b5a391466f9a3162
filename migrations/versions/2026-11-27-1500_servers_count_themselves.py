"""what servers counted stands beside what clients did, and which programs ran

Revision: 0044, after 0043
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

COLUMNS = {"counts": "'{}'::jsonb", "programs": "'[]'::jsonb"}


def upgrade() -> None:
    for name, empty in COLUMNS.items():
        column = sa.Column(name, JSONB(), nullable=False, server_default=sa.text(empty))
        op.add_column("run_records", column)


def downgrade() -> None:
    for name in COLUMNS:
        op.drop_column("run_records", name)

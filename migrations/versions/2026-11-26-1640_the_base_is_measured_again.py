"""the base is measured again beside a build; cells know which version ran

Revision: 0038, after 0037
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

TOLD = """
UPDATE cells SET version = told.version FROM (
    SELECT DISTINCT ON (r.cell_id) r.cell_id, m.version
    FROM runs r JOIN run_records m ON m.attempt_id = r.result_attempt_id
    WHERE r.status = 'completed' AND m.version IS NOT NULL
    ORDER BY r.cell_id, r.position DESC, m.member
) AS told WHERE told.cell_id = cells.id
"""


def upgrade() -> None:
    nothing = sa.text("'[]'")
    op.add_column(
        "campaigns",
        sa.Column(
            "beside",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=nothing,
            nullable=False,
        ),
    )
    op.alter_column("campaigns", "beside", server_default=None)
    op.add_column(
        "cells", sa.Column("beside", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.alter_column("cells", "beside", server_default=None)
    op.add_column("cells", sa.Column("version", sa.Text(), nullable=True))
    op.execute(TOLD)


def downgrade() -> None:
    op.drop_column("cells", "version")
    op.drop_column("cells", "beside")
    op.drop_column("campaigns", "beside")

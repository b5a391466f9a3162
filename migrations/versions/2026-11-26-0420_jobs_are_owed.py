"""jobs are owed, their tries counted; runs are found by their project

Revision: 0036, after 0035
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "owed_jobs",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("subject", sa.Uuid(), nullable=False),
        sa.Column("arguments", JSONB(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", "subject", name=op.f("pk_owed_jobs")),
    )
    op.create_index("ix_runs_project_id_id", "runs", ["project_id", "id"])


def downgrade() -> None:
    op.drop_index("ix_runs_project_id_id", table_name="runs")
    op.drop_table("owed_jobs")

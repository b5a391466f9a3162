"""runs follow each other in chains: whose attempt measures a run that has none of its own

Revision: 0022, after 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("leader_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_runs_leader_id_runs"), "runs", "runs", ["leader_id"], ["id"], ondelete="CASCADE"
    )
    op.create_index(
        "ix_runs_leader_id", "runs", ["leader_id"],
        postgresql_where=sa.text("leader_id IS NOT NULL"),
    )  # fmt: skip


def downgrade() -> None:
    op.drop_index("ix_runs_leader_id", "runs")
    op.drop_constraint(op.f("fk_runs_leader_id_runs"), "runs", type_="foreignkey")
    op.drop_column("runs", "leader_id")

"""spreads change, and levels move with their machine

Revision: 0037, after 0036
"""

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

NAME = "ck_change_points_kind"


def upgrade() -> None:
    op.drop_constraint(op.f(NAME), "change_points")
    op.create_check_constraint(
        op.f(NAME), "change_points", "kind IN ('step', 'drift', 'spread', 'moved')"
    )


def downgrade() -> None:
    # Before, neither was looked for.
    op.execute("DELETE FROM change_points WHERE kind IN ('spread', 'moved')")
    op.drop_constraint(op.f(NAME), "change_points")
    op.create_check_constraint(op.f(NAME), "change_points", "kind IN ('step', 'drift')")

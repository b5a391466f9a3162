"""people have a second factor: keys of authenticators, and recovery codes

Revision: 0026, after 0024
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0024"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "second_factors",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("key_sealed", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("confirmed_at", INSTANT, nullable=True),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("wrong_codes", sa.Integer(), nullable=False),
        sa.Column("wrong_since", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], ondelete="CASCADE",
            name=op.f("fk_second_factors_user_id_users"),
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_second_factors")),
    )  # fmt: skip
    op.create_table(
        "recovery_codes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["second_factors.user_id"], ondelete="CASCADE",
            name=op.f("fk_recovery_codes_user_id_second_factors"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recovery_codes")),
    )  # fmt: skip
    op.create_index(op.f("ix_recovery_codes_user_id"), "recovery_codes", ["user_id"])


def downgrade() -> None:
    """Logins take the password alone again."""
    for table in ("recovery_codes", "second_factors"):
        op.drop_table(table)

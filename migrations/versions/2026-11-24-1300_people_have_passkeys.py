"""people have passkeys: each signs its holder in by itself; an authenticator is one factor of them

Revision: 0030, after 0029
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("second_factors", sa.Column("authenticator_at", INSTANT, nullable=True))
    op.execute("UPDATE second_factors SET authenticator_at = confirmed_at")
    op.alter_column("second_factors", "key_sealed", nullable=True)
    op.create_table(
        "passkeys",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("credential_id", sa.LargeBinary(), nullable=False),
        sa.Column("credential", sa.LargeBinary(), nullable=False),
        sa.Column("uses", sa.BigInteger(), nullable=False),
        sa.Column("last_question", sa.Uuid(), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_used_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["second_factors.user_id"], ondelete="CASCADE",
            name=op.f("fk_passkeys_user_id_second_factors"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_passkeys")),
        sa.UniqueConstraint("credential_id", name=op.f("uq_passkeys_credential_id")),
    )  # fmt: skip
    op.create_index(op.f("ix_passkeys_user_id"), "passkeys", ["user_id"])


def downgrade() -> None:
    """Passkeys are gone; who had nothing else signs in by the password alone again."""
    op.drop_table("passkeys")
    op.execute("DELETE FROM second_factors WHERE key_sealed IS NULL")
    op.execute("UPDATE second_factors SET confirmed_at = authenticator_at")
    op.alter_column("second_factors", "key_sealed", nullable=False)
    op.drop_column("second_factors", "authenticator_at")

"""logins are limited by whence they come: addresses of refused ones, and people's own devices

Revision: 0020, after 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "login_devices",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_login_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], ondelete="CASCADE",
            name=op.f("fk_login_devices_user_id_users"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_devices")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_login_devices_token_hash")),
    )  # fmt: skip
    op.create_index("ix_login_devices_user_id_address", "login_devices", ["user_id", "address"])
    # They count for ten minutes; nobody knows whence those of before came.
    op.execute("DELETE FROM login_failures")
    op.add_column("login_failures", sa.Column("address", sa.Text(), nullable=False))
    op.add_column("login_failures", sa.Column("device_id", sa.Uuid(), nullable=True))
    op.add_column("login_failures", sa.Column("known_address", sa.Boolean(), nullable=False))
    op.create_foreign_key(
        op.f("fk_login_failures_device_id_login_devices"), "login_failures", "login_devices",
        ["device_id"], ["id"], ondelete="CASCADE",
    )  # fmt: skip
    op.create_index(op.f("ix_login_failures_device_id"), "login_failures", ["device_id"])
    op.create_index("ix_login_failures_address_at", "login_failures", ["address", "at"])


def downgrade() -> None:
    op.drop_index("ix_login_failures_address_at", table_name="login_failures")
    op.drop_constraint(
        op.f("fk_login_failures_device_id_login_devices"), "login_failures", type_="foreignkey"
    )
    op.drop_index(op.f("ix_login_failures_device_id"), table_name="login_failures")
    for column in ("known_address", "device_id", "address"):
        op.drop_column("login_failures", column)
    op.drop_table("login_devices")

"""memory after the load is called so, in series and noise

Revision: 0012, after 0011

Until now it was called `memory_bytes`, and shown as memory after the run. Figures stay as they are;
changes and alerts belong to their series, whatever it is called.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

TABLES = ("series", "noise_measurements")
BEFORE, NOW = "memory_bytes", "memory_after_load_bytes"


def upgrade() -> None:
    for table in TABLES:
        op.execute(f"UPDATE {table} SET metric = '{NOW}' WHERE metric = '{BEFORE}'")


def downgrade() -> None:
    # Before, memory after the run was a figure of no A/A campaign.
    op.execute("DELETE FROM noise_measurements WHERE metric = 'memory_after_bytes'")
    for table in TABLES:
        op.execute(f"UPDATE {table} SET metric = '{BEFORE}' WHERE metric = '{NOW}'")

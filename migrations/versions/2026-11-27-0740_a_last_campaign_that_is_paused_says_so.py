"""an experiment's last campaign that was paused before it was called so is called so

Revision: 0041, after 0040
"""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

LAST = "campaigns.id = experiments.last_campaign_id"


def upgrade() -> None:
    op.execute(
        "UPDATE experiments SET last_campaign_status = 'paused' FROM campaigns"
        f" WHERE {LAST} AND campaigns.paused AND campaigns.status IN ('queued', 'running')"
    )


def downgrade() -> None:
    op.execute(
        "UPDATE experiments SET last_campaign_status = campaigns.status FROM campaigns"
        f" WHERE {LAST} AND last_campaign_status = 'paused'"
    )

"""figures that were wrong: what was never sent or came back late is counted, refused is a verdict

Revision: 0034, after 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


VERDICTS = (
    "passed", "equivalent", "regression", "inconclusive", "infrastructure", "no_baseline",
    "not_comparable",
)  # fmt: skip


def verdicts(*names: str) -> None:
    """Let a campaign have one of these verdicts."""
    op.drop_constraint("ck_campaigns_verdict", "campaigns")
    listed = ", ".join(f"'{name}'" for name in names)
    op.create_check_constraint(op.f("ck_campaigns_verdict"), "campaigns", f"verdict IN ({listed})")


def upgrade() -> None:
    verdicts(*VERDICTS, "refused")
    for column in ("never_sent", "answered_late"):
        op.add_column(
            "run_summaries",
            sa.Column(column, sa.BigInteger(), server_default="0", nullable=False),
        )


def downgrade() -> None:
    op.execute("UPDATE campaigns SET verdict = 'infrastructure' WHERE verdict = 'refused'")
    verdicts(*VERDICTS)
    for column in ("answered_late", "never_sent"):
        op.drop_column("run_summaries", column)

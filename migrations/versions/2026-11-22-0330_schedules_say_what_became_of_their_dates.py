"""schedules say what became of their dates, campaigns which commit they were started for

Revision: 0005, after 0003

Schedules that are there keep what they did until now: a date passes while their last campaign is
under way, and of missed dates the latest is made up for.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0003"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
TABLES = ("schedule_occurrences", "campaign_commits")
# A subselect is worked out once a statement, not once a row. Without the setting nothing is seen.
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)


def upgrade() -> None:
    op.add_column(
        "schedules", sa.Column("overlap", sa.Text(), nullable=False, server_default="skip")
    )
    op.add_column(
        "schedules", sa.Column("missed", sa.Text(), nullable=False, server_default="run_late")
    )
    op.add_column("schedules", sa.Column("problem", sa.Text(), nullable=True))
    for column in ("overlap", "missed"):
        op.alter_column("schedules", column, server_default=None)
    op.create_check_constraint(
        op.f("ck_schedules_overlap"), "schedules", "overlap IN ('skip', 'queue', 'replace')"
    )
    op.create_check_constraint(
        op.f("ck_schedules_missed"), "schedules", "missed IN ('run_late', 'report')"
    )
    op.create_table(
        "schedule_occurrences",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("experiment_id", sa.Uuid(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("scheduled_for", sa.DateTime(timezone=True), nullable=False),
        sa.Column("dates_count", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Uuid(), nullable=True),
        sa.Column("campaign_number", sa.Integer(), nullable=True),
        sa.Column("other_campaign_id", sa.Uuid(), nullable=True),
        sa.Column("other_campaign_number", sa.Integer(), nullable=True),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "outcome IN ('started', 'waiting', 'skipped', 'missed', 'replaced', 'failed')",
            name=op.f("ck_schedule_occurrences_outcome"),
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name=op.f("fk_schedule_occurrences_experiment_id_experiments"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_schedule_occurrences_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule_occurrences")),
    )
    op.create_index(
        "ix_schedule_occurrences_experiment_id_id", "schedule_occurrences", ["experiment_id", "id"]
    )
    op.create_index(
        "uq_schedule_occurrences_waiting",
        "schedule_occurrences",
        ["experiment_id"],
        unique=True,
        postgresql_where=sa.text("outcome = 'waiting'"),
    )
    # What schedules did before: a line for each campaign they started. Ids sort by time.
    op.execute(
        "INSERT INTO schedule_occurrences (id, project_id, experiment_id, first_at, scheduled_for,"
        " dates_count, outcome, reason, campaign_id, campaign_number, noted_at)"
        " SELECT id, project_id, experiment_id, scheduled_for, scheduled_for, 1, 'started', '',"
        " id, number, created_at FROM campaigns WHERE scheduled_for IS NOT NULL"
    )
    op.create_table(
        "campaign_commits",
        sa.Column("campaign_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("commit", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=True),
        sa.Column("branch", sa.Text(), nullable=True),
        sa.Column("pull_request", sa.Integer(), nullable=True),
        sa.Column("pull_request_url", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("dirty", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaigns.id"],
            name=op.f("fk_campaign_commits_campaign_id_campaigns"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["projects.id"],
            name=op.f("fk_campaign_commits_project_id_projects"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_campaign_commits")),
    )
    op.create_index(
        "ix_campaign_commits_commit",
        "campaign_commits",
        ["project_id", "commit"],
        postgresql_ops={"commit": "text_pattern_ops"},
    )
    op.create_index("ix_campaign_commits_branch", "campaign_commits", ["project_id", "branch"])
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(
            f"CREATE POLICY own_rows ON {table} TO {ROLE} USING (project_id = {PROJECTS})"
        )


def downgrade() -> None:
    op.drop_table("campaign_commits")
    op.drop_table("schedule_occurrences")
    # Before, a schedule that was switched off, and none else, had no next date.
    op.execute("UPDATE schedules SET next_at = NULL WHERE NOT enabled")
    op.execute("UPDATE schedules SET enabled = false WHERE next_at IS NULL")
    for name in ("ck_schedules_missed", "ck_schedules_overlap"):
        op.drop_constraint(op.f(name), "schedules")
    for column in ("problem", "missed", "overlap"):
        op.drop_column("schedules", column)

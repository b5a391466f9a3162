"""alerts are rows of their own and are triaged; rules of alerts; annotations

Revision: 0013, after 0012

Until now an alert was a confirmed change point that led, with its state on it. It becomes the alert
of the same id, with the state it had, for itself and those downstream of it. Candidates have no
alert: nobody could say anything of them.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
TABLES = ("alerts", "alert_events", "alert_rules", "annotations")
# A subselect is worked out once a statement, not once a row. Without the setting nothing is seen.
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
STATES = (
    "'untriaged', 'acknowledged', 'noise', 'infrastructure', 'expected', 'downstream', 'wont_fix', "
    "'fixed'"
)
KINDS = "'change', 'missed_run', 'no_result', 'silent_agent'"
EVENTS = "'raised', 'triaged', 'repeated', 'reopened', 'explained', 'ended'"
SUBJECT = (
    "CASE subject_kind"
    " WHEN 'run' THEN run_id IS NOT NULL AND series_id IS NULL AND campaign_id IS NULL"
    " WHEN 'series' THEN series_id IS NOT NULL AND run_id IS NULL AND campaign_id IS NULL"
    " WHEN 'point' THEN series_id IS NOT NULL AND campaign_id IS NOT NULL"
    " AND run_id IS NULL ELSE false END"
)
INSTANT = sa.DateTime(timezone=True)
JSON = postgresql.JSONB(astext_type=sa.Text())


def upgrade() -> None:
    _make_alerts()
    _make_events()
    _make_rules()
    _make_annotations()
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY own_rows ON {table} TO {ROLE} USING (project_id = {PROJECTS})")
    op.add_column("change_points", sa.Column("alert_id", sa.Uuid(), nullable=True))
    op.add_column("change_points", sa.Column("confirmed_at", INSTANT, nullable=True))
    op.create_foreign_key(
        op.f("fk_change_points_alert_id_alerts"), "change_points", "alerts", ["alert_id"], ["id"],
        ondelete="SET NULL",
    )  # fmt: skip
    op.create_index("ix_change_points_alert_id", "change_points", ["alert_id"])
    _carry()
    # What was checked or changed at the end of the transaction must be so before the column goes.
    op.execute("SET CONSTRAINTS ALL IMMEDIATE")
    op.drop_column("change_points", "state")


def _carry() -> None:
    op.execute("UPDATE change_points SET confirmed_at = found_at WHERE status = 'confirmed'")
    # A state that is none was never to be had; it is not lost, but in the history.
    op.execute(
        "INSERT INTO alerts (id, project_id, kind, experiment_id, details, state, note, version,"
        " raised_at, state_at)"
        " SELECT c.id, c.project_id, 'change', s.experiment_id, '{}',"
        f" CASE WHEN c.state IN ({STATES}) THEN c.state ELSE 'untriaged' END, '', 1,"
        " c.found_at, c.found_at"
        " FROM change_points c JOIN series s ON s.id = c.series_id"
        " WHERE c.status = 'confirmed' AND c.downstream_of_id IS NULL"
    )
    op.execute(
        "UPDATE change_points SET alert_id = a.id FROM alerts a"
        " WHERE change_points.status = 'confirmed'"
        " AND a.id = coalesce(change_points.downstream_of_id, change_points.id)"
    )
    op.execute(
        "INSERT INTO alert_events (id, project_id, alert_id, kind, changes, reason, at)"
        " SELECT gen_random_uuid(), a.project_id, a.id, 'raised',"
        " CASE WHEN c.state = 'untriaged' THEN '{}'::jsonb"
        " ELSE jsonb_build_object('state', jsonb_build_array('untriaged', c.state)) END,"
        " '', a.raised_at"
        " FROM alerts a JOIN change_points c ON c.id = a.id"
    )


def _make_alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("experiment_id", sa.Uuid(), nullable=True),
        sa.Column("agent_id", sa.Uuid(), nullable=True),
        sa.Column("details", JSON, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("downstream_of_id", sa.Uuid(), nullable=True),
        sa.Column("assignee_id", sa.Uuid(), nullable=True),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("raised_at", INSTANT, nullable=False),
        sa.Column("state_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT, nullable=True),
        sa.CheckConstraint(f"kind IN ({KINDS})", name=op.f("ck_alerts_kind")),
        sa.CheckConstraint(f"state IN ({STATES})", name=op.f("ck_alerts_state")),
        sa.CheckConstraint(
            "(kind = 'silent_agent') = (agent_id IS NOT NULL)", name=op.f("ck_alerts_agent")
        ),
        sa.CheckConstraint(
            "(kind = 'silent_agent') = (experiment_id IS NULL)", name=op.f("ck_alerts_experiment")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alerts")),
        *_foreign("alerts", project_id="projects", experiment_id="experiments", agent_id="agents"),
        *_foreign("alerts", "SET NULL", downstream_of_id="alerts", assignee_id="users"),
    )
    op.create_index("ix_alerts_project_id_state_id", "alerts", ["project_id", "state", "id"])
    op.create_index("ix_alerts_experiment_id", "alerts", ["experiment_id"])
    op.create_index(
        "uq_alerts_kind_experiment_id_going_on", "alerts", ["kind", "experiment_id"], unique=True,
        postgresql_where=sa.text("ended_at IS NULL AND kind IN ('missed_run', 'no_result')"),
    )  # fmt: skip
    op.create_index(
        "uq_alerts_agent_id_going_on", "alerts", ["agent_id"], unique=True,
        postgresql_where=sa.text("ended_at IS NULL AND agent_id IS NOT NULL"),
    )  # fmt: skip


def _make_events() -> None:
    op.create_table(
        "alert_events",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("alert_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=True),
        sa.Column("changes", JSON, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.CheckConstraint(f"kind IN ({EVENTS})", name=op.f("ck_alert_events_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_events")),
        *_foreign("alert_events", project_id="projects", alert_id="alerts"),
    )
    op.create_index("ix_alert_events_alert_id_id", "alert_events", ["alert_id", "id"])


def _make_rules() -> None:
    op.create_table(
        "alert_rules",
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("smallest_shift", sa.Float(), nullable=False),
        sa.Column("direction", sa.Text(), nullable=False),
        sa.Column("metrics", JSON, nullable=True),
        sa.Column("systems", JSON, nullable=True),
        sa.Column("quiet_states", JSON, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.CheckConstraint("profile IN ('watch', 'strict')", name=op.f("ck_alert_rules_profile")),
        sa.CheckConstraint("direction IN ('any', 'worse')", name=op.f("ck_alert_rules_direction")),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_alert_rules")),
        *_foreign("alert_rules", project_id="projects"),
    )


def _make_annotations() -> None:
    op.create_table(
        "annotations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("subject_kind", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("series_id", sa.Uuid(), nullable=True),
        sa.Column("campaign_id", sa.Uuid(), nullable=True),
        sa.Column("at", INSTANT, nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("edited_at", INSTANT, nullable=True),
        sa.Column("removed_at", INSTANT, nullable=True),
        sa.Column("removed_by", sa.Text(), nullable=True),
        sa.CheckConstraint(SUBJECT, name=op.f("ck_annotations_subject")),
        sa.CheckConstraint(
            "(removed_at IS NULL) = (removed_by IS NULL)", name=op.f("ck_annotations_removed")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotations")),
        sa.ForeignKeyConstraint(
            ["series_id", "campaign_id"],
            ["series_points.series_id", "series_points.campaign_id"],
            onupdate="CASCADE", ondelete="CASCADE",
            name=op.f("fk_annotations_series_id_campaign_id_series_points"),
        ),
        *_foreign(
            "annotations", project_id="projects", run_id="runs", series_id="series",
            campaign_id="campaigns",
        ),
        *_foreign("annotations", "SET NULL", author_id="users"),
    )  # fmt: skip
    op.create_index(
        "ix_annotations_series_id_campaign_id", "annotations", ["series_id", "campaign_id"]
    )
    op.create_index("ix_annotations_run_id", "annotations", ["run_id"])
    op.create_index("ix_annotations_project_id_id", "annotations", ["project_id", "id"])


def _foreign(table: str, ondelete: str = "CASCADE", **columns: str) -> list[sa.Constraint]:
    """Foreign keys to ids, a column each."""
    return [
        sa.ForeignKeyConstraint(
            [column], [f"{other}.id"], ondelete=ondelete, name=op.f(f"fk_{table}_{column}_{other}")
        )
        for column, other in columns.items()
    ]


def downgrade() -> None:
    op.add_column(
        "change_points",
        sa.Column("state", sa.Text(), nullable=False, server_default="untriaged"),
    )
    op.alter_column("change_points", "state", server_default=None)
    op.execute(
        "UPDATE change_points SET state = a.state FROM alerts a WHERE a.id = change_points.alert_id"
    )
    op.execute("SET CONSTRAINTS ALL IMMEDIATE")
    op.drop_index("ix_change_points_alert_id", "change_points")
    op.drop_constraint(op.f("fk_change_points_alert_id_alerts"), "change_points")
    op.drop_column("change_points", "alert_id")
    op.drop_column("change_points", "confirmed_at")
    for table in ("annotations", "alert_rules", "alert_events", "alerts"):
        op.drop_table(table)

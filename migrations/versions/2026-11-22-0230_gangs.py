"""gangs: a run is the work of several machines

Revision: 0003, after 0002

An attempt becomes a gang; what one agent does in it moves to `attempt_members`, and what is
measured is keyed by member. What is stored becomes the work of member 0. Runs learn their block:
the targets of one (repetition, workload, load level), which are measured on the same machines.

Down again works as long as every gang is an agent alone: the tables of before have no room for two.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
MEASURED = {
    "artifacts": ("sha256",),
    "intervals": ("span", "sequence"),
    "resource_samples": ("sequence",),
    "run_logs": ("stream", "begin"),
    "run_records": (),
    "timeline_marks": ("sequence",),
}
"""Table → its key after the attempt (and the member)."""

LIVE = "status IN ('offered', 'claimed', 'running')"
STATUS_BEFORE = (
    "status IN ('offered', 'claimed', 'running', 'completed', 'failed', 'cancelled', 'lost', "
    "'superseded')"
)
STATUS_OF_GANG = (
    "status IN ('preparing', 'ready', 'running', 'completed', 'failed', 'cancelled', 'lost', "
    "'superseded')"
)
CANCEL = "cancel IN ('none', 'graceful', 'kill')"
MOVED = (
    "agent_id", "agent_name", "claim_id", "token_hash", "cancel", "phase", "progress",
    "events_stored", "log_offsets", "claimed_at", "heartbeat_at",
)  # fmt: skip
"""Columns that leave `attempts`."""


def upgrade() -> None:
    _make_members()
    _carry_over()
    _make_gangs()
    _key_by_member()
    _number_blocks()
    op.add_column("campaigns", sa.Column("waiting_for", sa.Text(), nullable=True))
    op.add_column("campaigns", sa.Column("set_aside", sa.Text(), nullable=True))
    op.add_column("run_records", sa.Column("threads", sa.Integer(), nullable=True))


def _make_members() -> None:
    jsonb = postgresql.JSONB(astext_type=sa.Text())
    nullable = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())
    instant = sa.DateTime(timezone=True)
    op.create_table(
        "attempt_members",
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column("index", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("agent_name", sa.Text(), nullable=False),
        sa.Column("slot", sa.Text(), nullable=False),
        sa.Column("roles", jsonb, nullable=False),
        sa.Column("nodes", jsonb, nullable=False),
        sa.Column("share", nullable, nullable=True),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("machine_id", sa.Text(), nullable=True),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.Uuid(), nullable=True),
        sa.Column("token_hash", sa.Text(), nullable=True),
        sa.Column("cancel", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=True),
        sa.Column("progress", sa.Double(), nullable=False),
        sa.Column("failure", nullable, nullable=True),
        sa.Column("events_stored", sa.Integer(), nullable=False),
        sa.Column("log_offsets", jsonb, nullable=False),
        sa.Column("arrivals", jsonb, nullable=False),
        sa.Column("clock_offset_us", sa.BigInteger(), nullable=True),
        sa.Column("clock_error_us", sa.BigInteger(), nullable=True),
        sa.Column("offered_at", instant, nullable=False),
        sa.Column("claimed_at", instant, nullable=True),
        sa.Column("started_at", instant, nullable=True),
        sa.Column("finished_at", instant, nullable=True),
        sa.Column("heartbeat_at", instant, nullable=True),
        sa.CheckConstraint(CANCEL, name=op.f("ck_attempt_members_cancel")),
        sa.CheckConstraint(STATUS_BEFORE, name=op.f("ck_attempt_members_status")),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name=op.f("fk_attempt_members_agent_id_agents")
        ),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], ondelete="CASCADE",
            name=op.f("fk_attempt_members_attempt_id_attempts"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f("fk_attempt_members_project_id_projects"),
        ),
        sa.PrimaryKeyConstraint("attempt_id", "index", name=op.f("pk_attempt_members")),
        sa.UniqueConstraint(
            "agent_id", "claim_id", name=op.f("uq_attempt_members_agent_id_claim_id")
        ),
    )  # fmt: skip
    op.execute("ALTER TABLE attempt_members ENABLE ROW LEVEL SECURITY")
    op.execute(
        f"CREATE POLICY own_rows ON attempt_members TO {ROLE} USING (project_id = {PROJECTS})"
    )


def _carry_over() -> None:
    """Every attempt of before was one agent's, with the whole machine and all of the load."""
    op.execute(f"""
        INSERT INTO attempt_members (
            attempt_id, index, project_id, agent_id, agent_name, slot, roles, nodes, share,
            address, machine_id, fingerprint, status, claim_id, token_hash, cancel, phase,
            progress, failure, events_stored, log_offsets, arrivals, offered_at, claimed_at,
            started_at, finished_at, heartbeat_at
        )
        SELECT
            a.id, 0, a.project_id, a.agent_id, a.agent_name, 'machine',
            CASE WHEN t.target ->> 'deployment' = 'external' THEN '["driver"]'::jsonb
                 ELSE '["driver", "server"]'::jsonb END,
            CASE WHEN t.target ->> 'deployment' = 'external' THEN '[]'::jsonb
                 ELSE (SELECT jsonb_agg(n) FROM generate_series(
                     1, coalesce((t.target #>> '{{topology,nodes}}')::int, 1)) AS n) END,
            '{{"index": 0, "of": 1}}', '127.0.0.1',
            coalesce(r.facts ->> 'machine_id', CASE WHEN a.{LIVE} THEN g.facts ->> 'machine_id' END),
            coalesce(r.fingerprint, CASE WHEN a.{LIVE} THEN g.fingerprint END),
            a.status, a.claim_id, a.token_hash, a.cancel, a.phase, a.progress, a.failure,
            a.events_stored, a.log_offsets, '{{}}', a.offered_at, a.claimed_at, a.started_at,
            a.finished_at, a.heartbeat_at
        FROM attempts a
        JOIN agents g ON g.id = a.agent_id
        JOIN runs ON runs.id = a.run_id
        JOIN cells c ON c.id = runs.cell_id
        JOIN campaigns p ON p.id = runs.campaign_id
        JOIN experiment_revisions v ON v.id = p.revision_id
        CROSS JOIN LATERAL (SELECT v.document -> 'targets' -> c.target_index AS target) t
        LEFT JOIN run_records r ON r.attempt_id = a.id
    """)
    op.create_index("ix_attempt_members_token_hash", "attempt_members", ["token_hash"])
    op.create_index(
        "uq_attempt_members_agent_id_slot_live", "attempt_members", ["agent_id", "slot"],
        unique=True, postgresql_where=sa.text(LIVE),
    )  # fmt: skip


def _make_gangs() -> None:
    op.drop_index("uq_attempts_agent_id_live", table_name="attempts")
    op.drop_index("ix_attempts_token_hash", table_name="attempts")
    op.drop_constraint("uq_attempts_agent_id_claim_id", "attempts")
    op.drop_constraint("ck_attempts_status", "attempts")
    op.drop_constraint("ck_attempts_cancel", "attempts")
    op.drop_constraint("fk_attempts_agent_id_agents", "attempts")
    op.execute("UPDATE attempts SET status = 'preparing' WHERE status IN ('offered', 'claimed')")
    op.create_check_constraint(op.f("ck_attempts_status"), "attempts", STATUS_OF_GANG)
    for column in MOVED:
        op.drop_column("attempts", column)
    op.add_column(
        "attempts", sa.Column("members_count", sa.Integer(), nullable=False, server_default="1")
    )
    op.alter_column("attempts", "members_count", server_default=None)
    op.add_column(
        "attempts",
        sa.Column(
            "releases", postgresql.JSONB(astext_type=sa.Text()), nullable=False,
            server_default="{}",
        ),
    )  # fmt: skip
    op.alter_column("attempts", "releases", server_default=None)
    for column in ("start_at", "measured_at"):
        op.add_column("attempts", sa.Column(column, sa.DateTime(timezone=True), nullable=True))
    op.add_column("attempts", sa.Column("set_aside", sa.Text(), nullable=True))
    op.create_index(
        "ix_attempts_live", "attempts", ["run_id"],
        postgresql_where=sa.text("status IN ('preparing', 'ready', 'running')"),
    )  # fmt: skip


def _key_by_member() -> None:
    for table, rest in MEASURED.items():
        op.add_column(
            table, sa.Column("member", sa.Integer(), nullable=False, server_default="0")
        )
        op.alter_column(table, "member", server_default=None)
        op.drop_constraint(f"pk_{table}", table)
        op.create_primary_key(op.f(f"pk_{table}"), table, ["attempt_id", "member", *rest])
        op.drop_constraint(f"fk_{table}_attempt_id_attempts", table)
        op.create_foreign_key(
            op.f(f"fk_{table}_attempt_id_attempt_members"), table, "attempt_members",
            ["attempt_id", "member"], ["attempt_id", "index"], ondelete="CASCADE",
        )  # fmt: skip


def _number_blocks() -> None:
    op.add_column("runs", sa.Column("block", sa.Integer(), nullable=False, server_default="0"))
    op.alter_column("runs", "block", server_default=None)
    op.execute("""
        UPDATE runs SET block = numbered.block
        FROM (
            SELECT id, dense_rank() OVER (PARTITION BY campaign_id ORDER BY first) - 1 AS block
            FROM (
                SELECT r.id, r.campaign_id, min(r.position) OVER (
                    PARTITION BY r.campaign_id, r.repetition, c.workload_index, c.load_index
                ) AS first
                FROM runs r JOIN cells c ON c.id = r.cell_id
            ) AS begun
        ) AS numbered
        WHERE numbered.id = runs.id
    """)


def downgrade() -> None:
    _refuse_gangs()
    op.drop_column("run_records", "threads")
    op.drop_column("campaigns", "set_aside")
    op.drop_column("campaigns", "waiting_for")
    op.drop_column("runs", "block")
    for table, rest in MEASURED.items():
        op.drop_constraint(f"fk_{table}_attempt_id_attempt_members", table)
        op.create_foreign_key(
            op.f(f"fk_{table}_attempt_id_attempts"), table, "attempts", ["attempt_id"], ["id"],
            ondelete="CASCADE",
        )  # fmt: skip
        op.drop_constraint(f"pk_{table}", table)
        op.create_primary_key(op.f(f"pk_{table}"), table, ["attempt_id", *rest])
        op.drop_column(table, "member")
    _restore_attempts()
    op.drop_table("attempt_members")


def _refuse_gangs() -> None:
    gangs = op.get_bind().scalar(sa.text("SELECT count(*) FROM attempt_members WHERE index > 0"))
    if gangs:
        raise RuntimeError(
            f"{gangs} members of gangs are stored, which the tables of before have no room for; "
            "delete the campaigns that were measured on several machines, then downgrade again"
        )


def _restore_attempts() -> None:
    jsonb = postgresql.JSONB(astext_type=sa.Text())
    instant = sa.DateTime(timezone=True)
    op.drop_index("ix_attempts_live", table_name="attempts")
    for column in ("members_count", "releases", "start_at", "measured_at", "set_aside"):
        op.drop_column("attempts", column)
    for column in (
        sa.Column("agent_id", sa.Uuid()),
        sa.Column("agent_name", sa.Text()),
        sa.Column("claim_id", sa.Uuid()),
        sa.Column("token_hash", sa.Text()),
        sa.Column("cancel", sa.Text()),
        sa.Column("phase", sa.Text()),
        sa.Column("progress", sa.Double()),
        sa.Column("events_stored", sa.Integer()),
        sa.Column("log_offsets", jsonb),
        sa.Column("claimed_at", instant),
        sa.Column("heartbeat_at", instant),
    ):
        op.add_column("attempts", column)
    op.drop_constraint("ck_attempts_status", "attempts")
    taken = ", ".join(f"{column} = m.{column}" for column in ("status", *MOVED))
    op.execute(f"UPDATE attempts SET {taken} FROM attempt_members m WHERE m.attempt_id = id")
    for column in (
        "agent_id", "agent_name", "cancel", "progress", "events_stored", "log_offsets",
    ):  # fmt: skip
        op.alter_column("attempts", column, nullable=False)
    op.create_check_constraint(op.f("ck_attempts_status"), "attempts", STATUS_BEFORE)
    op.create_check_constraint(op.f("ck_attempts_cancel"), "attempts", CANCEL)
    op.create_foreign_key(
        op.f("fk_attempts_agent_id_agents"), "attempts", "agents", ["agent_id"], ["id"]
    )
    op.create_unique_constraint(
        op.f("uq_attempts_agent_id_claim_id"), "attempts", ["agent_id", "claim_id"]
    )
    op.create_index("ix_attempts_token_hash", "attempts", ["token_hash"])
    op.create_index(
        "uq_attempts_agent_id_live", "attempts", ["agent_id"], unique=True,
        postgresql_where=sa.text(LIVE),
    )  # fmt: skip

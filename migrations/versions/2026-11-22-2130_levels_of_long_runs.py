"""levels of long runs, which are built while they are taken in; what a fault cost

Revision: 0016, after 0015

Runs that are there keep what they were drawn from. Those that were long enough for merged intervals
are noted, and the worker builds their levels one by one while everything else goes on; until then
they are read as before. So this takes no longer than one look into an index for each attempt.
What faults cost in runs from before is worked out when it is asked for.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
ROLE = "weighhouse_tenant"
TABLES = ("level_windows", "levels_wanted", "fault_costs")
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)


def upgrade() -> None:
    op.create_table(
        "level_windows",
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column("width_seconds", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sequence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last_sequence", sa.Integer(), nullable=False),
        sa.Column("member", sa.Integer(), nullable=True),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("phase_index", sa.Integer(), nullable=False),
        sa.Column("phase_began_at", INSTANT, nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("started_at", INSTANT, nullable=False),
        sa.Column("duration_us", sa.BigInteger(), nullable=False),
        sa.Column("merged", sa.Integer(), nullable=False),
        sa.Column("figures", postgresql.JSONB(), nullable=False),
        sa.Column("heat", postgresql.JSONB(), nullable=False),
        sa.Column("operations", postgresql.JSONB(), nullable=False),
        sa.Column("histograms", sa.LargeBinary(), nullable=False),
        sa.Column("lag", postgresql.JSONB(), nullable=True),
        sa.Column("driver", postgresql.JSONB(), nullable=False),
        *_keys("level_windows", "attempt_id", "width_seconds", "sequence"),
    )
    op.create_index("ix_level_windows_project_id", "level_windows", ["project_id"])
    op.create_table(
        "levels_wanted",
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        *_keys("levels_wanted", "attempt_id"),
    )
    op.create_table(
        "fault_costs",
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("body", postgresql.JSONB(), nullable=False),
        *_keys("fault_costs", "attempt_id"),
    )
    op.create_index("ix_fault_costs_project_id", "fault_costs", ["project_id"])
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY own_rows ON {table} TO {ROLE} USING (project_id = {PROJECTS})")
    op.execute(
        "INSERT INTO levels_wanted (attempt_id, project_id) "
        "SELECT id, project_id FROM attempts WHERE EXISTS (SELECT FROM intervals "
        "WHERE attempt_id = attempts.id AND member = 0 AND span > 1)"
    )


def downgrade() -> None:
    # Long runs settled since are drawn from all their intervals again: slower, and nothing is lost.
    for table in TABLES:
        op.drop_table(table)


def _keys(table: str, *primary: str) -> tuple[sa.Constraint, ...]:
    return (
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"],
            name=op.f(f"fk_{table}_attempt_id_attempts"), ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"],
            name=op.f(f"fk_{table}_project_id_projects"), ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(*primary, name=op.f(f"pk_{table}")),
    )  # fmt: skip

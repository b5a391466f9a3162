"""tenants see their own rows: row-level security behind the services' own scoping

Revision: 0002, after 0001

A request confines its transaction to the caller's projects by taking the role `weighhouse_tenant`
(see `kit.tenancy`). The worker, migrations and the first look at who calls keep the role they
signed in with, which owns the tables and is not held by the policies.

The role belongs to the whole cluster, so a downgrade leaves it: another database may use it.
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
TABLES = (
    "agents", "api_tokens", "artifacts", "attempts", "audit_entries", "campaign_events",
    "campaign_verdicts", "campaigns", "cells", "change_points", "experiment_revisions",
    "experiments", "findings", "intervals", "registration_tokens", "resource_samples", "run_logs",
    "run_records", "run_summaries", "runs", "schedules", "series", "series_points",
    "timeline_marks",
)
# A subselect is worked out once a statement, not once a row. Without the setting nothing is seen.
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)


def upgrade() -> None:
    op.execute(
        f"DO $$ BEGIN CREATE ROLE {ROLE} NOLOGIN; "
        "EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    )
    op.execute(f"GRANT {ROLE} TO CURRENT_USER")
    op.execute(f"GRANT USAGE ON SCHEMA public TO {ROLE}")
    for what, rights in (("TABLES", "SELECT, INSERT, UPDATE, DELETE"), ("SEQUENCES", "USAGE")):
        op.execute(f"GRANT {rights} ON ALL {what} IN SCHEMA public TO {ROLE}")
        op.execute(
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT {rights} ON {what} TO {ROLE}"
        )
    op.execute(f"REVOKE ALL ON alembic_version FROM {ROLE}")
    for table, column in (("projects", "id"), *((table, "project_id") for table in TABLES)):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY own_rows ON {table} TO {ROLE} USING ({column} = {PROJECTS})")


def downgrade() -> None:
    for table in ("projects", *TABLES):
        op.execute(f"DROP POLICY own_rows ON {table}")
        op.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
    for what in ("TABLES", "SEQUENCES"):
        op.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON {what} FROM {ROLE}")
        op.execute(f"REVOKE ALL ON ALL {what} IN SCHEMA public FROM {ROLE}")
    op.execute(f"REVOKE USAGE ON SCHEMA public FROM {ROLE}")

"""quotas of organizations and projects, the size of what attempts left, and a count of all use

Revision: 0024, after 0023

How large results are is counted by triggers, with each statement that writes some: whoever writes, the
sum is right, and reading it looks at one row an attempt and member. Results that are there already are
weighed once, by their columns, so that nothing of them has to be unpacked.

A transaction of a tenant sees its own projects alone; how much the whole organization uses it learns
as two numbers from `weighhouse_use`, which counts with its owner's rights (docs/adr/0045).
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

TENANT, PEOPLE, SERVICE = "weighhouse_tenant", "weighhouse_people", "weighhouse_service"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
OWN_PROJECTS = "string_to_array(current_setting('weighhouse.project_ids', true), ',')::uuid[]"
ORGANIZATIONS = "ANY ((SELECT weighhouse_organizations())::uuid[])"
CONFINED = f"current_setting('role') IN ('{TENANT}', '{PEOPLE}')"
DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
INSTANT = sa.DateTime(timezone=True)
# Table -> the member whose rows they are; -1: the attempt's own.
OF_ATTEMPTS = {
    "intervals": "member",
    "level_windows": "coalesce(member, -1)",
    "resource_samples": "member",
    "sample_windows": "member",
    "timeline_marks": "member",
    "run_records": "member",
    "run_logs": "member",
    "run_summaries": "-1",
    "fault_costs": "-1",
}
USE = "weighhouse_use(text, uuid, timestamptz, timestamptz)"
SPENT = (
    "SELECT coalesce(sum(extract(epoch FROM upper(span) - lower(span))), 0)::bigint FROM ("
    " SELECT unnest(range_agg(tstzrange(greatest(m.claimed_at, $3),"
    " least(coalesce(m.finished_at, $4), $4)))) AS span"
    " FROM public.attempt_members m WHERE m.project_id = ANY ({projects})"
    " AND m.offered_at > $3 - interval '3 days' AND m.claimed_at < $4"
    " AND greatest(m.claimed_at, $3) < coalesce(m.finished_at, $4)"
    " GROUP BY m.agent_id) busy"
)
COUNTS = {
    "agents": (
        "SELECT count(*) FILTER (WHERE a.project_id = $2), count(*)"
        " FROM public.agents a WHERE a.organization_id = owner_id AND a.revoked_at IS NULL"
    ),
    "concurrent_runs": (
        "SELECT count(*) FILTER (WHERE r.project_id = $2), count(*)"
        " FROM public.runs r WHERE r.status IN ('allocated', 'running')"
        " AND r.project_id = ANY (ours)"
    ),
    "machine_hours": (
        f"SELECT ({SPENT.format(projects='ARRAY[$2]')}), ({SPENT.format(projects='ours')})"
    ),
    "result_bytes": (
        "SELECT coalesce(sum(s.bytes) FILTER (WHERE s.project_id = $2), 0)::bigint,"
        " coalesce(sum(s.bytes), 0)::bigint"
        " FROM public.result_sizes s WHERE s.project_id = ANY (ours)"
    ),
    "artifact_bytes": (
        "SELECT coalesce(sum(f.size_bytes) FILTER (WHERE f.project_id = $2), 0)::bigint,"
        " coalesce(sum(f.size_bytes), 0)::bigint FROM (SELECT DISTINCT ON (project_id, sha256)"
        " project_id, size_bytes FROM public.artifacts WHERE project_id = ANY (ours)) f"
    ),
    "campaigns": (
        "SELECT count(*) FILTER (WHERE c.project_id = $2), count(*)"
        " FROM public.campaigns c WHERE c.project_id = ANY (ours)"
    ),
}


def upgrade() -> None:
    _tables()
    _sizes()
    _use()


def _tables() -> None:
    for kind in ("organization", "project"):
        op.create_table(
            f"{kind}_quotas",
            sa.Column(f"{kind}_id", sa.Uuid(), nullable=False),
            sa.Column("limits", postgresql.JSONB(), nullable=False),
            sa.Column("version", sa.Integer(), nullable=False),
            sa.Column("updated_by", sa.Text(), nullable=True),
            sa.Column("updated_at", INSTANT, nullable=True),
            sa.ForeignKeyConstraint(
                [f"{kind}_id"], [f"{kind}s.id"], ondelete="CASCADE",
                name=op.f(f"fk_{kind}_quotas_{kind}_id_{kind}s"),
            ),
            sa.PrimaryKeyConstraint(f"{kind}_id", name=op.f(f"pk_{kind}_quotas")),
        )  # fmt: skip
    op.create_table(
        "result_sizes",
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column("member", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], ondelete="CASCADE",
            name=op.f("fk_result_sizes_attempt_id_attempts"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f("fk_result_sizes_project_id_projects"),
        ),
        sa.PrimaryKeyConstraint("attempt_id", "member", name=op.f("pk_result_sizes")),
    )  # fmt: skip
    op.create_index(
        op.f("ix_result_sizes_project_id"), "result_sizes", ["project_id"],
        postgresql_include=["bytes"],
    )  # fmt: skip
    op.create_index(
        op.f("ix_attempt_members_project_id_offered_at"), "attempt_members",
        ["project_id", "offered_at"],
    )  # fmt: skip
    rows = {
        "organization_quotas": f"organization_id = {ORGANIZATIONS}",
        "project_quotas": f"project_id = {PROJECTS}",
        "result_sizes": f"project_id = {PROJECTS}",
    }
    for table, own in rows.items():
        # Who may only look at them: what a limit is, no project says of itself.
        readers = TENANT if table == "result_sizes" else f"{TENANT}, {PEOPLE}"
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"GRANT SELECT ON {table} TO {readers}")
        op.execute(f"CREATE POLICY own_rows ON {table} FOR SELECT TO {readers} USING ({own})")
        op.execute(f"CREATE POLICY every_row ON {table} TO {SERVICE} USING (true)")
    op.execute(f"GRANT INSERT, UPDATE ON project_quotas TO {PEOPLE}")
    op.execute(f"CREATE POLICY new_rows ON project_quotas FOR INSERT TO {PEOPLE}"
               f" WITH CHECK (project_id = {PROJECTS})")  # fmt: skip
    op.execute(f"CREATE POLICY changed_rows ON project_quotas FOR UPDATE TO {PEOPLE}"
               f" USING (project_id = {PROJECTS})")  # fmt: skip


def _sizes() -> None:
    """Three triggers a table: a trigger that sees all rows of a statement is of one event."""
    for table, member in OF_ATTEMPTS.items():
        of = f"SELECT attempt_id, {member} AS part, project_id"
        fresh = f"{of}, pg_column_size(t) AS size FROM fresh t"
        gone = f"{of}, -pg_column_size(t) AS size FROM gone t"
        bodies = {
            "insert": (
                "INSERT INTO public.result_sizes AS s (attempt_id, member, project_id, bytes)"
                f" {_sums(fresh)} ORDER BY 1, 2"
                " ON CONFLICT (attempt_id, member) DO UPDATE SET bytes = s.bytes + excluded.bytes"
            ),
            # Rows may change to another attempt, as those of a chain do when they are shared out.
            "update": (
                "INSERT INTO public.result_sizes (attempt_id, member, project_id, bytes)"
                f" SELECT DISTINCT attempt_id, {member}, project_id, 0 FROM fresh ORDER BY 1, 2"
                " ON CONFLICT DO NOTHING; "
                f"{_changed(_sums(f'{fresh} UNION ALL {gone}'))}"
            ),
            # With its attempt goes its size: there may be nothing left to change.
            "delete": _changed(_sums(gone)),
        }
        seen = {
            "insert": "NEW TABLE AS fresh",
            "update": "OLD TABLE AS gone NEW TABLE AS fresh",
            "delete": "OLD TABLE AS gone",
        }
        for event, body in bodies.items():
            name = f"weighhouse_weigh_{table}_{event}"
            op.execute(
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql {DEFINER} AS $$"
                f" BEGIN {body}; RETURN NULL; END $$"
            )
            op.execute(f"REVOKE ALL ON FUNCTION {name}() FROM PUBLIC")
            op.execute(
                f"CREATE TRIGGER weighed_{event} AFTER {event} ON {table} REFERENCING {seen[event]}"
                f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
            )
    _weigh_what_is_there()


def _sums(rows: str) -> str:
    return (
        "SELECT attempt_id, part, project_id, sum(size)::bigint AS size"
        f" FROM ({rows}) every GROUP BY 1, 2, 3"
    )


def _changed(differences: str) -> str:
    return (
        "UPDATE public.result_sizes s SET bytes = greatest(0, s.bytes + d.size)"
        f" FROM ({differences}) d"
        " WHERE s.attempt_id = d.attempt_id AND s.member = d.part AND d.size <> 0"
    )


def _weigh_what_is_there() -> None:
    columns = op.get_bind().execute(
        sa.text(
            "SELECT table_name, string_agg(format('coalesce(pg_column_size(%I), 0)', column_name),"
            " ' + ') FROM information_schema.columns WHERE table_schema = 'public'"
            " AND table_name = ANY (:tables) GROUP BY table_name"
        ),
        {"tables": list(OF_ATTEMPTS)},
    )
    sizes = {table: f"24 + {size}" for table, size in columns}
    rows = " UNION ALL ".join(
        f"SELECT attempt_id, {member} AS part, project_id, {sizes[table]} AS size FROM {table}"
        for table, member in OF_ATTEMPTS.items()
    )
    op.execute(
        "INSERT INTO result_sizes (attempt_id, member, project_id, bytes)"
        f" SELECT attempt_id, part, project_id, sum(size) FROM ({rows}) every GROUP BY 1, 2, 3"
    )


def _use() -> None:
    cases = " ".join(f"WHEN '{kind}' THEN RETURN QUERY {count};" for kind, count in COUNTS.items())
    op.execute(
        f"CREATE FUNCTION {USE} RETURNS TABLE (of_project bigint, of_organization bigint)"
        f" LANGUAGE plpgsql STABLE {DEFINER} AS $$"
        " DECLARE owner_id uuid; ours uuid[]; BEGIN"
        f" IF {CONFINED} AND ($2 = ANY ({OWN_PROJECTS})) IS NOT TRUE THEN"
        " RAISE insufficient_privilege USING MESSAGE = 'not the use of another project'; END IF;"
        " SELECT p.organization_id INTO owner_id FROM public.projects p WHERE p.id = $2;"
        " SELECT array_agg(p.id) INTO ours FROM public.projects p"
        " WHERE p.organization_id = owner_id;"
        f" CASE $1 {cases} END CASE; END $$"
    )
    op.execute(f"REVOKE ALL ON FUNCTION {USE} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {USE} TO {TENANT}, {PEOPLE}, {SERVICE}")


def downgrade() -> None:
    op.execute(f"DROP FUNCTION {USE}")
    for table in OF_ATTEMPTS:
        for event in ("insert", "update", "delete"):
            op.execute(f"DROP TRIGGER weighed_{event} ON {table}")
            op.execute(f"DROP FUNCTION weighhouse_weigh_{table}_{event}()")
    op.drop_index(op.f("ix_attempt_members_project_id_offered_at"), "attempt_members")
    for table in ("result_sizes", "project_quotas", "organization_quotas"):
        op.drop_table(table)

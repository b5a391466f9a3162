"""roles that own nothing: what tenants' transactions, people's and the application's may touch

Revision: 0019, after 0018

Three group roles, which nobody logs in as (docs/adr/0039): `weighhouse_tenant` for a transaction that
was confined to projects, `weighhouse_people` for one that decides who has access to them, and
`weighhouse_service` for what the application does before it knows who calls, and in its worker. The
application's login is a member of all three; `python -m weighhouse_backend.kit.database_login` makes
it. A login from before, which owns the tables, goes on working.

Roles belong to the whole cluster, so a downgrade leaves them: another database may use them.
"""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

TENANT, PEOPLE, SERVICE = "weighhouse_tenant", "weighhouse_people", "weighhouse_service"
EVERYTHING = "SELECT, INSERT, UPDATE, DELETE"
# A subselect is worked out once a statement, not once a row. Without the setting nothing is seen.
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
ORGANIZATIONS = "ANY ((SELECT weighhouse_organizations())::uuid[])"
CONFINED = f"current_setting('role') IN ('{TENANT}', '{PEOPLE}')"
OWN_PROJECTS = "string_to_array(current_setting('weighhouse.project_ids', true), ',')::uuid[]"
# What a function does with its owner's rights looks names up where nobody else can put one.
DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
FUNCTIONS = {
    "weighhouse_organizations()": (
        f"RETURNS uuid[] LANGUAGE sql STABLE {DEFINER} AS $$"
        " SELECT coalesce(array_agg(DISTINCT organization_id), '{}') FROM public.projects"
        f" WHERE id = ANY ({OWN_PROJECTS}) $$"
    ),
    # Who works on what a transaction sees, and who is named there though they have left.
    "weighhouse_colleagues()": (
        "RETURNS TABLE (organization_id uuid, user_id uuid, name text)"
        f" LANGUAGE sql STABLE {DEFINER} AS $$"
        " SELECT m.organization_id, u.id, u.name"
        " FROM public.users u LEFT JOIN public.memberships m ON m.user_id = u.id"
        f" WHERE NOT {CONFINED} OR m.organization_id = ANY (public.weighhouse_organizations())"
        " UNION SELECT NULL, u.id, u.name"
        " FROM public.users u JOIN public.alerts a ON a.assignee_id = u.id"
        f" WHERE {CONFINED} AND a.project_id = ANY ({OWN_PROJECTS}) $$"
    ),
    "weighhouse_note(uuid, uuid, text, text, text, jsonb, timestamptz)": (
        f"RETURNS void LANGUAGE plpgsql {DEFINER} AS $$ BEGIN"
        f" IF {CONFINED} AND ($2 = ANY ({OWN_PROJECTS})) IS NOT TRUE THEN"
        " RAISE insufficient_privilege USING MESSAGE = 'no audit entry for another project'; END IF;"
        " INSERT INTO public.audit_entries (id, project_id, actor, action, subject, details, at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7); END $$"
    ),
}
# Table -> what holds for people's transactions: privileges, and the rows.
OF_PEOPLE = {
    "memberships": ("SELECT, UPDATE, DELETE", f"organization_id = {ORGANIZATIONS}"),
    "api_tokens": ("SELECT, INSERT, UPDATE", f"project_id = {PROJECTS}"),
    "audit_entries": ("SELECT", f"project_id = {PROJECTS}"),
}
# These are no tenant's rows: only who recognizes callers looks at them.
UNSEEN = ("users", "memberships", "login_sessions", "login_failures", "api_tokens", "audit_entries")
# Tenants' tables from before that had no policy yet.
NEWLY_GUARDED = ("organizations", "users", "memberships")
KEPT_FOR_EVER = ("organizations", "projects", "audit_entries")


def upgrade() -> None:
    for role in (PEOPLE, SERVICE):
        op.execute(
            f"DO $$ BEGIN CREATE ROLE {role} NOLOGIN; "
            "EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
        )
        op.execute(f"GRANT {role} TO CURRENT_USER")
        op.execute(f"GRANT USAGE ON SCHEMA public TO {role}")
    op.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    for signature, definition in FUNCTIONS.items():
        op.execute(f"CREATE FUNCTION {signature} {definition}")
        op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO {TENANT}, {PEOPLE}, {SERVICE}")
    _service()
    _tenants()
    _people()


def _service() -> None:
    for what, rights in (("TABLES", EVERYTHING), ("SEQUENCES", "USAGE")):
        op.execute(f"GRANT {rights} ON ALL {what} IN SCHEMA public TO {SERVICE}")
        op.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT {rights} ON {what} TO {SERVICE}")
    op.execute(f"REVOKE ALL ON alembic_version FROM {SERVICE}")
    op.execute(f"GRANT SELECT ON alembic_version TO {SERVICE}")
    # What is deleted with its project is deleted by whoever owns the tables.
    op.execute(f"REVOKE DELETE ON {', '.join(KEPT_FOR_EVER)} FROM {SERVICE}")
    op.execute(f"REVOKE UPDATE ON audit_entries FROM {SERVICE}")
    for table in NEWLY_GUARDED:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(
        "DO $$ DECLARE one text; BEGIN FOR one IN SELECT relname FROM pg_class"
        " WHERE relnamespace = 'public'::regnamespace AND relrowsecurity LOOP"
        f" EXECUTE format('CREATE POLICY every_row ON %I TO {SERVICE} USING (true)', one);"
        " END LOOP; END $$"
    )


def _tenants() -> None:
    # A new table is nobody's until its migration says whose.
    op.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM {TENANT}")
    op.execute(f"REVOKE ALL ON {', '.join(UNSEEN)} FROM {TENANT}")
    op.execute(f"REVOKE INSERT, UPDATE, DELETE ON projects, organizations FROM {TENANT}")
    for table in ("api_tokens", "audit_entries", "projects"):
        op.execute(f"DROP POLICY own_rows ON {table}")
    for table, rows in (
        ("projects", f"id = {PROJECTS}"),
        ("organizations", f"id = {ORGANIZATIONS}"),
    ):
        op.execute(
            f"CREATE POLICY own_rows ON {table} FOR SELECT TO {TENANT}, {PEOPLE} USING ({rows})"
        )


def _people() -> None:
    for table, (rights, rows) in OF_PEOPLE.items():
        op.execute(f"GRANT {rights} ON {table} TO {PEOPLE}")
        op.execute(f"CREATE POLICY own_rows ON {table} TO {PEOPLE} USING ({rows})")
    op.execute(f"GRANT SELECT, INSERT ON projects TO {PEOPLE}")
    op.execute(
        f"CREATE POLICY new_rows ON projects FOR INSERT TO {PEOPLE}"
        f" WITH CHECK (id = {PROJECTS} AND organization_id = {ORGANIZATIONS})"
    )
    # Who changes who belongs to an organization locks its row, which takes the right to change it.
    op.execute(f"GRANT SELECT, UPDATE (name) ON organizations TO {PEOPLE}")
    op.execute(
        f"CREATE POLICY locked_rows ON organizations FOR UPDATE TO {PEOPLE}"
        f" USING (id = {ORGANIZATIONS})"
    )
    op.execute(f"GRANT SELECT (id, email, name, created_at) ON users TO {PEOPLE}")
    op.execute(
        f"CREATE POLICY own_rows ON users FOR SELECT TO {PEOPLE}"
        " USING (id IN (SELECT user_id FROM memberships))"
    )


def downgrade() -> None:
    op.execute(
        "DO $$ DECLARE one record; BEGIN FOR one IN SELECT tablename, policyname FROM pg_policies"
        " WHERE schemaname = 'public' AND (policyname IN ('every_row', 'new_rows', 'locked_rows')"
        " OR policyname = 'own_rows' AND tablename IN ('memberships', 'users', 'organizations',"
        " 'projects', 'api_tokens', 'audit_entries')) LOOP"
        " EXECUTE format('DROP POLICY %I ON %I', one.policyname, one.tablename); END LOOP; END $$"
    )
    for table in NEWLY_GUARDED:
        op.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
    for table, column in (("projects", "id"), ("api_tokens", "project_id"), ("audit_entries", "project_id")):
        op.execute(f"CREATE POLICY own_rows ON {table} TO {TENANT} USING ({column} = {PROJECTS})")
    for signature in reversed(FUNCTIONS):
        op.execute(f"DROP FUNCTION {signature}")
    for role in (PEOPLE, SERVICE):
        for what in ("TABLES", "SEQUENCES"):
            op.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON {what} FROM {role}")
            op.execute(f"REVOKE ALL ON ALL {what} IN SCHEMA public FROM {role}")
        op.execute(f"REVOKE ALL ON SCHEMA public FROM {role}")
    op.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT {EVERYTHING} ON TABLES TO {TENANT}")
    op.execute(f"GRANT {EVERYTHING} ON ALL TABLES IN SCHEMA public TO {TENANT}")
    op.execute(f"REVOKE ALL ON alembic_version FROM {TENANT}")

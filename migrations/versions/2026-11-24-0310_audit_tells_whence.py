"""the audit log tells the address, the person and the token of what was done over the API

Revision: 0027, after 0026
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

TENANT, PEOPLE, SERVICE = "weighhouse_tenant", "weighhouse_people", "weighhouse_service"
CONFINED = "current_setting('role') IN ('weighhouse_tenant', 'weighhouse_people')"
OWN_PROJECTS = "string_to_array(current_setting('weighhouse.project_ids', true), ',')::uuid[]"
DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
BEFORE = "weighhouse_note(uuid, uuid, text, text, text, jsonb, timestamptz)"
NOW = "weighhouse_note(uuid, uuid, text, text, text, jsonb, timestamptz, text, uuid, uuid)"
# Nothing refers to people and tokens: an entry outlives them.
COLUMNS = (("address", sa.Text()), ("person_id", sa.Uuid()), ("token_id", sa.Uuid()))


def upgrade() -> None:
    for name, kind in COLUMNS:
        op.add_column("audit_entries", sa.Column(name, kind, nullable=True))
    _replace(BEFORE, NOW, ", address, person_id, token_id", ", $8, $9, $10")


def downgrade() -> None:
    _replace(NOW, BEFORE, "", "")
    for name, _ in reversed(COLUMNS):
        op.drop_column("audit_entries", name)


def _replace(former: str, signature: str, columns: str, values: str) -> None:
    op.execute(f"DROP FUNCTION {former}")
    op.execute(
        f"CREATE FUNCTION {signature} RETURNS void LANGUAGE plpgsql {DEFINER} AS $$ BEGIN"
        f" IF {CONFINED} AND ($2 = ANY ({OWN_PROJECTS})) IS NOT TRUE THEN"
        " RAISE insufficient_privilege USING MESSAGE = 'no audit entry for another project'; END IF;"
        " INSERT INTO public.audit_entries"
        f" (id, project_id, actor, action, subject, details, at{columns})"
        f" VALUES ($1, $2, $3, $4, $5, $6, $7{values}); END $$"
    )
    op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO {TENANT}, {PEOPLE}, {SERVICE}")

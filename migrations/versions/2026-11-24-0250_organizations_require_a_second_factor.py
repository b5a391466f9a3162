"""organizations may require a second factor; projects trust pipelines

Revision: 0028, after 0026
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0026"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
PEOPLE, SERVICE = "weighhouse_people", "weighhouse_service"
CONFINED = "current_setting('role') IN ('weighhouse_tenant', 'weighhouse_people')"
DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
# Tells who has neither a factor nor came by the organization's provider; tells how many.
TELL = "weighhouse_tell_of_factor(uuid, timestamptz)"
TELLING = (
    f"RETURNS bigint LANGUAGE plpgsql {DEFINER} AS $$ DECLARE told bigint; BEGIN"
    f" IF {CONFINED} AND ($1 = ANY (public.weighhouse_organizations())) IS NOT TRUE THEN"
    " RAISE insufficient_privilege USING MESSAGE = 'not of another organization''s people';"
    " END IF;"
    " INSERT INTO public.factor_letters (id, user_id, kind, at)"
    " SELECT gen_random_uuid(), m.user_id, 'required', $2 FROM public.memberships m"
    " WHERE m.organization_id = $1"
    " AND NOT EXISTS (SELECT FROM public.second_factors f"
    " WHERE f.user_id = m.user_id AND f.confirmed_at IS NOT NULL)"
    " AND NOT EXISTS (SELECT FROM public.identities i"
    " JOIN public.identity_providers p ON p.id = i.provider_id AND p.issuer = i.issuer"
    " WHERE i.user_id = m.user_id AND p.organization_id = $1);"
    " GET DIAGNOSTICS told = ROW_COUNT; RETURN told; END $$"
)


def upgrade() -> None:
    op.add_column("organizations", sa.Column("factor_required_at", INSTANT, nullable=True))
    op.execute(f"GRANT UPDATE (factor_required_at) ON organizations TO {PEOPLE}")
    op.execute(f"CREATE FUNCTION {TELL} {TELLING}")
    op.execute(f"REVOKE ALL ON FUNCTION {TELL} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION {TELL} TO {PEOPLE}, {SERVICE}")


def downgrade() -> None:
    """Roles hold without a second factor again."""
    op.execute(f"DROP FUNCTION {TELL}")
    op.drop_column("organizations", "factor_required_at")

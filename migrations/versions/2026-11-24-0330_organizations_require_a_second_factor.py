"""organizations may require a second factor; projects trust pipelines

Revision: 0028, after 0027
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

ROLES = "role IN ('viewer', 'member', 'maintainer', 'owner')"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
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
    _trust_pipelines()


def _trust_pipelines() -> None:
    op.create_table(
        "pipeline_trusts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("conditions", postgresql.JSONB(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("scopes", postgresql.JSONB(), nullable=False),
        sa.Column("lifetime_seconds", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_used_at", INSTANT, nullable=True),
        sa.Column("last_pipeline", sa.Text(), nullable=True),
        sa.CheckConstraint(ROLES, name=op.f("ck_pipeline_trusts_role")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f("fk_pipeline_trusts_project_id_projects"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pipeline_trusts")),
    )  # fmt: skip
    op.create_index(op.f("ix_pipeline_trusts_project_id"), "pipeline_trusts", ["project_id"])
    op.execute("ALTER TABLE pipeline_trusts ENABLE ROW LEVEL SECURITY")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON pipeline_trusts TO {PEOPLE}")
    op.execute(
        f"CREATE POLICY own_rows ON pipeline_trusts TO {PEOPLE} USING (project_id = {PROJECTS})"
    )
    op.execute(f"CREATE POLICY every_row ON pipeline_trusts TO {SERVICE} USING (true)")
    op.create_table(
        "pipeline_uses",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_pipeline_uses")),
    )
    op.create_index(op.f("ix_pipeline_uses_expires_at"), "pipeline_uses", ["expires_at"])
    op.add_column("api_tokens", sa.Column("trust_id", sa.Uuid(), nullable=True))
    op.add_column("api_tokens", sa.Column("pipeline", sa.Text(), nullable=True))
    op.create_foreign_key(
        op.f("fk_api_tokens_trust_id_pipeline_trusts"), "api_tokens", "pipeline_trusts",
        ["trust_id"], ["id"], ondelete="SET NULL",
    )  # fmt: skip
    op.create_index(op.f("ix_api_tokens_trust_id"), "api_tokens", ["trust_id"])


def downgrade() -> None:
    """Roles hold without a second factor again; what pipelines got ends."""
    op.execute("DELETE FROM api_tokens WHERE pipeline IS NOT NULL")
    for column in ("pipeline", "trust_id"):
        op.drop_column("api_tokens", column)
    for table in ("pipeline_uses", "pipeline_trusts"):
        op.drop_table(table)
    op.execute(f"DROP FUNCTION {TELL}")
    op.drop_column("organizations", "factor_required_at")

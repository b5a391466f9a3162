"""people have a second factor: keys of authenticators, recovery codes, what they are told of them

Revision: 0026, after 0025
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

INSTANT = sa.DateTime(timezone=True)
PEOPLE, SERVICE = "weighhouse_people", "weighhouse_service"
CONFINED = "current_setting('role') IN ('weighhouse_tenant', 'weighhouse_people')"
DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
COLLEAGUE = (
    "IN (SELECT m.user_id FROM public.memberships m"
    " WHERE m.organization_id = ANY (public.weighhouse_organizations()))"
)
# Keys and logins are nobody's to look at: people's transactions ask who has a factor, and take one.
FUNCTIONS = {
    "weighhouse_factors()": (
        f"RETURNS TABLE (user_id uuid) LANGUAGE sql STABLE {DEFINER} AS $$"
        " SELECT f.user_id FROM public.second_factors f WHERE f.confirmed_at IS NOT NULL"
        f" AND (NOT {CONFINED} OR f.user_id {COLLEAGUE}) $$"
    ),
    # Of who is in one organization alone, with all their logins; tells what it came to.
    "weighhouse_reset_factor(uuid, uuid, timestamptz)": (
        f"RETURNS text LANGUAGE plpgsql {DEFINER} AS $$ BEGIN"
        f" IF {CONFINED} AND ($1 {COLLEAGUE}) IS NOT TRUE THEN"
        " RAISE insufficient_privilege USING MESSAGE = 'not the factor of somebody else''s people';"
        " END IF;"
        " IF (SELECT count(*) FROM public.memberships m WHERE m.user_id = $1) > 1 THEN"
        " RETURN 'elsewhere'; END IF;"
        " DELETE FROM public.second_factors f WHERE f.user_id = $1 AND f.confirmed_at IS NOT NULL;"
        " IF NOT FOUND THEN RETURN 'none'; END IF;"
        " DELETE FROM public.login_sessions s WHERE s.user_id = $1;"
        " INSERT INTO public.factor_letters (id, user_id, kind, at) VALUES ($2, $1, 'reset', $3);"
        " RETURN 'reset'; END $$"
    ),
}


def upgrade() -> None:
    op.create_table(
        "second_factors",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("key_sealed", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("confirmed_at", INSTANT, nullable=True),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("wrong_codes", sa.Integer(), nullable=False),
        sa.Column("wrong_since", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], ondelete="CASCADE",
            name=op.f("fk_second_factors_user_id_users"),
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_second_factors")),
    )  # fmt: skip
    op.create_table(
        "recovery_codes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["second_factors.user_id"], ondelete="CASCADE",
            name=op.f("fk_recovery_codes_user_id_second_factors"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recovery_codes")),
    )  # fmt: skip
    op.create_index(op.f("ix_recovery_codes_user_id"), "recovery_codes", ["user_id"])
    op.create_table(
        "factor_letters",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], ondelete="CASCADE",
            name=op.f("fk_factor_letters_user_id_users"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_factor_letters")),
    )  # fmt: skip
    op.create_index(op.f("ix_factor_letters_user_id"), "factor_letters", ["user_id"])
    for signature, definition in FUNCTIONS.items():
        op.execute(f"CREATE FUNCTION {signature} {definition}")
        op.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {signature} TO {PEOPLE}, {SERVICE}")


def downgrade() -> None:
    """Logins take the password alone again."""
    for signature in reversed(FUNCTIONS):
        op.execute(f"DROP FUNCTION {signature}")
    for table in ("factor_letters", "recovery_codes", "second_factors"):
        op.drop_table(table)

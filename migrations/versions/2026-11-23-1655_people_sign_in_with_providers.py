"""people sign in with providers: one an organization, whom its subjects are here, who is on the way

Revision: 0023, after 0022
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

PEOPLE, SERVICE = "weighhouse_people", "weighhouse_service"
ORGANIZATIONS = "ANY ((SELECT weighhouse_organizations())::uuid[])"
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "identity_providers",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=False),
        sa.Column("client_secret_sealed", sa.Text(), nullable=True),
        sa.Column("groups_claim", sa.Text(), nullable=False),
        sa.Column("mappings", postgresql.JSONB(), nullable=False),
        sa.Column("only_way", sa.Boolean(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], ondelete="CASCADE",
            name=op.f("fk_identity_providers_organization_id_organizations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identity_providers")),
        sa.UniqueConstraint("organization_id", name=op.f("uq_identity_providers_organization_id")),
    )  # fmt: skip
    op.execute("ALTER TABLE identity_providers ENABLE ROW LEVEL SECURITY")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON identity_providers TO {PEOPLE}")
    op.execute(
        f"CREATE POLICY own_rows ON identity_providers TO {PEOPLE}"
        f" USING (organization_id = {ORGANIZATIONS})"
    )
    op.execute(f"CREATE POLICY every_row ON identity_providers TO {SERVICE} USING (true)")
    op.create_table(
        "identities",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("provider_id", sa.Uuid(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("by_groups", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_login_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["identity_providers.id"], ondelete="CASCADE",
            name=op.f("fk_identities_provider_id_identity_providers"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], ondelete="CASCADE", name=op.f("fk_identities_user_id_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identities")),
        sa.UniqueConstraint(
            "provider_id", "issuer", "subject",
            name=op.f("uq_identities_provider_id_issuer_subject"),
        ),
    )  # fmt: skip
    op.create_index(op.f("ix_identities_user_id"), "identities", ["user_id"])
    op.create_table(
        "sign_ins",
        sa.Column("state_hash", sa.Text(), nullable=False),
        sa.Column("browser_hash", sa.Text(), nullable=False),
        sa.Column("provider_id", sa.Uuid(), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("verifier_sealed", sa.Text(), nullable=False),
        sa.Column("next", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["provider_id"], ["identity_providers.id"], ondelete="CASCADE",
            name=op.f("fk_sign_ins_provider_id_identity_providers"),
        ),
        sa.PrimaryKeyConstraint("state_hash", name=op.f("pk_sign_ins")),
    )  # fmt: skip
    op.create_index(op.f("ix_sign_ins_provider_id"), "sign_ins", ["provider_id"])
    op.create_index(op.f("ix_sign_ins_created_at"), "sign_ins", ["created_at"])
    op.add_column("login_sessions", sa.Column("provider_id", sa.Uuid(), nullable=True))
    op.add_column("login_sessions", sa.Column("sign_out_sealed", sa.Text(), nullable=True))
    op.create_foreign_key(
        op.f("fk_login_sessions_provider_id_identity_providers"), "login_sessions",
        "identity_providers", ["provider_id"], ["id"], ondelete="CASCADE",
    )  # fmt: skip
    op.create_index(op.f("ix_login_sessions_provider_id"), "login_sessions", ["provider_id"])


def downgrade() -> None:
    """Who signed in with a provider is signed out."""
    op.execute("DELETE FROM login_sessions WHERE provider_id IS NOT NULL")
    for column in ("sign_out_sealed", "provider_id"):
        op.drop_column("login_sessions", column)
    for table in ("sign_ins", "identities", "identity_providers"):
        op.drop_table(table)

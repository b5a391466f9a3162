"""people are invited: roles by project, invitations, resets, whose token it is and what it may

Revision: 0021, after 0020
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

PEOPLE, SERVICE = "weighhouse_people", "weighhouse_service"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
ORGANIZATIONS = "ANY ((SELECT weighhouse_organizations())::uuid[])"
ROLES = "'viewer', 'member', 'maintainer', 'owner'"
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.drop_constraint(op.f("ck_memberships_role"), "memberships")
    op.create_check_constraint(
        op.f("ck_memberships_role"), "memberships", f"role IN ('guest', {ROLES})"
    )
    op.create_table(
        "project_memberships",
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint(f"role IN ({ROLES})", name=op.f("ck_project_memberships_role")),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f("fk_project_memberships_project_id_projects"),
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], ondelete="CASCADE",
            name=op.f("fk_project_memberships_user_id_users"),
        ),
        sa.PrimaryKeyConstraint("project_id", "user_id", name=op.f("pk_project_memberships")),
    )  # fmt: skip
    op.create_index(op.f("ix_project_memberships_user_id"), "project_memberships", ["user_id"])
    op.create_table(
        "invitations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("invited_by", sa.Text(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("mailed_at", INSTANT, nullable=True),
        sa.Column("accepted_at", INSTANT, nullable=True),
        sa.Column("revoked_at", INSTANT, nullable=True),
        sa.CheckConstraint(f"role IN ('guest', {ROLES})", name=op.f("ck_invitations_role")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], ondelete="CASCADE",
            name=op.f("fk_invitations_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f("fk_invitations_project_id_projects"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
    )  # fmt: skip
    op.create_index(op.f("ix_invitations_organization_id"), "invitations", ["organization_id"])
    op.create_index(op.f("ix_invitations_project_id"), "invitations", ["project_id"])
    for table, rights, rows in (
        ("project_memberships", "SELECT, INSERT, UPDATE, DELETE", f"project_id = {PROJECTS}"),
        ("invitations", "SELECT, INSERT, UPDATE", f"organization_id = {ORGANIZATIONS}"),
    ):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"GRANT {rights} ON {table} TO {PEOPLE}")
        op.execute(f"CREATE POLICY own_rows ON {table} TO {PEOPLE} USING ({rows})")
        op.execute(f"CREATE POLICY every_row ON {table} TO {SERVICE} USING (true)")
    op.create_table(
        "password_resets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("mailed_at", INSTANT, nullable=True),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], ondelete="CASCADE",
            name=op.f("fk_password_resets_user_id_users"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_password_resets")),
    )  # fmt: skip
    op.create_index(op.f("ix_password_resets_user_id"), "password_resets", ["user_id"])
    op.add_column("api_tokens", sa.Column("owner_id", sa.Uuid(), nullable=True))
    op.add_column("api_tokens", sa.Column("scopes", postgresql.JSONB(), nullable=True))
    op.add_column("api_tokens", sa.Column("last_used_from", sa.Text(), nullable=True))
    op.add_column("api_tokens", sa.Column("replaced_by", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_api_tokens_owner_id_users"), "api_tokens", "users", ["owner_id"], ["id"],
        ondelete="CASCADE",
    )  # fmt: skip
    op.create_foreign_key(
        op.f("fk_api_tokens_replaced_by_api_tokens"), "api_tokens", "api_tokens",
        ["replaced_by"], ["id"], ondelete="SET NULL",
    )  # fmt: skip
    op.create_index(op.f("ix_api_tokens_owner_id"), "api_tokens", ["owner_id"])
    op.add_column("login_sessions", sa.Column("address", sa.Text(), nullable=True))
    op.add_column("login_sessions", sa.Column("user_agent", sa.Text(), nullable=True))


def downgrade() -> None:
    """A guest had no word before: who is one is no member any more."""
    for column in ("address", "user_agent"):
        op.drop_column("login_sessions", column)
    for column in ("owner_id", "scopes", "last_used_from", "replaced_by"):
        op.drop_column("api_tokens", column)
    for table in ("password_resets", "invitations", "project_memberships"):
        op.drop_table(table)
    op.execute("DELETE FROM memberships WHERE role = 'guest'")
    op.drop_constraint(op.f("ck_memberships_role"), "memberships")
    op.create_check_constraint(op.f("ck_memberships_role"), "memberships", f"role IN ({ROLES})")

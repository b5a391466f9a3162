"""manifests by digest for each organization; agents belong to organizations and are lent

Revision: 0004, after 0003

Every organization gets the manifests that all shared before, so that nobody's forms change; what
its agents offer is taken from what they said when they opened their sessions. An agent works for
the project that enrolled it, as before, until a maintainer lends it to others.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ROLE = "weighhouse_tenant"
CONFINED = (
    "(SELECT string_to_array(current_setting('weighhouse.project_ids', true), ',')::uuid[])"
)
PROJECTS = f"ANY ({CONFINED}::uuid[])"
OF_OUR_ORGANIZATION = (
    f"organization_id IN (SELECT organization_id FROM projects WHERE id = {PROJECTS})"
)
WORKS_FOR_US = (
    f"project_id = {PROJECTS} OR "
    f"({OF_OUR_ORGANIZATION} AND (lent_to IS NULL OR lent_to && {CONFINED}))"
)


def upgrade() -> None:
    jsonb, uuids = postgresql.JSONB(), postgresql.ARRAY(sa.Uuid())
    instant = sa.DateTime(timezone=True)
    op.create_table(
        "manifests",
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("plugin_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("manifest", jsonb, nullable=False),
        sa.Column("first_seen_at", instant, nullable=False),
        sa.Column("last_seen_at", instant, nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "digest", name="pk_manifests"),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], ondelete="CASCADE",
            name="fk_manifests_organization_id_organizations",
        ),
    )  # fmt: skip
    op.create_index(
        "ix_manifests_organization_id_plugin_id", "manifests", ["organization_id", "plugin_id"]
    )
    op.execute(
        "INSERT INTO manifests SELECT organizations.id, content_hash, plugins.id, version, manifest,"
        " first_seen_at, last_seen_at FROM plugins CROSS JOIN organizations ON CONFLICT DO NOTHING"
    )
    op.create_table(
        "manifest_offers",
        sa.Column("agent_id", sa.Uuid(), nullable=False),
        sa.Column("plugin_id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("projects", uuids, nullable=True),
        sa.Column("offered_at", instant, nullable=False),
        sa.PrimaryKeyConstraint("agent_id", "plugin_id", name="pk_manifest_offers"),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], ondelete="CASCADE",
            name="fk_manifest_offers_agent_id_agents",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "digest"], ["manifests.organization_id", "manifests.digest"],
            ondelete="CASCADE", name="fk_manifest_offers_organization_id_digest_manifests",
        ),
    )  # fmt: skip
    op.create_index(
        "ix_manifest_offers_organization_id_digest",
        "manifest_offers",
        ["organization_id", "digest"],
    )
    op.execute(
        "INSERT INTO manifest_offers SELECT agents.id, had.key, projects.organization_id,"
        " plugins.content_hash, ARRAY[agents.project_id],"
        " coalesce(agents.seen_at, agents.registered_at)"
        " FROM agents JOIN projects ON projects.id = agents.project_id"
        " CROSS JOIN LATERAL jsonb_each_text(agents.plugins) AS had"
        " JOIN plugins ON plugins.id = had.key AND plugins.version = had.value"
        " WHERE agents.revoked_at IS NULL"
    )
    op.drop_table("plugins")

    op.add_column("agents", sa.Column("organization_id", sa.Uuid(), nullable=True))
    op.add_column("agents", sa.Column("lent_to", uuids, nullable=True))
    op.add_column("agents", sa.Column("set_aside", jsonb, nullable=False, server_default="{}"))
    op.add_column("agents", sa.Column("resting", sa.Text(), nullable=True))
    op.alter_column("agents", "set_aside", server_default=None)
    op.execute(
        "UPDATE agents SET organization_id = projects.organization_id, lent_to = ARRAY[projects.id]"
        " FROM projects WHERE projects.id = agents.project_id"
    )
    op.alter_column("agents", "organization_id", nullable=False)
    op.create_foreign_key(
        "fk_agents_organization_id_organizations", "agents", "organizations",
        ["organization_id"], ["id"], ondelete="CASCADE",
    )  # fmt: skip
    op.create_index("ix_agents_organization_id", "agents", ["organization_id"])

    op.add_column("cells", sa.Column("manifest_digest", sa.Text(), nullable=True))
    op.add_column("cells", sa.Column("last_finished_at", instant, nullable=True))
    op.execute(
        "UPDATE cells SET last_finished_at = ended.at FROM (SELECT cell_id, max(finished_at) AS at"
        " FROM runs GROUP BY cell_id) AS ended WHERE ended.cell_id = cells.id"
    )
    op.create_index(
        "ix_cells_project_id_system_id_last_finished_at",
        "cells",
        ["project_id", "system_id", "last_finished_at"],
    )

    op.create_index("ix_attempt_members_offered_at", "attempt_members", ["offered_at"])

    op.execute("DROP POLICY own_rows ON agents")
    op.execute(f"CREATE POLICY own_rows ON agents TO {ROLE} USING ({WORKS_FOR_US})")
    for table in ("manifests", "manifest_offers"):
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY own_rows ON {table} TO {ROLE} USING ({OF_OUR_ORGANIZATION})")


def downgrade() -> None:
    instant = sa.DateTime(timezone=True)
    op.create_table(
        "plugins",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("manifest", postgresql.JSONB(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("first_seen_at", instant, nullable=False),
        sa.Column("last_seen_at", instant, nullable=False),
        sa.PrimaryKeyConstraint("id", "version", name="pk_plugins"),
    )
    op.create_index("ix_plugins_last_seen_at", "plugins", ["last_seen_at"])
    op.execute(
        "INSERT INTO plugins SELECT DISTINCT ON (plugin_id, version) plugin_id, version, manifest,"
        " digest, first_seen_at, last_seen_at FROM manifests"
        " ORDER BY plugin_id, version, last_seen_at DESC"
    )
    op.drop_index("ix_attempt_members_offered_at", "attempt_members")
    op.drop_index("ix_cells_project_id_system_id_last_finished_at", "cells")
    op.drop_column("cells", "last_finished_at")
    op.drop_column("cells", "manifest_digest")
    op.execute("DROP POLICY own_rows ON agents")
    op.execute(f"CREATE POLICY own_rows ON agents TO {ROLE} USING (project_id = {PROJECTS})")
    op.drop_index("ix_agents_organization_id", "agents")
    op.drop_constraint("fk_agents_organization_id_organizations", "agents", type_="foreignkey")
    for column in ("resting", "set_aside", "lent_to", "organization_id"):
        op.drop_column("agents", column)
    op.drop_table("manifest_offers")
    op.drop_table("manifests")

"""manifests are in force where they were accepted; machines of the platform's own

Revision: 0035, after 0034

What spoke in a project goes on speaking there: what its agents have, what its cells were planned
with, and of every other plugin the manifest that was seen last. Agents stay lent as they were.
"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

TENANT, SERVICE = "weighhouse_tenant", "weighhouse_service"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
OF_OURS = f"organization_id IN (SELECT organization_id FROM projects WHERE id = {PROJECTS})"
OWN = f"project_id = {PROJECTS} OR project_id IS NULL AND {OF_OURS}"
DECIDED = """
INSERT INTO manifest_decisions
    (id, organization_id, project_id, plugin_id, digest, accepted, decided_by, decided_at)
SELECT gen_random_uuid(), organization_id, project_id, plugin_id, digest, true,
    'in force before', now()
FROM ({}) AS spoke
"""
LENT_TO_ALL = """
SELECT DISTINCT organization_id, CAST(NULL AS uuid) AS project_id, plugin_id, digest
FROM manifest_offers WHERE projects IS NULL
"""
LENT = """
SELECT DISTINCT p.organization_id, p.id AS project_id, o.plugin_id, o.digest
FROM manifest_offers o JOIN projects p
    ON p.id = ANY (o.projects) AND p.organization_id = o.organization_id
"""
MEASURED = """
SELECT DISTINCT m.organization_id, c.project_id, m.plugin_id, m.digest
FROM cells c JOIN projects p ON p.id = c.project_id
    JOIN manifests m ON m.organization_id = p.organization_id AND m.digest = c.manifest_digest
"""
SEEN_LAST = """
SELECT DISTINCT ON (p.id, m.plugin_id) m.organization_id, p.id AS project_id, m.plugin_id, m.digest
FROM projects p JOIN manifests m ON m.organization_id = p.organization_id
WHERE NOT EXISTS (
    SELECT FROM manifest_decisions d WHERE d.plugin_id = m.plugin_id
        AND d.organization_id = m.organization_id
        AND (d.project_id IS NULL OR d.project_id = p.id))
ORDER BY p.id, m.plugin_id, m.last_seen_at DESC, m.digest
"""
OWN_MACHINES = """
UPDATE agents SET trusted = true FROM registration_tokens t
WHERE t.created_by = 'installation' AND t.used_by = agents.instance_id
    AND t.project_id = agents.project_id
"""


def upgrade() -> None:
    op.create_table(
        "manifest_decisions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("organization_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=True),
        sa.Column("plugin_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], ondelete="CASCADE",
            name=op.f("fk_manifest_decisions_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f("fk_manifest_decisions_project_id_projects"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_manifest_decisions")),
    )  # fmt: skip
    op.create_index(
        "uq_manifest_decisions_project_id_digest", "manifest_decisions", ["project_id", "digest"],
        unique=True, postgresql_where=sa.text("project_id IS NOT NULL"),
    )  # fmt: skip
    op.create_index(
        "uq_manifest_decisions_organization_id_digest", "manifest_decisions",
        ["organization_id", "digest"], unique=True,
        postgresql_where=sa.text("project_id IS NULL"),
    )  # fmt: skip
    op.execute("ALTER TABLE manifest_decisions ENABLE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY every_row ON manifest_decisions TO {SERVICE} USING (true)")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON manifest_decisions TO {TENANT}")
    op.execute(f"CREATE POLICY own_rows ON manifest_decisions TO {TENANT} USING ({OWN})")
    for spoke in (LENT_TO_ALL, LENT, MEASURED, SEEN_LAST):
        op.execute(DECIDED.format(spoke) + "ON CONFLICT DO NOTHING")
    for table in ("agents", "registration_tokens"):
        op.add_column(
            table,
            sa.Column("trusted", sa.Boolean(), nullable=False, server_default=sa.false()),
        )
        op.alter_column(table, "trusted", server_default=None)
    op.execute(OWN_MACHINES)


def downgrade() -> None:
    for table in ("registration_tokens", "agents"):
        op.drop_column(table, "trusted")
    op.drop_table("manifest_decisions")

"""reports, their revisions and editions; reports are shared, too

Revision: 0049, after 0048
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

TENANT, SERVICE, STRANGER = "weighhouse_tenant", "weighhouse_service", "weighhouse_stranger"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
TABLES = {
    "reports": "SELECT, INSERT, UPDATE, DELETE",
    "report_revisions": "SELECT, INSERT, DELETE",
    "report_editions": "SELECT, INSERT",
}
SHOWN = ("reports", "report_revisions")
"""To strangers: what stands now."""
AUDIENCES = "audience IN ('internal', 'others', 'public')"
SUBJECT = (
    "(kind = 'series') = (series_id IS NOT NULL)"
    " AND (kind = 'campaign') = (campaign_id IS NOT NULL)"
    " AND (kind = 'comparison') = (question IS NOT NULL)"
)
KINDS = "kind IN ('campaign', 'comparison', 'series'{})"


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _at(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _table(name: str, *more: sa.schema.SchemaItem, of_report: bool = True) -> None:
    parents = [("project_id", "projects"), *([("report_id", "reports")] if of_report else [])]
    op.create_table(
        name,
        sa.Column("id", sa.Uuid(), nullable=False),
        *(sa.Column(column, sa.Uuid(), nullable=False) for column, _ in parents),
        *more,
        *(
            sa.ForeignKeyConstraint(
                [column], [f"{parent}.id"], name=op.f(f"fk_{name}_{column}_{parent}"),
                ondelete="CASCADE",
            )
            for column, parent in parents
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{name}")),
    )  # fmt: skip
    op.execute(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY every_row ON {name} TO {SERVICE} USING (true)")
    op.execute(f"GRANT {TABLES[name]} ON {name} TO {TENANT}")
    op.execute(f"CREATE POLICY own_rows ON {name} TO {TENANT} USING (project_id = {PROJECTS})")
    if name in SHOWN:
        op.execute(f"GRANT SELECT ON {name} TO {STRANGER}")
        op.execute(
            f"CREATE POLICY shared_rows ON {name} FOR SELECT TO {STRANGER} "
            f"USING (project_id = {PROJECTS})"
        )


def upgrade() -> None:
    _table(
        "reports", _text("title"), _text("template"), _number("revision"), _text("made_by"),
        _at("created_at"), _text("changed_by"), _at("changed_at"), of_report=False,
    )  # fmt: skip
    op.create_index(op.f("ix_reports_project_id_id"), "reports", ["project_id", "id"])
    _table(
        "report_revisions", _number("number"), _text("title"), _text("text"),
        sa.Column("sources", JSONB(), nullable=False), _text("audience"), _text("author"),
        _at("created_at"),
        sa.UniqueConstraint(
            "report_id", "number", name=op.f("uq_report_revisions_report_id_number")
        ),
        sa.CheckConstraint(AUDIENCES, name=op.f("ck_report_revisions_audience")),
    )  # fmt: skip
    op.create_index(op.f("ix_report_revisions_project_id"), "report_revisions", ["project_id"])
    _table(
        "report_editions", _number("number"), _number("revision"),
        sa.Column("frozen", JSONB(), nullable=False), _text("digest"), _text("made_by"),
        _at("created_at"),
        sa.UniqueConstraint(
            "report_id", "number", name=op.f("uq_report_editions_report_id_number")
        ),
    )  # fmt: skip
    op.create_index(op.f("ix_report_editions_project_id"), "report_editions", ["project_id"])
    _share_reports()


def _share_reports() -> None:
    op.add_column("shares", sa.Column("report_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(
        op.f("fk_shares_report_id_reports"), "shares", "reports", ["report_id"], ["id"],
        ondelete="CASCADE",
    )  # fmt: skip
    op.create_index(op.f("ix_shares_report_id"), "shares", ["report_id"])
    _constrain(KINDS.format(", 'report'"), f"{SUBJECT} AND (kind = 'report') = (report_id IS NOT NULL)")


def _constrain(kinds: str, subject: str) -> None:
    for name, condition in (("ck_shares_kind", kinds), ("ck_shares_subject", subject)):
        op.drop_constraint(op.f(name), "shares")
        op.create_check_constraint(op.f(name), "shares", condition)


def downgrade() -> None:
    op.execute("DELETE FROM shares WHERE kind = 'report'")
    _constrain(KINDS.format(""), SUBJECT)
    op.drop_column("shares", "report_id")
    for name in reversed(TABLES):
        op.drop_table(name)

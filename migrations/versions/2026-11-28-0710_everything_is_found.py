"""everything that people write and measure is found by its words

Revision: 0053, after 0052

Triggers keep the index (docs/adr/0105): nothing that writes has to know of it, and no role of the
application may write it. Words stand in a B-tree by project and kind, whose comparisons row-level
security lets an index answer; of a text search's operators it does not.
"""

from typing import NamedTuple

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

TENANT, SERVICE = "weighhouse_tenant", "weighhouse_service"
PROJECTS = (
    "ANY ((SELECT string_to_array("
    "current_setting('weighhouse.project_ids', true), ',')::uuid[])::uuid[])"
)
DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
TYPES = "text, uuid, uuid, text, text, jsonb, timestamptz"
TABLES = ("search_entries", "search_words")
# Signs that hold words together, as `8.2.1` and `p99.9`, are kept; so are the parts of such a word.
CHUNKS = r"regexp_matches(lower(said), '[[:alnum:]]+(?:\.[[:alnum:]]+)*', 'g')"
WORDS = f"""
    CREATE FUNCTION weighhouse_words(said text) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
    SELECT left(word, 64) FROM {CHUNKS} AS chunk CROSS JOIN LATERAL (
      SELECT chunk[1] AS word
      UNION ALL SELECT unnest(string_to_array(chunk[1], '.')) WHERE chunk[1] LIKE '%.%'
    ) AS every GROUP BY 1 ORDER BY 1 LIMIT 2000 $$
"""  # noqa: S608 - of words above
ENTER = f"""
    CREATE FUNCTION weighhouse_enter(of_kind text, subject uuid, project uuid, said_title text,
      said text, led jsonb, since timestamptz) RETURNS void LANGUAGE plpgsql {DEFINER} AS $$ BEGIN
    INSERT INTO public.search_entries AS e
      (kind, subject_id, project_id, title, text, leads, at)
    VALUES (of_kind, subject, project, left(said_title, 500), left(said, 20000), led, since)
    ON CONFLICT (kind, subject_id) DO UPDATE SET title = excluded.title, text = excluded.text,
      leads = excluded.leads, at = excluded.at;
    DELETE FROM public.search_words WHERE kind = of_kind AND subject_id = subject;
    INSERT INTO public.search_words (kind, subject_id, project_id, word)
    SELECT of_kind, subject, project, word FROM public.weighhouse_words(
      left(said_title, 500) || ' ' || left(said, 20000)) AS word; END $$
"""  # noqa: S608 - of words above
LEAVE = f"""
    CREATE FUNCTION weighhouse_leave(of_kind text, subject uuid) RETURNS void
    LANGUAGE plpgsql {DEFINER} AS $$ BEGIN
    DELETE FROM public.search_words WHERE kind = of_kind AND subject_id = subject;
    DELETE FROM public.search_entries WHERE kind = of_kind AND subject_id = subject; END $$
"""


class Told(NamedTuple):
    """How rows of a table are found; in expressions `r` is the row."""

    kind: str
    title: str
    words: str
    at: str
    columns: str
    """Whose change is told."""
    key: str = "id"
    leads: str = "'{}'::jsonb"
    """What its address is made of."""
    rows: str = "true"
    """Which are found."""


TARGETS = (
    "(SELECT string_agg(concat_ws(' ', t->>'name', t->>'system_id'), ' ')"
    " FROM jsonb_array_elements(r.targets) AS t)"
)
NEWEST = (
    "r.number = (SELECT max(o.number) FROM public.report_revisions o"
    " WHERE o.report_id = r.report_id)"
)
SUBJECT = "'run_id', r.run_id, 'series_id', r.series_id, 'campaign_id', r.campaign_id"
FOUND: dict[str, Told] = {
    "experiments": Told(
        kind="experiment",
        title="r.name",
        words=f"concat_ws(' ', r.slug, r.description, {TARGETS})",
        at="r.updated_at",
        columns="name, slug, description, targets, updated_at",
        leads="jsonb_build_object('slug', r.slug)",
    ),
    "campaigns": Told(
        kind="campaign",
        title="concat('№ ', r.number)",
        words="concat_ws(' ', r.release, r.requested_by, r.accepted_note)",
        at="r.created_at",
        columns="release, requested_by, accepted_note",
        leads="jsonb_build_object('experiment_id', r.experiment_id)",
    ),
    "campaign_commits": Told(
        kind="commit",
        key="campaign_id",
        title="coalesce(nullif(r.subject, ''), left(r.commit, 12))",
        words="concat_ws(' ', r.commit, r.branch, 'PR ' || r.pull_request)",
        at="r.committed_at",
        columns="commit, branch, subject, pull_request",
    ),
    "series": Told(
        kind="series",
        title="concat_ws(' · ', r.target, r.workload, r.load_label)",
        words="concat_ws(' ', r.metric, r.system_id)",
        at="NULL",
        columns="target, workload, load_label, metric, system_id",
        leads="jsonb_build_object('experiment_id', r.experiment_id, 'metric', r.metric)",
    ),
    "report_revisions": Told(
        kind="report",
        key="report_id",
        title="r.title",
        words="concat_ws(' ', r.author, r.text)",
        at="r.created_at",
        columns="title, text",
        rows=NEWEST,
    ),
    "published_sources": Told(
        kind="source",
        title="r.title",
        words="r.kept_by",
        at="r.changed_at",
        columns="title, changed_at, removed_at",
        rows="r.removed_at IS NULL",
    ),
    "annotations": Told(
        kind="note",
        title="r.text",
        words="r.author",
        at="coalesce(r.edited_at, r.created_at)",
        columns="text, edited_at, removed_at",
        leads=f"jsonb_strip_nulls(jsonb_build_object({SUBJECT}))",
        rows="r.removed_at IS NULL",
    ),
    "shares": Told(
        kind="share",
        title="r.title",
        words="''",
        at="r.created_at",
        columns="title, visibility, revoked_at",
        rows="r.visibility = 'public' AND r.revoked_at IS NULL",
    ),
}


def upgrade() -> None:
    _tables()
    op.execute(WORDS)
    op.execute(ENTER)
    op.execute(LEAVE)
    for function in (
        "weighhouse_words(text)",
        f"weighhouse_enter({TYPES})",
        "weighhouse_leave(text, uuid)",
    ):
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION weighhouse_words(text) TO {TENANT}, {SERVICE}")
    for table, told in FOUND.items():
        _keep(table, told)


def _tables() -> None:
    op.create_table(
        "search_entries",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("leads", JSONB(none_as_null=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], ondelete="CASCADE",
            name=op.f("fk_search_entries_project_id_projects"),
        ),
        sa.PrimaryKeyConstraint("kind", "subject_id", name=op.f("pk_search_entries")),
    )  # fmt: skip
    op.create_index(op.f("ix_search_entries_project_id"), "search_entries", ["project_id"])
    op.create_table(
        "search_words",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("word", sa.Text(collation="C"), nullable=False),
        sa.Column("project_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject_id", "word", name=op.f("pk_search_words")),
    )  # fmt: skip
    op.create_index(
        "ix_search_words_listed", "search_words",
        ["project_id", "kind", "word", sa.text("subject_id DESC")],
    )  # fmt: skip
    op.create_index(
        "ix_search_words_shared", "search_words", ["word", sa.text("subject_id DESC")],
        postgresql_where=sa.text("kind = 'share'"),
    )  # fmt: skip
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"REVOKE INSERT, UPDATE, DELETE ON {table} FROM {SERVICE}")
        op.execute(f"GRANT SELECT ON {table} TO {TENANT}")
        op.execute(
            f"CREATE POLICY own_rows ON {table} FOR SELECT TO {TENANT}"
            f" USING (project_id = {PROJECTS})"
        )
        op.execute(f"CREATE POLICY every_row ON {table} FOR SELECT TO {SERVICE} USING (true)")


def _keep(table: str, told: Told) -> None:
    """Enter what there is, and from now on what is written: what is new and what is gone by
    statement, as many rows are written at once; what changes by row, as that is told by columns.
    """
    enter = _enter(f"public.{table}", told)
    for statement in enter:
        op.execute(statement)
    change = (
        f"public.weighhouse_enter('{told.kind}', r.{told.key}, r.project_id, {told.title},"
        f" {told.words}, {told.leads}, {told.at})"
    )
    gone = f"PERFORM public.weighhouse_leave('{told.kind}', r.{told.key})"
    bodies = {
        "insert": "; ".join(_enter("fresh", told)),
        "update": f"r := NEW; IF {told.rows} THEN PERFORM {change}; ELSE {gone}; END IF",
        "delete": f"{gone} FROM gone AS r",
    }
    fired = {
        "insert": f"INSERT ON {table} REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT",
        "update": f"UPDATE OF {told.columns} ON {table} FOR EACH ROW",
        "delete": f"DELETE ON {table} REFERENCING OLD TABLE AS gone FOR EACH STATEMENT",
    }
    for event, body in bodies.items():
        name = f"weighhouse_find_{table}_{event}"
        row = f"DECLARE r public.{table}; " if event == "update" else ""
        op.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql {DEFINER} AS $$"
            f" {row}BEGIN {body}; RETURN NULL; END $$"
        )
        op.execute(f"REVOKE ALL ON FUNCTION {name}() FROM PUBLIC")
        op.execute(f"CREATE TRIGGER found_{event} AFTER {fired[event]} EXECUTE FUNCTION {name}()")


def _enter(rows: str, told: Told) -> tuple[str, str, str]:
    """Enter all of some rows; perhaps again."""
    title, said = f"left({told.title}, 500)", f"left({told.words}, 20000)"
    own = f"'{told.kind}', r.{told.key}, r.project_id"
    return (
        "INSERT INTO public.search_entries (kind, subject_id, project_id, title, text, leads, at)"
        f" SELECT {own}, {title}, {said}, {told.leads}, {told.at} FROM {rows} AS r"
        f" WHERE {told.rows} ON CONFLICT (kind, subject_id) DO UPDATE SET title = excluded.title,"
        " text = excluded.text, leads = excluded.leads, at = excluded.at",
        f"DELETE FROM public.search_words AS w USING {rows} AS r"
        f" WHERE w.kind = '{told.kind}' AND w.subject_id = r.{told.key} AND {told.rows}",
        "INSERT INTO public.search_words (kind, subject_id, project_id, word)"
        f" SELECT {own}, word FROM {rows} AS r CROSS JOIN LATERAL"
        f" public.weighhouse_words({title} || ' ' || {said}) AS word WHERE {told.rows}",
    )


def downgrade() -> None:
    for table in FOUND:
        for event in ("insert", "update", "delete"):
            op.execute(f"DROP TRIGGER found_{event} ON {table}")
            op.execute(f"DROP FUNCTION weighhouse_find_{table}_{event}()")
    op.execute(f"DROP FUNCTION weighhouse_enter({TYPES})")
    op.execute("DROP FUNCTION weighhouse_leave(text, uuid)")
    for table in reversed(TABLES):
        op.drop_table(table)
    op.execute("DROP FUNCTION weighhouse_words(text)")

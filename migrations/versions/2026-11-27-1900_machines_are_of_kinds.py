"""machines are of kinds, and points of pull requests stand apart

What was kept as a digest of a machine's exact facts becomes its kind, worked out anew from those
facts; a series' points whose machines are of one kind become one segment. Series of before
identities are left to their next campaign, which works out what they were.

Points of pull requests are marked in experiments that have others.

Revision: 0045, after 0044
"""

import itertools

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

BATCH = 2_000
TOLERANCE = 0.02

KIND_OF = r"""
CREATE FUNCTION pg_temp.kind_of(f jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT substr(encode(sha256(convert_to(array_to_string(ARRAY[
    pg_temp.said(f->>'architecture'),
    pg_temp.said(f->>'cpu_model'),
    coalesce(f->>'cores', ''),
    coalesce(f->>'simultaneous_multithreading', ''),
    CASE WHEN f->>'memory_bytes' IS NULL THEN '' ELSE 'told' END,
    pg_temp.kernel_release(f->>'kernel'),
    pg_temp.said(f->>'cpu_governor'),
    pg_temp.said(f->>'virtualisation'),
    coalesce(floor((f->>'cgroup_cpu_limit')::numeric * 1000 + 0.5)::bigint::text, ''),
    CASE WHEN f->>'cgroup_memory_limit_bytes' IS NULL THEN '' ELSE 'told' END
], chr(31)), 'UTF8')), 'hex'), 1, 16)
    || ':' || coalesce((f->>'memory_bytes')::numeric::bigint::text, '-')
    || ':' || coalesce((f->>'cgroup_memory_limit_bytes')::numeric::bigint::text, '-')
$$
"""
SAID = r"""
CREATE FUNCTION pg_temp.said(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT coalesce(btrim(regexp_replace(value, '\s+', ' ', 'g')), '')
$$
"""
KERNEL_RELEASE = r"""
CREATE FUNCTION pg_temp.kernel_release(kernel text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT coalesce(
    (regexp_match(lower(kernel), '^(\d+\.\d+)'))[1] || coalesce(' ' || (regexp_match(
        lower(kernel), '(?:^|[^a-z])(realtime|rt|lowlatency|debug)(?:[^a-z]|$)'))[1], ''),
    lower(kernel), '')
$$
"""
MEASURED = """
CREATE TEMP TABLE cells_measured ON COMMIT DROP AS
WITH gangs AS (
    SELECT r.cell_id, r.result_attempt_id,
        string_agg(k.fingerprint, '+' ORDER BY k.fingerprint COLLATE "C") AS kind,
        array_agg(k.facts->>'kernel') AS kernels,
        min((k.facts->>'memory_bytes')::numeric::bigint) AS memory_bytes
    FROM runs r JOIN run_records k ON k.attempt_id = r.result_attempt_id
    WHERE k.facts ? 'machine_id' AND k.fingerprint IS NOT NULL
    GROUP BY r.cell_id, r.result_attempt_id
)
SELECT c.campaign_id, c.target, c.workload, c.load_label, g.kind, kernel,
    min(g.memory_bytes) AS memory_bytes
FROM gangs g JOIN cells c ON c.id = g.cell_id AND NOT c.beside, unnest(g.kernels) AS kernel
GROUP BY c.campaign_id, c.target, c.workload, c.load_label, g.kind, kernel
"""
OF_POINTS = """
SELECT p.series_id, p.campaign_id, p.fingerprint, m.kinds, m.kernels, m.memory_bytes
FROM series s
JOIN series_points p ON p.series_id = s.id
LEFT JOIN LATERAL (
    -- Of its own cell; where that went by another name then, of all cells of its target.
    SELECT array_agg(DISTINCT kind) AS kinds, min(memory_bytes) AS memory_bytes,
        array_agg(DISTINCT kernel) FILTER (WHERE kernel IS NOT NULL) AS kernels
    FROM cells_measured
    WHERE campaign_id = p.campaign_id AND target = s.target
    GROUP BY (workload, load_label) = (s.workload, s.load_label)
    ORDER BY (workload, load_label) = (s.workload, s.load_label) DESC LIMIT 1
) m ON true
WHERE s.id = ANY(:series)
ORDER BY p.series_id, p.at, p.campaign_id
"""


def _parsed(kind):
    digest, *sizes = kind.split(":")
    return digest, [0 if size == "-" else int(size) for size in sizes]


def _gangs_alike(gang, other):
    ours, theirs = (sorted(_parsed(one) for one in text.split("+")) for text in (gang, other))
    return len(ours) == len(theirs) and all(
        one[0] == two[0]
        and all(abs(a - b) <= TOLERANCE * max(a, b) for a, b in zip(one[1], two[1], strict=True))
        for one, two in zip(ours, theirs, strict=True)
    )


def _alike(kind, other):
    if kind == other:
        return True
    if ":" not in kind or ":" not in other:
        return False
    ours, theirs = kind.split(","), other.split(",")
    return all(any(_gangs_alike(a, b) for b in theirs) for a in ours) and all(
        any(_gangs_alike(a, b) for a in ours) for b in theirs
    )


def _joined(kinds):
    kept = []
    for kind in sorted(kinds):
        if not any(_alike(kind, other) for other in kept):
            kept.append(kind)
    return ",".join(kept)


def _name_kinds() -> None:
    """The digest of exact facts, wherever it is kept, becomes the kind that those facts make."""
    for statement in (SAID, KERNEL_RELEASE, KIND_OF):
        op.execute(statement)
    op.execute("CREATE TEMP TABLE kinds_named (was text PRIMARY KEY, kind text NOT NULL) ON COMMIT DROP")
    for table in ("run_records", "agents"):
        op.execute(
            "INSERT INTO kinds_named SELECT DISTINCT ON (fingerprint) fingerprint,"
            f" pg_temp.kind_of(facts) FROM {table} WHERE facts ? 'machine_id'"
            " AND fingerprint <> '' ORDER BY fingerprint ON CONFLICT DO NOTHING"
        )
    for table, column in (
        ("run_records", "fingerprint"), ("agents", "fingerprint"),
        ("attempt_members", "fingerprint"), ("campaigns", "environment"),
    ):
        op.execute(
            f"UPDATE {table} SET {column} = kind FROM kinds_named"
            f" WHERE was = {column} AND kind <> was"
        )


def _join_segments() -> None:
    """Points of one kind become one segment, series by series."""
    connection = op.get_bind()
    op.execute(MEASURED)
    op.execute("CREATE INDEX ON cells_measured (campaign_id, target)")
    op.execute("ANALYZE cells_measured")
    keyed = sa.text(
        "SELECT id FROM series WHERE cell_identity IS NOT NULL AND id > :after ORDER BY id LIMIT 100"
    )
    after = "00000000-0000-0000-0000-000000000000"
    while series := connection.execute(keyed, {"after": after}).scalars().all():
        after = series[-1]
        points = connection.execute(sa.text(OF_POINTS), {"series": series}).all()
        changed = []
        for _, mine in itertools.groupby(points, key=lambda point: point.series_id):
            changed += _segments(list(mine))
        for at in range(0, len(changed), BATCH):
            connection.execute(
                sa.text(
                    "UPDATE series_points SET fingerprint = :fingerprint, kernel = :kernel,"
                    " memory_bytes = :memory WHERE series_id = :series AND campaign_id = :campaign"
                ),
                changed[at : at + BATCH],
            )


def _segments(points):
    """The points of a series with the first kind each is alike to; where its machines are not told
    any more, as others of its former digest.
    """
    first: dict[str, str] = {}
    for point in points:
        if point.kinds:
            kind = _joined(point.kinds)
            named = next((one for one in first.values() if _alike(kind, one)), kind)
            first.setdefault(point.fingerprint, named)
    known = list(dict.fromkeys(first.values()))
    for point in points:
        kind = _joined(point.kinds) if point.kinds else first.get(point.fingerprint, point.fingerprint)
        yield {
            "fingerprint": next((one for one in known if _alike(kind, one)), kind),
            "kernel": " and ".join(sorted(point.kernels)) if point.kernels else None,
            "memory": point.memory_bytes,
            "series": point.series_id,
            "campaign": point.campaign_id,
        }


def upgrade() -> None:
    op.add_column("series_points", sa.Column("kernel", sa.Text(), nullable=True))
    op.add_column("series_points", sa.Column("memory_bytes", sa.BigInteger(), nullable=True))
    op.add_column(
        "series_points",
        sa.Column("off_main_line", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.alter_column("series_points", "off_main_line", server_default=None)
    op.add_column("campaign_commits", sa.Column("default_branch", sa.Text(), nullable=True))
    _name_kinds()
    _join_segments()
    op.execute(
        "UPDATE series_points SET off_main_line = true FROM campaign_commits m"
        " WHERE m.campaign_id = series_points.campaign_id AND m.pull_request IS NOT NULL"
        " AND series_id IN (SELECT s.id FROM series s WHERE EXISTS (SELECT FROM series_points p"
        " JOIN series o ON o.id = p.series_id WHERE o.experiment_id = s.experiment_id AND NOT EXISTS"
        " (SELECT FROM campaign_commits c WHERE c.campaign_id = p.campaign_id"
        " AND c.pull_request IS NOT NULL)))"
    )


def downgrade() -> None:
    """Kinds stay: what they were made of is in the facts, and later campaigns are other segments."""
    op.drop_column("campaign_commits", "default_branch")
    for column in ("off_main_line", "memory_bytes", "kernel"):
        op.drop_column("series_points", column)

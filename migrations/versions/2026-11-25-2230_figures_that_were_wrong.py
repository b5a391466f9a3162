"""figures that were wrong: what was never sent or came back late is counted, refused is a verdict,
and stored runs whose figures are concerned say which

Revision: 0034, after 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


VERDICTS = (
    "passed", "equivalent", "regression", "inconclusive", "infrastructure", "no_baseline",
    "not_comparable",
)  # fmt: skip


def verdicts(*names: str) -> None:
    """Let a campaign have one of these verdicts."""
    op.drop_constraint("ck_campaigns_verdict", "campaigns")
    listed = ", ".join(f"'{name}'" for name in names)
    op.create_check_constraint(op.f("ck_campaigns_verdict"), "campaigns", f"verdict IN ({listed})")


BEYOND_RANGE = """
INSERT INTO findings (run_id, check_id, project_id, campaign_id, severity, body)
SELECT r.id, 'beyond-range', r.project_id, r.campaign_id, 'error', jsonb_build_object(
    'id', 'beyond-range', 'severity', 'error', 'scope', 'run',
    'title', 'Some answers are in no percentile',
    'message', to_char(s.overflow, 'FM999,999,999,999,990') || ' answers took longer than the'
        ' histograms reach, and are in no percentile: the longest, the mean and every percentile'
        ' are too low.',
    'numbers', jsonb_build_object('beyond_range', s.overflow, 'ok', s.ok),
    'formula', 'answers beyond the range of the histograms = 0',
    'source', 'counted by the driver or tool whose histograms end somewhere: this project''s did'
        ' at 60 s',
    'documentation', '/docs/findings/beyond-range')
FROM runs r JOIN run_summaries s ON s.attempt_id = r.result_attempt_id
WHERE s.phase = 'measure' AND s.operation = 'all' AND s.overflow > 0
    AND EXISTS (SELECT 1 FROM findings f WHERE f.campaign_id = r.campaign_id)
ON CONFLICT DO NOTHING
"""
NEVER_SENT_UNTOLD = """
INSERT INTO findings (run_id, check_id, project_id, campaign_id, severity, body)
SELECT r.id, 'never-sent-untold', r.project_id, r.campaign_id, 'caution', jsonb_build_object(
    'id', 'never-sent-untold', 'severity', 'caution', 'scope', 'run',
    'title', 'What was never sent is not told',
    'message', 'The driver did not tell what was due and never sent: it may be among '
        || to_char(t.timeouts, 'FM999,999,999,999,990') || ' timeouts and '
        || to_char(s.overflow, 'FM999,999,999,999,990') || ' beyond the range of the histograms,'
        ' and rates are of the phase and of what came back after it. Whether the rate was reached'
        ' cannot be said of such figures.',
    'numbers', jsonb_build_object('timeouts', t.timeouts, 'beyond_range', s.overflow,
        'seconds', s.duration_seconds),
    'formula', 'open loop whose driver does not tell what was never sent: timeouts = 0, beyond'
        ' range = 0, and seconds measured ≤ 1.01 × seconds asked for',
    'source', 'drivers of this project before they told each outcome apart, and load tools that do'
        ' not',
    'documentation', '/docs/findings/never-sent-untold')
FROM runs r JOIN run_summaries s ON s.attempt_id = r.result_attempt_id
    JOIN campaigns p ON p.id = r.campaign_id
    JOIN experiment_revisions e ON e.id = p.revision_id
    CROSS JOIN LATERAL (
        SELECT COALESCE(CAST(s.errors_by_kind ->> 'timeout' AS numeric), 0) AS timeouts,
            CASE WHEN jsonb_array_length(COALESCE(e.document #> '{phases,chain}', '[]')) = 0
                THEN COALESCE(CAST(e.document #>> '{phases,measure_seconds}' AS numeric), 30)
            END AS asked
    ) t
WHERE s.phase = 'measure' AND s.operation = 'all' AND s.service_histogram IS NOT NULL
    AND (t.timeouts > 0 OR s.overflow > 0 OR s.duration_seconds > 1.01 * t.asked)
    AND EXISTS (SELECT 1 FROM findings f WHERE f.campaign_id = r.campaign_id)
ON CONFLICT DO NOTHING
"""
"""Open loops alone have times of service. Whoever has kept findings gets another one; of others they
are worked out when they are asked for."""
CONTRADICTED = """
DELETE FROM findings f USING findings told
WHERE told.run_id = f.run_id AND told.check_id = 'never-sent-untold' AND (
    f.check_id = 'rate-not-reached'
    OR f.check_id = 'client-bound' AND f.body ->> 'message' LIKE '%unsent%')
"""
"""They counted as answered, or as the driver's limit, what was never sent."""


OWN_SYSTEM_IS_HERE = """
WITH placed AS (
    SELECT a.id AS attempt_id, r.id AS run_id, r.project_id, r.campaign_id, r.result_attempt_id
    FROM attempts a JOIN runs r ON r.id = a.run_id
        JOIN cells c ON c.id = r.cell_id
        JOIN campaigns p ON p.id = r.campaign_id
        JOIN experiment_revisions e ON e.id = p.revision_id
        JOIN run_records d ON d.attempt_id = a.id
    WHERE d.co_located IS FALSE
        AND (SELECT count(*) FROM attempt_members m WHERE m.attempt_id = a.id) = 1
        AND e.document -> 'targets' -> c.target_index ->> 'deployment' <> 'external'
), told AS (
    UPDATE run_records d SET co_located = true FROM placed WHERE d.attempt_id = placed.attempt_id
)
INSERT INTO findings (run_id, check_id, project_id, campaign_id, severity, body)
SELECT run_id, 'co-located', project_id, campaign_id, 'caution', jsonb_build_object(
    'id', 'co-located', 'severity', 'caution', 'scope', 'run',
    'title', 'Driver shares the machine',
    'message', 'The load driver and the system ran on the same machine and competed for its cores,'
        ' its memory bandwidth and its caches; no network lay between them.',
    'numbers', CAST('{}' AS jsonb),
    'formula', 'the attempt ran driver and system on one machine',
    'source', 'Tene, How NOT to Measure Latency (2015)',
    'documentation', '/docs/findings/co-located')
FROM placed WHERE attempt_id = result_attempt_id
    AND EXISTS (SELECT 1 FROM findings f WHERE f.campaign_id = placed.campaign_id)
ON CONFLICT DO NOTHING
"""
"""What an agent alone started is on its machine, whatever address it listened at."""
NO_LIMIT = """
UPDATE run_records SET effective_configuration = (
    SELECT COALESCE(jsonb_agg(s ORDER BY place), '[]')
    FROM jsonb_array_elements(effective_configuration) WITH ORDINALITY AS of_all(s, place)
    WHERE NOT (s ->> 'name' = 'limits.memory' AND s ->> 'value' LIKE '%e+12%'))
WHERE effective_configuration @> '[{"name": "limits.memory"}]'
"""
"""The kernel's "no limit" of version 1 was taken for a figure of so many MiB."""


def upgrade() -> None:
    verdicts(*VERDICTS, "refused")
    for column in ("never_sent", "answered_late"):
        op.add_column(
            "run_summaries",
            sa.Column(column, sa.BigInteger(), nullable=True),
        )
    op.execute(BEYOND_RANGE)
    op.execute(NEVER_SENT_UNTOLD)
    op.execute(CONTRADICTED)
    op.execute(OWN_SYSTEM_IS_HERE)
    op.execute(NO_LIMIT)


def downgrade() -> None:
    op.execute("DELETE FROM findings WHERE check_id IN ('beyond-range', 'never-sent-untold')")
    op.execute("UPDATE campaigns SET verdict = 'infrastructure' WHERE verdict = 'refused'")
    verdicts(*VERDICTS)
    for column in ("answered_late", "never_sent"):
        op.drop_column("run_summaries", column)

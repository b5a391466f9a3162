"""lists of series read one row of each: where points stand, and how many there are

Revision: 0054, after 0053

Both stand elsewhere too, in campaigns and in the points themselves; triggers keep them, whoever writes.
"""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

DEFINER = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"
COUNTED = "SELECT series_id, count(*) AS points FROM {rows} GROUP BY 1"
ADD = (
    "UPDATE public.series s SET points_count = s.points_count {sign} c.points"
    f" FROM ({COUNTED}) c WHERE s.id = c.series_id"
)
BODIES = {
    "place": (
        "NEW.stands_at := (SELECT c.stands_at FROM public.campaigns c WHERE c.id = NEW.campaign_id);"
        " RETURN NEW"
    ),
    "move": (
        "UPDATE public.series_points p SET stands_at = NEW.stands_at"
        " WHERE p.campaign_id = NEW.id; RETURN NULL"
    ),
    "add": f"{ADD.format(sign='+', rows='fresh')}; RETURN NULL",
    "take": f"{ADD.format(sign='-', rows='gone')}; RETURN NULL",
    "hand": (
        f"{ADD.format(sign='-', rows='gone')}; {ADD.format(sign='+', rows='fresh')}; RETURN NULL"
    ),
}
FIRED = {
    "place": "BEFORE INSERT ON series_points FOR EACH ROW",
    "move": (
        "AFTER UPDATE OF stands_at ON campaigns FOR EACH ROW"
        " WHEN (OLD.stands_at IS DISTINCT FROM NEW.stands_at)"
    ),
    "add": "AFTER INSERT ON series_points REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT",
    "take": "AFTER DELETE ON series_points REFERENCING OLD TABLE AS gone FOR EACH STATEMENT",
    "hand": (
        "AFTER UPDATE ON series_points REFERENCING OLD TABLE AS gone NEW TABLE AS fresh"
        " FOR EACH STATEMENT"
    ),
}


def upgrade() -> None:
    op.add_column(
        "series_points", sa.Column("stands_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column(
        "series",
        sa.Column("points_count", sa.Integer(), nullable=False, server_default=sa.text("0")),
    )
    op.execute(
        "UPDATE series_points p SET stands_at = c.stands_at FROM campaigns c"
        " WHERE c.id = p.campaign_id"
    )
    op.execute(
        f"UPDATE series s SET points_count = c.points FROM ({COUNTED.format(rows='series_points')})"
        " c WHERE s.id = c.series_id"
    )
    op.alter_column("series_points", "stands_at", nullable=False)
    op.create_index(
        "ix_series_points_newest", "series_points",
        ["series_id", "off_main_line", sa.text("stands_at DESC"), sa.text("campaign_id DESC")],
    )  # fmt: skip
    for name, body in BODIES.items():
        function = f"weighhouse_series_points_{name}()"
        op.execute(
            f"CREATE FUNCTION {function} RETURNS trigger LANGUAGE plpgsql {DEFINER} AS"
            f" $$ BEGIN {body}; END $$"
        )
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        op.execute(f"CREATE TRIGGER series_points_{name} {FIRED[name]} EXECUTE FUNCTION {function}")


def downgrade() -> None:
    for name, fired in FIRED.items():
        table = "campaigns" if " ON campaigns" in fired else "series_points"
        op.execute(f"DROP TRIGGER series_points_{name} ON {table}")
        op.execute(f"DROP FUNCTION weighhouse_series_points_{name}()")
    op.drop_index("ix_series_points_newest", table_name="series_points")
    op.drop_column("series", "points_count")
    op.drop_column("series_points", "stands_at")

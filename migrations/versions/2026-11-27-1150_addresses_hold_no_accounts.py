"""accounts that stood in addresses of systems are masked, wherever such an address was stored

Addresses of systems once took a user and a password, and were stored as they were written: in
revisions and orders, and in what was told of runs that failed because of them.

Revision: 0042, after 0041
"""

import json
import re

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

MEASURED = ("intervals", "level_windows", "resource_samples", "sample_windows", "alembic_version")
"""Tables of figures alone, which are large."""
WEB = "https?|wss?|ftp"
PLACE = re.compile(rf"\b(?!(?:{WEB})://)([A-Za-z][A-Za-z0-9+.-]*://)[^\s\"'`<>]*@")
"""An address of a system, up to the end of its account."""
BARE = re.compile(r"^.*@", re.DOTALL)
"""The same without a scheme, where nothing but an address can stand."""
MASKED = r"\1***@"
COLUMNS = sa.text(
    "SELECT table_name, column_name, data_type FROM information_schema.columns"
    " JOIN information_schema.tables USING (table_schema, table_name)"
    " WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
    " AND data_type IN ('json', 'jsonb', 'text', 'character varying')"
)


def _masked(value, *, address=False):
    """The same without accounts in addresses; `address`: nothing but an address can stand there."""
    if isinstance(value, str):
        found = PLACE.sub(MASKED, value)
        return BARE.sub("***@", found) if address and found == value else found
    if isinstance(value, list):
        return [_masked(each, address=address) for each in value]
    if isinstance(value, dict):
        return {name: _masked(each, address=name == "endpoints") for name, each in value.items()}
    return value


def upgrade() -> None:
    connection = op.get_bind()
    for table, column, kind in connection.execute(COLUMNS).all():
        if table in MEASURED:
            continue
        is_json = kind in {"json", "jsonb"}
        # What may hold one; each value is then looked at by itself.
        near = f"strpos(\"{column}\"::text, '@') > 0 AND (strpos(\"{column}\"::text, '://') > 0"
        near += f" OR strpos(\"{column}\"::text, '\"endpoints\"') > 0)"
        rows = connection.execute(sa.text(f'SELECT ctid::text, "{column}" FROM "{table}" WHERE {near}'))
        for place, value in rows.all():
            masked = _masked(value, address=column == "endpoints")
            if masked == value:
                continue
            written = json.dumps(masked) if is_json else masked
            connection.execute(
                sa.text(
                    f'UPDATE "{table}" SET "{column}" = CAST(:value AS {kind})'
                    " WHERE ctid = CAST(:place AS tid)"
                ),
                {"value": written, "place": place},
            )


def downgrade() -> None:
    """What was masked is gone."""

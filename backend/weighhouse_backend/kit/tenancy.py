"""The second line between tenants: PostgreSQL's row-level security.

Services scope what they read and write by themselves; should one forget, the database shows and
takes no other project's rows in a transaction that was confined.
"""

from collections.abc import Iterable
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

TENANT_ROLE = "weighhouse_tenant"
_CONFINE = text(
    "SELECT set_config('weighhouse.project_ids', :projects, true), set_config('role', :role, true)"
)


def confine(session: Session, project_ids: Iterable[UUID]) -> None:
    """Let a transaction see and change rows of some projects alone, until it ends.

    :param project_ids: none at all: no tenant's row is seen.
    """
    projects = ",".join(str(one) for one in project_ids)
    session.execute(_CONFINE, {"projects": projects, "role": TENANT_ROLE})

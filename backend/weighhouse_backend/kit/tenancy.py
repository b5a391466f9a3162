"""The second line between tenants: PostgreSQL's roles and row-level security.

Services scope what they read and write by themselves; should one forget, the database shows and
takes no other project's rows in a transaction that was confined, and refuses the tables that are
no tenant's: people, memberships, logins, tokens, audit.
"""

from collections.abc import Iterable
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

TENANT_ROLE = "weighhouse_tenant"
PEOPLE_ROLE = "weighhouse_people"
SERVICE_ROLE = "weighhouse_service"
"""What the application may do before it knows who calls, and in its worker."""
_CONFINE = text(
    "SELECT set_config('weighhouse.project_ids', :projects, true), set_config('role', :role, true)"
)


def confine(session: Session, project_ids: Iterable[UUID]) -> None:
    """Let a transaction see and change rows of some projects alone, until it ends.

    :param project_ids: none at all: no tenant's row is seen.
    """
    _take(session, TENANT_ROLE, project_ids)


def confine_to_people(session: Session, project_ids: Iterable[UUID]) -> None:
    """Let a transaction decide who has access to some projects, and nothing else, until it ends.

    It sees these projects' organizations, members, tokens and audit entries; no password's hash,
    and no results.
    """
    _take(session, PEOPLE_ROLE, project_ids)


def _take(session: Session, role: str, project_ids: Iterable[UUID]) -> None:
    # What was changed so far, such as when a token was last used, was changed with the old rights.
    session.flush()
    projects = ",".join(str(one) for one in project_ids)
    session.execute(_CONFINE, {"projects": projects, "role": role})

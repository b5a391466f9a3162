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
STRANGER_ROLE = "weighhouse_stranger"
"""Whoever comes by a link, or to what is public: reads what is shared, and changes nothing."""
SERVICE_ROLE = "weighhouse_service"
"""What the application may do before it knows who calls, and in its worker."""
_CONFINE = text(
    "SELECT set_config('weighhouse.project_ids', :projects, true),"
    " set_config('weighhouse.campaign_ids', :campaigns, true),"
    " set_config('weighhouse.source_ids', :sources, true),"
    " set_config('weighhouse.share_id', :share, true), set_config('role', :role, true)"
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


def confine_to_shared(
    session: Session,
    share_id: UUID,
    project_id: UUID,
    campaign_ids: Iterable[UUID],
    source_ids: Iterable[UUID] = (),
) -> None:
    """Let a transaction read what a stranger is shown, and change nothing, until it ends.

    Of what was kept it sees what this one share kept; of the project campaigns, cells and runs of
    these campaigns and these published sources alone; what is learned of all of them, such as how
    much campaigns differ, and what terms and vendors say, it sees whole.
    """
    _take(session, STRANGER_ROLE, [project_id], campaign_ids, source_ids, share_id)


def _take(
    session: Session,
    role: str,
    project_ids: Iterable[UUID],
    campaign_ids: Iterable[UUID] = (),
    source_ids: Iterable[UUID] = (),
    share_id: UUID | None = None,
) -> None:
    # What was changed so far, such as when a token was last used, was changed with the old rights.
    session.flush()
    projects = ",".join(str(one) for one in project_ids)
    campaigns = ",".join(str(one) for one in campaign_ids)
    share = "" if share_id is None else str(share_id)
    said = {
        "projects": projects,
        "campaigns": campaigns,
        "sources": ",".join(str(one) for one in source_ids),
        "share": share,
        "role": role,
    }
    session.execute(_CONFINE, said)

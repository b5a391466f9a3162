"""All queries of quotas and use."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.identity.models import Organization, Project
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.quotas.kinds import Kind
from weighhouse_backend.quotas.models import OrganizationQuotas, ProjectQuotas
from weighhouse_backend.quotas.schemas import QuotaLimits

_USE = text("SELECT of_project, of_organization FROM weighhouse_use(:kind, :project, :since, :now)")
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))")
_TRY_LOCK = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:key, 0))")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a project may use, by itself and with its organization's others."""

    organization_id: UUID
    of_project: QuotaLimits
    of_organization: QuotaLimits

    def any_of(self, kind: Kind) -> bool:
        """Whether a kind is limited at all."""
        both = (self.of_project.of(kind), self.of_organization.of(kind))
        return any(limit is not None for limit in both)


@dataclass(frozen=True)
class QuotaRepository:
    """Reads and locks quotas; counts use."""

    session: Session

    def limits(self, project_id: UUID) -> Limits | None:
        """What a project may use; None: there is no such project."""
        row = self.session.execute(
            select(Project.organization_id, ProjectQuotas.limits, OrganizationQuotas.limits)
            .outerjoin(ProjectQuotas, ProjectQuotas.project_id == Project.id)
            .outerjoin(
                OrganizationQuotas, OrganizationQuotas.organization_id == Project.organization_id
            )
            .where(Project.id == project_id)
        ).one_or_none()
        if row is None:
            return None
        organization_id, own, shared = row
        return Limits(organization_id, _limits(own), _limits(shared))

    def used(
        self, kind: Kind, project_id: UUID, since: datetime.datetime, now: datetime.datetime
    ) -> tuple[float, float]:
        """How much a project uses, and its organization with all projects; machine-time in
        seconds, since an instant. The database counts: the caller may not see all projects.
        """
        self.session.flush()
        own, shared = self.session.execute(
            _USE, {"kind": kind.value, "project": project_id, "since": since, "now": now}
        ).one()
        return float(own), float(shared)

    def lock(self, kind: Kind, organization_id: UUID) -> None:
        """Let nobody else of the organization take a place of a kind until the transaction ends.

        No lock of a row may be waited for after it.
        """
        self.session.execute(_LOCK, {"key": _key(kind, organization_id)})

    def try_lock(self, kind: Kind, organization_id: UUID) -> bool:
        """The same without waiting; False: somebody else is taking a place."""
        return bool(self.session.scalar(_TRY_LOCK, {"key": _key(kind, organization_id)}))

    def project(self, project_id: UUID) -> tuple[Project, Organization]:
        """A project with its organization.

        :raises NotFound: when the transaction sees none.
        """
        row = self.session.execute(
            select(Project, Organization)
            .join(Organization, Organization.id == Project.organization_id)
            .where(Project.id == project_id)
        ).one_or_none()
        if row is None:
            raise NotFound
        project, organization = row
        return project, organization

    def first_project(self, organization_id: UUID) -> UUID | None:
        """The oldest project of an organization; None: there is no such organization."""
        return self.session.scalar(
            select(Project.id)
            .where(Project.organization_id == organization_id)
            .order_by(Project.created_at, Project.id)
            .limit(1)
        )

    def of_project(self, project_id: UUID) -> ProjectQuotas | None:
        """A project's quotas; None: none were saved."""
        return self.session.get(ProjectQuotas, project_id)

    def of_organization(self, organization_id: UUID) -> OrganizationQuotas | None:
        """An organization's quotas; None: none were saved."""
        return self.session.get(OrganizationQuotas, organization_id)

    def organizations(self) -> Select[Organization]:
        """All organizations of the installation, not ordered yet."""
        return select(Organization)

    def of_organizations(self, ids: Sequence[UUID]) -> dict[UUID, OrganizationQuotas]:
        """Quotas of organizations that have some."""
        found = self.session.scalars(
            select(OrganizationQuotas).where(OrganizationQuotas.organization_id.in_(ids))
        )
        return {one.organization_id: one for one in found}

    def lock_of_project(self, project_id: UUID) -> ProjectQuotas:
        """A project's quotas, locked, as they are now; none of all where none were."""
        made = insert(ProjectQuotas).values(project_id=project_id, limits={}, version=0)
        self.session.execute(made.on_conflict_do_nothing())
        return self.session.scalars(
            select(ProjectQuotas)
            .where(ProjectQuotas.project_id == project_id)
            .with_for_update()
            .execution_options(populate_existing=True)
        ).one()

    def lock_of_organization(self, organization_id: UUID) -> OrganizationQuotas:
        """The same of an organization."""
        made = insert(OrganizationQuotas).values(
            organization_id=organization_id, limits={}, version=0
        )
        self.session.execute(made.on_conflict_do_nothing())
        return self.session.scalars(
            select(OrganizationQuotas)
            .where(OrganizationQuotas.organization_id == organization_id)
            .with_for_update()
            .execution_options(populate_existing=True)
        ).one()


def _limits(body: object) -> QuotaLimits:
    return QuotaLimits.model_validate(body or {})


def _key(kind: Kind, organization_id: UUID) -> str:
    return f"quota:{kind.value}:{organization_id}"

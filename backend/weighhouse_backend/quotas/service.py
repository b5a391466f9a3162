"""Quotas and use as people read and set them."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.installation import operates
from weighhouse_backend.identity.models import Organization
from weighhouse_backend.identity.owners import insist_on_owner, owns
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.etags import etag, require_match
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.problems import Forbidden, NotFound
from weighhouse_backend.quotas.guard import WHO_RAISES, Scope, of
from weighhouse_backend.quotas.kinds import (
    MEANINGS,
    SECONDS_PER_HOUR,
    Kind,
    level_of,
    month_of,
)
from weighhouse_backend.quotas.models import OrganizationQuotas, ProjectQuotas
from weighhouse_backend.quotas.repository import QuotaRepository
from weighhouse_backend.quotas.schemas import (
    OrganizationQuotasRead,
    QuotaLimits,
    QuotasRead,
    ScopeUsageRead,
    UsageRead,
    UseRead,
)

Row = ProjectQuotas | OrganizationQuotas | None
OPERATOR = "this takes the operator of the installation: an owner of its first organization"


@dataclass(frozen=True)
class QuotaService:
    """Shows use, keeps quotas."""

    session: Session
    clock: Clock
    jobs: Jobs

    @property
    def repository(self) -> QuotaRepository:
        """The feature's queries."""
        return QuotaRepository(self.session)

    def usage(self, caller: Caller, project_id: UUID | None) -> UsageRead:
        """What a project and its organization use, and may; takes a viewer."""
        chosen = caller.project_or_only(project_id)
        project, organization = self.repository.project(chosen)
        now = self.clock.now()
        since = month_of(now)[0]
        used = {kind: self.repository.used(kind, chosen, since, now) for kind in Kind}
        own = self.repository.of_project(chosen)
        shared = self.repository.of_organization(organization.id)
        may = caller.roles[chosen].covers(Role.OWNER) and owns(
            self.session, caller, organization.id
        )
        of_project = ScopeUsageRead(
            **dict(_read(own)), id=chosen, name=project.name, may_change=may,
            use=[self._use(kind, used[kind][0], _limits(own), "project") for kind in Kind],
        )  # fmt: skip
        of_organization = ScopeUsageRead(
            **dict(_read(shared)), id=organization.id, name=organization.name,
            may_change=operates(self.session, caller),
            use=[self._use(kind, used[kind][1], _limits(shared), "organization") for kind in Kind],
        )  # fmt: skip
        return UsageRead(
            project=of_project,
            organization=of_organization,
            warnings=_warnings(of_organization, "organization") + _warnings(of_project, "project"),
        )

    def save_of_project(
        self, caller: Caller, project_id: UUID | None, limits: QuotaLimits, if_match: str | None
    ) -> QuotasRead:
        """Say what a project may use; takes an owner of its organization.

        :raises Changed: when others were saved meanwhile.
        """
        chosen = caller.project_or_only(project_id)
        caller.require(chosen, Role.OWNER)
        _, organization = self.repository.project(chosen)
        insist_on_owner(self.session, caller, organization.id)
        row = self.repository.lock_of_project(chosen)
        self._save(caller, row, limits, if_match, "project", chosen)
        return _read(row)

    def organizations(self, caller: Caller, query: PageQuery) -> Page[OrganizationQuotasRead]:
        """All organizations with what they may use; takes the operator."""
        self._insist_on_operator(caller)
        found: Page[Organization] = page_of(
            self.session, self.repository.organizations(), Organization.id, query, lambda row: row
        )
        rows = self.repository.of_organizations([one.id for one in found.items])
        items = [
            OrganizationQuotasRead(
                **dict(_read(rows.get(one.id))), id=one.id, slug=one.slug, name=one.name
            )
            for one in found.items
        ]
        return found.of(items)

    def save_of_organization(
        self, caller: Caller, organization_id: UUID, limits: QuotaLimits, if_match: str | None
    ) -> QuotasRead:
        """Say what an organization may use; takes the operator.

        :raises Changed: when others were saved meanwhile.
        :raises NotFound: when there is no such organization.
        """
        self._insist_on_operator(caller)
        project_id = self.repository.first_project(organization_id)
        if project_id is None:
            raise NotFound
        row = self.repository.lock_of_organization(organization_id)
        self._save(caller, row, limits, if_match, "organization", project_id)
        return _read(row)

    def _insist_on_operator(self, caller: Caller) -> None:
        if not operates(self.session, caller):
            raise Forbidden(OPERATOR)

    def _save(
        self, caller: Caller, row: ProjectQuotas | OrganizationQuotas, limits: QuotaLimits,
        if_match: str | None, scope: Scope, project_id: UUID,
    ) -> None:  # fmt: skip
        require_match(if_match, etag(row.version))
        before: dict[str, Any] = row.limits
        row.limits = limits.model_dump(mode="json", exclude_none=True)
        row.version += 1
        row.updated_by = caller.name
        row.updated_at = self.clock.now()
        self.session.flush()
        audit.record(
            self.session, self.clock, actor=caller.name, action="quotas.saved",
            subject=f"quotas of the {scope}", project_id=project_id, before=before,
            after=row.limits,
        )  # fmt: skip
        self.jobs.send("campaigns.allocate")  # what waited for a place may go on

    def _use(self, kind: Kind, used: float, limits: QuotaLimits, scope: Scope) -> UseRead:
        meaning, limit = MEANINGS[kind], limits.of(kind)
        in_hours = kind is Kind.MACHINE_HOURS
        used = used / SECONDS_PER_HOUR if in_hours else used
        return UseRead(
            kind=kind,
            name=meaning.name,
            unit=meaning.unit,
            used=used,
            limit=limit,
            level=level_of(used, limit),
            words=of(used, limit, meaning.unit),
            effect=meaning.effect,
            mend=f"{meaning.mend}; {WHO_RAISES[scope]}",
            resets_at=month_of(self.clock.now())[1] if in_hours else None,
        )


def _warnings(scope: ScopeUsageRead, name: Scope) -> list[str]:
    close = [one for one in scope.use if one.level in {"near", "reached"}]
    return [
        f"{one.name} of the {name}: {one.words}"
        + (f"; {one.effect}" if one.level == "reached" else "")
        for one in sorted(close, key=lambda one: one.level != "reached")
    ]


def _limits(row: Row) -> QuotaLimits:
    return QuotaLimits.model_validate(row.limits if row is not None else {})


def _read(row: Row) -> QuotasRead:
    return QuotasRead(
        limits=_limits(row),
        version=0 if row is None else row.version,
        updated_by=None if row is None else row.updated_by,
        updated_at=None if row is None else row.updated_at,
    )

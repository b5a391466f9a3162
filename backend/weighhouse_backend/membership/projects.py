"""Projects: made, renamed, archived and brought back.

An archived project keeps all that is in it, and everybody who saw it sees it still. Nothing new is
measured in it: whoever is about to begin work asks `insist_on_use`, and its schedules stand still.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.errors import ProjectArchived, ProjectExists
from weighhouse_backend.identity.models import Organization, Project
from weighhouse_backend.identity.owners import insist_on_owner, owned_project
from weighhouse_backend.identity.repository import IdentityRepository
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.schemas import ProjectCreate, ProjectRead, ProjectUpdate
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.problems import FieldProblem, Invalid, NotFound
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.kit.tenancy import confine_to_people


def insist_on_use(session: Session, project_id: UUID) -> None:
    """:raises ProjectArchived: when a project is archived."""
    project = session.get(Project, project_id)
    if project is not None and project.archived_at is not None:
        raise ProjectArchived(
            f"{project.name} was archived on {project.archived_at:%Y-%m-%d} by"
            f" {project.archived_by}: nothing new is measured in it. An owner of it brings it back"
            f" under Settings, Projects, or by `weighhouse project restore {project.slug}`"
        )


def project_read(project: Project, organization: Organization, role: Role) -> ProjectRead:
    """A project as the API shows it."""
    return read_of(
        ProjectRead,
        project,
        organization_id=organization.id,
        organization_name=organization.name,
        role=role,
    )


@dataclass(frozen=True)
class ProjectService:
    """What people do about whole projects; every change stands in the project's audit log."""

    session: Session
    clock: Clock

    @property
    def _repository(self) -> IdentityRepository:
        return IdentityRepository(self.session)

    def listed(self, caller: Caller) -> list[ProjectRead]:
        """The caller's projects, archived ones too, by organization and name."""
        return [
            project_read(project, organization, caller.roles[project.id])
            for project, organization in self._repository.projects(list(caller.project_ids))
        ]

    def make(self, caller: Caller, wanted: ProjectCreate) -> ProjectRead:
        """Make a project; takes an owner of the organization, signed in or by a personal token.

        :raises ProjectExists: when the organization has one with this slug, archived or not.
        """
        organization = self._organization(caller, wanted.organization_id)
        insist_on_owner(self.session, caller, organization.id)
        made = new_id()
        confine_to_people(self.session, {*caller.roles, made})
        project = self._repository.add_project(
            id=made,
            organization_id=organization.id,
            slug=wanted.slug,
            name=wanted.name,
            created_at=self.clock.now(),
        )
        if project is None:
            raise ProjectExists(
                f"{organization.name} has a project {wanted.slug!r} already; take another slug"
                " (archived projects keep theirs, and are brought back by an owner)",
                errors=[
                    FieldProblem(path="slug", message="is taken", expected="a slug of its own")
                ],
            )
        self._audit(caller, "project.created", project)
        return project_read(project, organization, Role.OWNER)

    def rename(self, caller: Caller, project_id: UUID, wanted: ProjectUpdate) -> ProjectRead:
        """Give a project another name; its slug stays. Takes an owner of it."""
        project = owned_project(self.session, caller, project_id)
        before = project.name
        if wanted.name != before:
            project.name = wanted.name
            self._audit(caller, "project.renamed", project, changes={"name": [before, wanted.name]})
        return self._read(caller, project)

    def archive(self, caller: Caller, project_id: UUID) -> ProjectRead:
        """Let nothing new be measured in a project; what is there stays, and what is under way goes
        on to its end. Repeatable; takes an owner of it.
        """
        project = owned_project(self.session, caller, project_id)
        if project.archived_at is None:
            project.archived_at, project.archived_by = self.clock.now(), caller.name
            self._audit(caller, "project.archived", project)
        return self._read(caller, project)

    def restore(self, caller: Caller, project_id: UUID) -> ProjectRead:
        """Let a project be used again; its schedules go on with their next date. Repeatable; takes
        an owner of it.
        """
        project = owned_project(self.session, caller, project_id)
        if project.archived_at is not None:
            project.archived_at = project.archived_by = None
            project.restored_at = self.clock.now()
            self._audit(caller, "project.restored", project)
        return self._read(caller, project)

    def _organization(self, caller: Caller, organization_id: UUID | None) -> Organization:
        pairs = self._repository.projects(list(caller.project_ids))
        own = {organization.id: organization for _, organization in pairs}
        chosen = organization_id or (next(iter(own)) if len(own) == 1 else None)
        if chosen is None:
            raise Invalid(
                "which organization? give organization_id",
                errors=[FieldProblem(path="organization_id", message="is missing", expected="id")],
            )
        if chosen not in own:
            raise NotFound
        return own[chosen]

    def _read(self, caller: Caller, project: Project) -> ProjectRead:
        organization = self.session.get_one(Organization, project.organization_id)
        return project_read(project, organization, caller.roles[project.id])

    def _audit(self, caller: Caller, action: str, project: Project, **details: Any) -> None:
        audit.record(
            self.session, self.clock, actor=caller.name, action=action, subject=project.slug,
            project_id=project.id, **details,
        )  # fmt: skip

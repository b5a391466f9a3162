"""The provider of an organization: set up by its owners."""

from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session
from weighhouse_protocol import pages
from weighhouse_protocol.text import AS_KEPT

from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import may_give_everywhere
from weighhouse_backend.identity.models import IdentityProvider, Organization, Project
from weighhouse_backend.identity.owners import project_of_owned
from weighhouse_backend.identity.roles import MemberRole
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import FieldProblem, Invalid, NotFound
from weighhouse_backend.kit.seals import seal_of
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.sign_in.oidc import LOOPBACK, Party, Reach, insist_on_safe
from weighhouse_backend.sign_in.provider_schemas import ProviderRead, ProviderSave, stored

BACK_CHANNEL_PATH = "/api/v1/sign-in/{organization}/signed-out"


def party_of(settings: Settings, row: IdentityProvider) -> Party:
    """What a provider knows the organization by."""
    sealed = row.client_secret_sealed
    return Party(
        issuer=row.issuer,
        client_id=row.client_id,
        client_secret=None if sealed is None else seal_of(settings).open(sealed),
        redirect_uri=pages.at(settings.public_url, pages.SIGN_IN_ANSWER),
        reach=reach_of(settings),
    )


def signed_out_uri(settings: Settings) -> str:
    """Where a provider sends who signed out."""
    return pages.at(settings.public_url, pages.SIGN_IN)


def reach_of(settings: Settings) -> Reach:
    """Where providers may stand: on this machine where people reach the platform there, too."""
    here = urlsplit(settings.public_url).hostname in LOOPBACK
    return Reach(loopback=here, own_networks=settings.providers_in_own_networks)


@dataclass(frozen=True)
class ProviderService:
    """Sets an organization's provider up; takes an owner of the organization."""

    session: Session
    clock: Clock
    settings: Settings

    def read(self, caller: Caller, project_id: UUID | None) -> ProviderRead:
        """The provider of a project's organization.

        :raises NotFound: when it has none.
        """
        project = self._owned(caller, project_id)
        row = self._of(project.organization_id)
        if row is None:
            raise NotFound("the organization has no provider")
        return self._told(row)

    def save(self, caller: Caller, project_id: UUID | None, wanted: ProviderSave) -> ProviderRead:
        """Set the provider of a project's organization up, or change it.

        :raises Invalid: when the issuer may not be asked, or a project is not the organization's.
        """
        project = self._owned(caller, project_id)
        # Its word is taken for everybody of the organization, whatever groups have.
        grant = may_give_everywhere(
            self.session, caller, MemberRole.OWNER,
            organization_id=project.organization_id,
        )  # fmt: skip
        self._insist_on_issuer(wanted.issuer)
        self._insist_on_projects(project.organization_id, wanted)
        seal = seal_of(self.settings)
        row, now = self._of(project.organization_id), self.clock.now()
        before = None if row is None else row.issuer
        if row is None:
            row = grant.row(IdentityProvider, created_at=now)
            self.session.add(row)
        if wanted.client_secret is not None:
            row.client_secret_sealed = seal.close(wanted.client_secret)
        elif before != wanted.issuer:
            row.client_secret_sealed = None  # it was told to another provider
        row.name, row.issuer, row.client_id = wanted.name, wanted.issuer, wanted.client_id
        row.groups_claim, row.mappings = wanted.groups_claim, stored(wanted.mappings)
        row.only_way, row.listed, row.updated_at = wanted.only_way, wanted.listed, now
        self.session.flush()
        audit.record(
            self.session, self.clock, actor=caller.name, action="provider.saved",
            subject=row.issuer, project_id=project.id, before=before, only_way=row.only_way,
            listed=row.listed, mappings=row.mappings,
        )  # fmt: skip
        return self._told(row)

    def remove(self, caller: Caller, project_id: UUID | None) -> None:
        """Forget the provider; who signed in by it is signed out. Repeatable."""
        project = self._owned(caller, project_id)
        row = self._of(project.organization_id)
        if row is None:
            return
        self.session.delete(row)
        audit.record(
            self.session, self.clock, actor=caller.name, action="provider.removed",
            subject=row.issuer, project_id=project.id,
        )  # fmt: skip

    def _told(self, row: IdentityProvider) -> ProviderRead:
        organization = self.session.get_one(Organization, row.organization_id)
        return ProviderRead.model_validate(
            {
                **{
                    name: getattr(row, name)
                    for name in (
                        "name", "issuer", "client_id", "groups_claim", "mappings", "only_way",
                        "listed", "updated_at",
                    )
                },
                "has_secret": row.client_secret_sealed is not None,
                "organization": organization.slug,
                "redirect_uri": pages.at(self.settings.public_url, pages.SIGN_IN_ANSWER),
                "signed_out_uri": signed_out_uri(self.settings),
                "back_channel_uri": self.settings.public_url.rstrip("/")
                + BACK_CHANNEL_PATH.format(organization=organization.slug),
            },
            context=AS_KEPT,
        )  # fmt: skip

    def _of(self, organization_id: UUID) -> IdentityProvider | None:
        return self.session.scalar(
            select(IdentityProvider).where(IdentityProvider.organization_id == organization_id)
        )

    def _insist_on_issuer(self, issuer: str) -> None:
        try:
            insist_on_safe(issuer, reach_of(self.settings))
        except ValueError as error:
            raise Invalid(
                f"the issuer {error}",
                errors=[FieldProblem(path="issuer", message=str(error), expected="https://…")],
            ) from error

    def _insist_on_projects(self, organization_id: UUID, wanted: ProviderSave) -> None:
        named = {one.project_id for one in wanted.mappings if one.project_id is not None}
        theirs = set(
            self.session.scalars(
                select(Project.id).where(
                    Project.organization_id == organization_id, Project.id.in_(list(named))
                )
            )
        )
        for at, one in enumerate(wanted.mappings):
            if one.project_id is not None and one.project_id not in theirs:
                raise Invalid(
                    "a group's project is none of the organization",
                    errors=[
                        FieldProblem(
                            path=f"mappings[{at}].project_id", message="is none of yours",
                            expected="a project of the organization",
                        )
                    ],
                )  # fmt: skip

    def _owned(self, caller: Caller, project_id: UUID | None) -> Project:
        return project_of_owned(self.session, caller, project_id)

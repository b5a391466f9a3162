"""Consents and overrides: what people put on record so that figures may leave, and end again."""

import datetime
from dataclasses import dataclass
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StrictBool, StrictInt
from weighhouse_protocol.base import Name
from weighhouse_protocol.links import Link
from weighhouse_protocol.text import Named, Prose

from weighhouse_backend.disclosure.errors import StateRefused
from weighhouse_backend.disclosure.models import PublicationConsent, PublicationOverride
from weighhouse_backend.disclosure.publication import consent_read, override_read
from weighhouse_backend.disclosure.repository import DisclosureRepository
from weighhouse_backend.disclosure.schemas import ConsentRead, OverrideRead
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.problems import NotFound
from weighhouse_backend.kit.schemas import Body

LONGEST_OVERRIDE_DAYS = 366

Line = Annotated[str, Named(200, least=2)]
Reason = Annotated[str, Prose(2000, least=10)]


class ConsentWrite(Body):
    """A vendor agreed that figures may be shown."""

    system_id: Name
    edition_id: Name | None = None
    """Default: every edition."""
    only_this_campaign: StrictBool = True
    """False: every campaign of the project, past and to come."""
    given_by: Line
    """Who agreed, for the vendor."""
    covers: Annotated[str, Prose(2000, least=2)]
    """What was agreed to, in words."""
    given_on: datetime.date
    expires_on: datetime.date | None = None
    document_url: Annotated[str, Link(2000)]
    """Where the agreement lies."""


class OverrideWrite(Body):
    """An owner lets figures leave although the terms do not."""

    system_id: Name
    audience: Literal["others", "public"]
    reason: Reason
    days: Annotated[StrictInt, Field(ge=1, le=LONGEST_OVERRIDE_DAYS)] = 30
    """After which it ends by itself."""


@dataclass(frozen=True)
class RecordService:
    """Keeps consents and overrides; each step stands in the audit log."""

    repository: DisclosureRepository
    clock: Clock

    def consents(self, project_id: UUID, campaign_id: UUID) -> list[ConsentRead]:
        """Those that concern a campaign, ended ones too."""
        return [consent_read(row) for row in self.repository.consents([project_id], [campaign_id])]

    def overrides(self, campaign_id: UUID) -> list[OverrideRead]:
        """Of a campaign, ended ones too."""
        return [override_read(row) for row in self.repository.overrides([campaign_id])]

    def consent(
        self, caller: Caller, project_id: UUID, campaign_id: UUID, said: ConsentWrite
    ) -> ConsentRead:
        """Record a vendor's consent; takes a maintainer.

        :raises Forbidden: when the caller's role is too low.
        """
        caller.require(project_id, Role.MAINTAINER)
        row = PublicationConsent(
            project_id=project_id,
            campaign_id=campaign_id if said.only_this_campaign else None,
            document_url=said.document_url,
            recorded_by=caller.name,
            created_at=self.clock.now(),
            **said.model_dump(exclude={"only_this_campaign", "document_url"}),
        )
        self._keep(row)
        self._audit(caller, row, "publication_consent.recorded", **_details(said))
        return consent_read(row)

    def withdraw_consent(self, caller: Caller, consent_id: UUID) -> ConsentRead:
        """A consent holds no more; takes a maintainer. Repeatable; the record stays."""
        row = self.repository.consent(consent_id)
        if row is None:
            raise NotFound("there is no such consent")
        caller.require(row.project_id, Role.MAINTAINER)
        if row.withdrawn_at is None:
            row.withdrawn_at, row.withdrawn_by = self.clock.now(), caller.name
            self._audit(caller, row, "publication_consent.withdrawn")
        return consent_read(row)

    def override(
        self, caller: Caller, project_id: UUID, campaign_id: UUID, said: OverrideWrite
    ) -> OverrideRead:
        """Let a campaign's figures of one system leave all the same; takes an owner.

        :raises Forbidden: when the caller's role is too low.
        :raises StateRefused: when there is one already.
        """
        caller.require(project_id, Role.OWNER)
        now = self.clock.now()
        for one in self.repository.overrides([campaign_id]):
            same = (one.system_id, one.audience) == (said.system_id, said.audience)
            if same and one.ended_at is None and now < one.expires_at:
                raise StateRefused("there is such an override already; end it first")
        row = PublicationOverride(
            project_id=project_id,
            campaign_id=campaign_id,
            system_id=said.system_id,
            audience=said.audience,
            reason=said.reason,
            made_by=caller.name,
            created_at=now,
            expires_at=now + datetime.timedelta(days=said.days),
        )
        self._keep(row)
        self._audit(caller, row, "publication_override.made", **_details(said))
        return override_read(row)

    def end_override(self, caller: Caller, override_id: UUID) -> OverrideRead:
        """An override holds no more; takes an owner. Repeatable; the record stays."""
        row = self.repository.override(override_id)
        if row is None:
            raise NotFound("there is no such override")
        caller.require(row.project_id, Role.OWNER)
        if row.ended_at is None:
            row.ended_at, row.ended_by = self.clock.now(), caller.name
            self._audit(caller, row, "publication_override.ended")
        return override_read(row)

    def _keep(self, row: PublicationConsent | PublicationOverride) -> None:
        self.repository.session.add(row)
        self.repository.session.flush()

    def _audit(
        self,
        caller: Caller,
        row: PublicationConsent | PublicationOverride,
        action: str,
        **details: object,
    ) -> None:
        audit.record(
            self.repository.session,
            self.clock,
            actor=caller.name,
            action=action,
            subject=row.system_id,
            project_id=row.project_id,
            **{
                **details,
                "id": str(row.id),
                "campaign_id": None if row.campaign_id is None else str(row.campaign_id),
            },
        )


def _details(said: BaseModel) -> dict[str, object]:
    return said.model_dump(mode="json")

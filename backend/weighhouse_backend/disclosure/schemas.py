"""Disclaimers, disclosures and decisions on publishing as the API shows them."""

import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel
from weighhouse_protocol.manifest import PublicationPolicy

from weighhouse_backend.disclosure.completeness import SectionId

Audience = Literal["internal", "others", "public"]
"""Whom something is for: the organization itself, others whom it is handed to, or everybody."""

Outcome = Literal["allowed", "needs_consent", "needs_disclosure", "prohibited", "unknown"]
"""Whether figures may leave the organization."""


class DisclaimerRead(BaseModel):
    """A statement that must stand beside a number."""

    id: str
    kind: Literal[
        "vendor", "sponsor", "plugin", "person", "check", "vendor_reply", "override", "challenge"
    ]
    system_id: str | None
    title: str
    text: str
    source: str | None
    severity: Literal["note", "caution", "bar"]


class DisclosureItem(BaseModel):
    """One line of a disclosure."""

    label: str
    value: str
    section: SectionId
    said_by: Literal["people", "platform"]
    fault: str | None
    """Why it counts as missing: not answered, or an answer that says nothing."""
    path: str | None
    """The field of the experiment that answers it: `disclosure.systems[redis].configured_by`."""


class DisclosureSectionRead(BaseModel):
    """A part of a disclosure, and how complete it is."""

    id: SectionId
    label: str
    asked: int
    answered: int
    completeness: float


class OverrideRead(BaseModel):
    """An owner lets figures leave although the terms do not."""

    id: UUID
    campaign_id: UUID
    system_id: str
    audience: Audience
    reason: str
    made_by: str
    created_at: datetime.datetime
    expires_at: datetime.datetime
    ended_at: datetime.datetime | None
    ended_by: str | None


class ConsentRead(BaseModel):
    """A vendor agreed that figures may be shown."""

    id: UUID
    project_id: UUID
    system_id: str
    edition_id: str | None
    """None: every edition."""
    campaign_id: UUID | None
    """None: every campaign of the project."""
    given_by: str
    """Who agreed, for the vendor."""
    covers: str
    """What was agreed to, in words."""
    given_on: datetime.date
    expires_on: datetime.date | None
    document_url: str
    recorded_by: str
    created_at: datetime.datetime
    withdrawn_at: datetime.datetime | None
    withdrawn_by: str | None


class DecisionRead(BaseModel):
    """Whether figures of one edition of a product may leave the organization, and why."""

    system_id: str
    name: str
    targets: list[str]
    edition_id: str | None
    edition: str | None
    """None: it is not known which one it was."""
    licence: str
    policy: PublicationPolicy
    clause: str
    conditions: list[str]
    """What has to be kept when they are published."""
    source: str | None
    checked_on: datetime.date | None
    reviewer: str
    outcome: Outcome
    reason: str
    mend: str | None
    """What would make it allowed; None when it is."""
    consent: ConsentRead | None
    override: OverrideRead | None


class DisclosureRead(BaseModel):
    """Who paid, who chose the method, who set up each system; what ran, where and how."""

    completeness: float
    """Share of what is asked that was answered, 0 to 1."""
    asked: int
    answered: int
    basis: Literal["plan", "measured"]
    """`plan`: what people are asked alone; `measured`: also what the platform has to know."""
    sections: list[DisclosureSectionRead]
    items: list[DisclosureItem]
    publication: PublicationPolicy
    """The strictest of the systems' publication policies."""
    decisions: list[DecisionRead]
    """Whether figures may be shown to everybody, by edition of each product."""

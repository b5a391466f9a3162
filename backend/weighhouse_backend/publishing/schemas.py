"""A campaign's disclosure, and a vendor's page, as the API shows them."""

import datetime
from uuid import UUID

from pydantic import BaseModel

from weighhouse_backend.campaigns.schemas import CompletenessRead, LoadLevelRead
from weighhouse_backend.comparisons.estimate_schemas import EstimateRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.challenges import ChallengeRead
from weighhouse_backend.disclosure.replies import ReplyLinkRead, VendorReplyRead
from weighhouse_backend.disclosure.schemas import (
    ConsentRead,
    DisclosureItem,
    DisclosureRead,
    OverrideRead,
)


class MayRead(BaseModel):
    """What the caller may do here."""

    challenge: bool
    answer_challenges: bool
    decide_challenges: bool
    record_consents: bool
    invite_replies: bool
    override: bool


class CampaignDisclosureRead(BaseModel):
    """Everything that is disclosed of a campaign, and what was said of it."""

    campaign_id: UUID
    campaign_number: int
    experiment: str
    """Its slug: where what people are asked is answered."""
    stamp: str | None
    """`not for publication: REASON`; None: it may be shown to everybody."""
    sheet: DisclosureRead
    consents: list[ConsentRead]
    overrides: list[OverrideRead]
    links: list[ReplyLinkRead]
    """For maintainers alone; others see none."""
    replies: list[VendorReplyRead]
    challenges: list[ChallengeRead]
    may: MayRead
    systems: dict[str, str]
    """Identifier → name, of those that it measured."""


class ReplyTargetRead(BaseModel):
    """A target as the vendor's page names it."""

    key: str
    label: str
    version: str | None


class ReplyCellRead(BaseModel):
    """What a target did at one point."""

    target: str
    """Key of the target."""
    workload: str
    load_level: LoadLevelRead
    throughput: EstimateRead | None
    """Operations a second."""
    p50_us: EstimateRead | None
    p99_us: EstimateRead | None
    failed_repeats: int
    repeats: int


class ReplyPageRead(BaseModel):
    """What a vendor sees over a link: one campaign's figures of its system, and the method."""

    completeness: CompletenessRead
    system_id: str
    system: str
    for_whom: str
    expires_at: datetime.datetime
    experiment: str
    description: str
    campaign_number: int
    measured_at: datetime.datetime | None
    targets: list[ReplyTargetRead]
    cells: list[ReplyCellRead]
    disclosure: list[DisclosureItem]
    caveats: list[CaveatRead]
    replies: list[VendorReplyRead]
    most_signs: int
    """Of a reply."""

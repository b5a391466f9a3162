"""Who measured campaigns again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO
from uuid import UUID

from weighhouse_protocol.bundles.archive import BundleError
from weighhouse_protocol.bundles.manifest import Reproduces

from weighhouse_backend.bundles.errors import BundleRefused, ReproductionNotFound
from weighhouse_backend.bundles.keys import keys_of
from weighhouse_backend.bundles.models import KeptReproduction
from weighhouse_backend.bundles.repository import ReproductionRepository
from weighhouse_backend.bundles.reproduction import reproduction
from weighhouse_backend.bundles.schemas import (
    ReproducedRead,
    ReproductionRead,
    ReproductionsRead,
)
from weighhouse_backend.bundles.verification import Verified, verified
from weighhouse_backend.campaigns.completeness import is_under_way
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.comparisons.service import ComparisonService
from weighhouse_backend.comparisons.sides import Question
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.settings import Settings

NAMED = 5
"""Differences that a refusal names."""


@dataclass(frozen=True)
class ReproductionService:
    """Takes bundles that measured a campaign again, and counts them by their keys."""

    repository: ReproductionRepository
    campaigns: CampaignService
    comparisons: ComparisonService
    settings: Settings
    clock: Clock

    def listed(self, caller: Caller, campaign_id: UUID) -> ReproductionsRead:
        """Those of a campaign.

        :raises CampaignNotFound: when it is not the caller's to see.
        """
        self.campaigns.find(caller, campaign_id)
        own = self._own_keys()
        items = [_read(row, own) for row in self.repository.of_campaign(campaign_id)]
        counts = _by_key([one for one in items if not one.own_key])
        return ReproductionsRead(**counts, items=items)

    def add(self, caller: Caller, campaign_id: UUID, file: BinaryIO) -> ReproductionRead:
        """Take a bundle; one that was taken already stays as it is.

        :param file: at its begin.
        :raises CampaignNotFound: when the campaign is not the caller's to see.
        :raises BundleRefused: when the bundle was changed, tells what its histograms do not, or
            did not measure this campaign again.
        """
        campaign = self.campaigns.find(caller, campaign_id, Role.MEMBER)
        if is_under_way(campaign):
            raise BundleRefused("the campaign has not ended; bring the bundle when it has")
        found = _checked(file)
        said = self._require_of(found, campaign_id)
        manifest = found.bundle.manifest_sha256
        if self.repository.one(campaign.project_id, manifest) is None:
            choice = self.comparisons.chosen(caller, Question(campaign_id=campaign_id)).whole
            body = ReproducedRead.of(reproduction(choice, found.again.choice))
            self.repository.keep(
                {
                    "project_id": campaign.project_id,
                    "manifest_sha256": manifest,
                    "campaign_id": campaign_id,
                    "reproduces_sha256": said.manifest_sha256,
                    "key_sha256": found.bundle.key_sha256,
                    "outcome": body.outcome,
                    "body": body.model_dump(mode="json"),
                    "added_by": caller.name,
                    "created_at": self.clock.now(),
                }
            )
        return _read(self._one(campaign.project_id, campaign_id, manifest), self._own_keys())

    def remove(self, caller: Caller, campaign_id: UUID, manifest_sha256: str) -> None:
        """Remove one.

        :raises CampaignNotFound: when the campaign is not the caller's to see.
        :raises ReproductionNotFound: when it has none with that manifest.
        """
        campaign = self.campaigns.find(caller, campaign_id, Role.MAINTAINER)
        row = self._one(campaign.project_id, campaign_id, manifest_sha256)
        self.repository.remove(row)

    def _one(self, project_id: UUID, campaign_id: UUID, manifest_sha256: str) -> KeptReproduction:
        row = self.repository.one(project_id, manifest_sha256)
        if row is None or row.campaign_id != campaign_id:
            raise ReproductionNotFound
        return row

    def _require_of(self, found: Verified, campaign_id: UUID) -> Reproduces:
        said = found.bundle.manifest.reproduces
        if said is None:
            raise BundleRefused(
                "it does not say which bundle it measured again; make it with `weighhouse "
                "reproduce`, or with `weighhouse bundle --reproduces`"
            )
        if said.campaign_id != str(campaign_id) or said.key_sha256 not in self._own_keys():
            raise BundleRefused(
                "it measured another bundle again than one of this campaign, as this installation "
                "signed it"
            )
        if found.bundle.manifest.interim:
            raise BundleRefused("more may come of the campaign that it is of: bring its last one")
        return said

    def _own_keys(self) -> frozenset[str]:
        return frozenset(one.sha256 for one in keys_of(self.settings))


def _checked(file: BinaryIO) -> Verified:
    try:
        found = verified(file)
    except BundleError as error:
        raise BundleRefused(str(error)) from error
    if found.differs:
        more = len(found.differs) - NAMED
        raise BundleRefused(
            "; ".join(found.differs[:NAMED]) + (f"; and {more} more" if more > 0 else "")
        )
    return found


def _read(row: KeptReproduction, own: frozenset[str]) -> ReproductionRead:
    return ReproductionRead(
        **ReproducedRead.model_validate(row.body).model_dump(),
        manifest_sha256=row.manifest_sha256,
        key_sha256=row.key_sha256,
        own_key=row.key_sha256 in own,
        added_by=row.added_by,
        added_at=row.created_at,
    )


def _by_key(items: Sequence[ReproductionRead]) -> dict[str, int]:
    """How many keys say what; whoever did not reproduce it once is counted there."""
    by_key: dict[str, set[str]] = {}
    for one in items:
        by_key.setdefault(one.key_sha256, set()).add(one.outcome)
    told = {"reproduced": 0, "did_not_reproduce": 0, "cannot_tell": 0}
    for outcomes in by_key.values():
        for name in ("did_not_reproduce", "reproduced", "cannot_tell"):
            if name in outcomes:
                told[name] += 1
                break
    return told

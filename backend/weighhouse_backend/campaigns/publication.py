"""Whether a campaign's figures may leave the organization: asked before they are given out."""

from collections.abc import Collection
from dataclasses import dataclass

from weighhouse_backend.campaigns.documents import measured_document
from weighhouse_backend.disclosure.publication import Leaving, PublicationService
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.runs.models import Campaign


@dataclass(frozen=True)
class LeavingService:
    """Asks the publication policy about campaigns."""

    publication: PublicationService
    experiments: ExperimentService

    def of(self, campaign: Campaign, targets: Collection[str] | None = None) -> Leaving:
        """What leaves with a campaign, or with some of its targets."""
        document = measured_document(self.experiments, campaign)
        return Leaving(campaign.project_id, document, campaign.id, targets)

    def require(
        self, campaign: Campaign, audience: Audience, targets: Collection[str] | None = None
    ) -> None:
        """Let a campaign's figures out, or not.

        :raises PublicationRefused: naming each system that may not be shown to the audience.
        """
        if audience != "internal":
            self.publication.require([self.of(campaign, targets)], audience)

"""A campaign's disclosure in whole, and what its vendors are shown."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.comparisons.disclosure import leaving
from weighhouse_backend.comparisons.service import ComparisonService, comparison_read
from weighhouse_backend.comparisons.sides import Question
from weighhouse_backend.disclosure.challenges import ChallengeService
from weighhouse_backend.disclosure.consents import RecordService
from weighhouse_backend.disclosure.errors import NotOfThisCampaign
from weighhouse_backend.disclosure.models import ReplyLink
from weighhouse_backend.disclosure.publication import PublicationService, stamp_of
from weighhouse_backend.disclosure.replies import MOST_SIGNS, ReplyService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.problems import FieldProblem
from weighhouse_backend.publishing.schemas import (
    CampaignDisclosureRead,
    MayRead,
    ReplyCellRead,
    ReplyPageRead,
    ReplyTargetRead,
)
from weighhouse_backend.runs.models import Campaign


@dataclass(frozen=True)
class PublishingService:
    """Reads what is disclosed; changes nothing."""

    comparisons: ComparisonService
    campaigns: CampaignService
    experiments: ExperimentService
    publication: PublicationService
    records: RecordService
    answers: ReplyService
    challenges: ChallengeService

    def find(self, caller: Caller, campaign_id: UUID, system_id: str | None = None) -> Campaign:
        """A campaign the caller may see.

        :param system_id: that something is to be said of.
        :raises CampaignNotFound: when there is none.
        :raises NotOfThisCampaign: when it did not measure the system.
        """
        campaign = self.campaigns.find(caller, campaign_id)
        document = document_of(self.experiments, campaign)
        measured = sorted({plugin for target in document.targets for plugin in target.plugins})
        if system_id is not None and system_id not in measured:
            raise NotOfThisCampaign(
                f"campaign {numbered(campaign.number)} measured {', '.join(measured)}",
                errors=[
                    FieldProblem(
                        path="system_id",
                        message=f"{system_id} is none of them",
                        expected=f"one of {', '.join(measured)}",
                    )
                ],
            )
        return campaign

    def read(self, caller: Caller, campaign_id: UUID) -> CampaignDisclosureRead:
        """A campaign's disclosure, with all that was said of it.

        :raises CampaignNotFound: when there is none.
        """
        campaign = self.find(caller, campaign_id)
        comparison = self.comparisons.chosen(caller, Question(campaign_id=campaign.id))
        sheet = comparison.sheet
        names = {one.system_id: one.name for one in sheet.decisions}
        role = caller.roles[campaign.project_id]
        maintains = role.covers(Role.MAINTAINER)
        return CampaignDisclosureRead(
            campaign_id=campaign.id,
            campaign_number=campaign.number,
            experiment=self.experiments.get(campaign.experiment_id).slug,
            stamp=stamp_of(self.publication.decisions(leaving(comparison.choice.sides))),
            sheet=sheet,
            consents=self.records.consents(campaign.project_id, campaign.id),
            overrides=self.records.overrides(campaign.id),
            links=self.answers.links(campaign.id) if maintains else [],
            replies=self.answers.replies(campaign.id),
            challenges=self.challenges.of_campaign(campaign.id),
            may=MayRead(
                challenge=True,
                answer_challenges=role.covers(Role.MEMBER),
                decide_challenges=maintains,
                record_consents=maintains,
                invite_replies=maintains,
                override=role.covers(Role.OWNER),
            ),
            systems=names,
        )

    def page(self, link: ReplyLink) -> ReplyPageRead:
        """What a vendor sees over an opened link: its own system's figures and nobody else's."""
        caller = Caller("token", link.id, "reply link", {link.project_id: Role.VIEWER})
        sides = [
            side
            for side in self.comparisons.chosen(
                caller, Question(campaign_id=link.campaign_id)
            ).choice.sides
            if side.system_id == link.system_id
        ]
        campaign, document = sides[0].campaign, sides[0].document
        manifest = sides[0].manifest
        seen = comparison_read(
            self.comparisons.chosen(caller, Question(sides=[side.key for side in sides]))
        )
        replies = self.answers.replies(link.campaign_id)
        return ReplyPageRead(
            completeness=seen.completeness,
            system_id=link.system_id,
            system=link.system_id if manifest is None else manifest.name,
            for_whom=link.for_whom,
            expires_at=link.expires_at,
            experiment=document.name,
            description=document.description,
            campaign_number=campaign.number,
            measured_at=campaign.finished_at,
            targets=[
                ReplyTargetRead(key=side.key, label=side.label, version=side.version)
                for side in seen.sides
            ],
            cells=[
                ReplyCellRead(
                    target=cell.side,
                    workload=cell.workload,
                    load_level=cell.load_level,
                    throughput=cell.figures.get("throughput"),
                    p50_us=cell.figures.get("p50_us"),
                    p99_us=cell.figures.get("p99_us"),
                    failed_repeats=cell.failed_repeats.failed if cell.failed_repeats else 0,
                    repeats=len(cell.repeats),
                )
                for cell in seen.cells
            ],
            disclosure=seen.disclosure.items,
            caveats=seen.caveats,
            replies=[one for one in replies if one.system_id == link.system_id],
            most_signs=MOST_SIGNS,
        )

"""Which machines are to be made, and which are to be ended."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.provisioner import (
    MOST_MACHINES,
    PROVISION,
    HourlyPrice,
    MachineKind,
    Request,
    WantedMachine,
    machines_of,
)

from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import founding
from weighhouse_backend.kit import owed
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.provisions.errors import CannotProvision
from weighhouse_backend.provisions.models import LIVE, Provision, ProvisionerOffer
from weighhouse_backend.provisions.schemas import (
    CostAtMost,
    ProvisionerRead,
    ProvisionEstimate,
    ProvisionRead,
)
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import FINISHED_CAMPAIGNS, CampaignStatus

log = structlog.get_logger(__name__)

MAKING = "provisions.make"
MACHINES = ("server", "driver")
NO_PROVISIONER = (
    "placement.provision: this installation has no provisioner; leave it out, or have who keeps "
    "the installation name one with WEIGHHOUSE_PROVISIONER"
)
ACTOR = "provisioner"
TIME_OVER = "their time was over"


@dataclass(frozen=True)
class ProvisionService:
    """Provisions, from when a campaign asks for machines until they are gone."""

    session: Session
    fleet: FleetService
    jobs: Jobs
    clock: Clock
    settings: Settings

    # People

    def offer(self) -> ProvisionerRead:
        """What can be made here, as the provisioner said when it was last asked."""
        told = self.session.get(ProvisionerOffer, 1)
        there = self.settings.provisioner is not None
        if told is None or not there:
            return ProvisionerRead(there=there, kinds=[], problem=None, told_at=None)
        kinds = [MachineKind.model_validate(one) for one in told.kinds]
        return ProvisionerRead(there=True, kinds=kinds, problem=told.problem, told_at=told.told_at)

    def estimate(self, document: Document) -> ProvisionEstimate | None:
        """What a document asks to be made, and costs at most; None when it asks for nothing.

        :raises CannotProvision: when it cannot be made here.
        """
        wanted = document.placement.provision
        if wanted is None:
            return None
        offer = self.offer()
        if not offer.there:
            raise CannotProvision(NO_PROVISIONER)
        kinds = {kind.name: kind for kind in offer.kinds}
        if wanted.machine not in kinds:
            said = f" (it says: {offer.problem})" if offer.problem else ""
            known = ", ".join(sorted(kinds)) or f"nothing yet{said}"
            message = (
                f"placement.provision.machine: the provisioner makes no {wanted.machine}; it makes "
                f"{known}"
            )
            raise CannotProvision(message)
        count = len(machines_of(document.placement, document.targets))
        if count > MOST_MACHINES:
            message = f"placement: {count} machines; {MOST_MACHINES} at most are made at a time"
            raise CannotProvision(message)
        hourly = kinds[wanted.machine].hourly
        length = datetime.timedelta(minutes=wanted.minutes)
        return ProvisionEstimate(
            machine=wanted.machine, machines=count, minutes=wanted.minutes, hourly=hourly,
            at_most=_cost(hourly, count, length),
        )  # fmt: skip

    def provision(self, caller: Caller, campaign_id: UUID) -> ProvisionRead | None:
        """The machines that were made for a campaign that the caller sees."""
        found = self.session.scalar(
            select(Provision)
            .where(
                Provision.campaign_id == campaign_id, Provision.project_id.in_(caller.project_ids)
            )
            .order_by(Provision.wanted_at.desc())
            .limit(1)
        )
        return None if found is None else self._read(found)

    def _read(self, found: Provision) -> ProvisionRead:
        hourly = None if found.hourly is None else HourlyPrice.model_validate(found.hourly)
        count = len(found.machines)
        until = found.ended_at or self.clock.now()
        return ProvisionRead.model_validate(
            {
                "id": found.id, "campaign_id": found.campaign_id, "state": found.state,
                "machine": found.machine, "machines": count,
                "at_most": _cost(hourly, count, found.ends_at - found.wanted_at),
                "so_far": _cost(hourly, count, until - found.wanted_at),
                "requested_by": found.requested_by, "wanted_at": found.wanted_at,
                "made_at": found.made_at, "ends_at": found.ends_at, "ended_at": found.ended_at,
                "problem": found.problem,
            },
            from_attributes=True,
        )  # fmt: skip

    # Campaigns

    def want(self, campaign: Campaign, document: Document) -> Provision | None:
        """Have machines made for a new campaign, if its document asks for them: no others take its
        runs.

        :raises CannotProvision: when they cannot be made here, or too many are there already.
        """
        asked = self.estimate(document)
        if asked is None:
            return None
        # One at a time: two campaigns are not both the last that fits.
        self.session.execute(select(func.pg_advisory_xact_lock(func.hashtext("provisions"))))
        count = func.coalesce(func.sum(func.jsonb_array_length(Provision.machines)), 0)
        there = self.session.scalar(select(count).where(Provision.state.in_(LIVE))) or 0
        most = self.settings.provisioned_machines
        if there + asked.machines > most:
            message = (
                f"placement.provision: {asked.machines} machines are asked for, and {there} of "
                f"the {most} that may be there at a time are; wait until a campaign is over"
            )
            raise CannotProvision(message)
        now = self.clock.now()
        made = Provision(
            project_id=campaign.project_id,
            campaign_id=campaign.id,
            machine=asked.machine,
            machines=machines_of(document.placement, document.targets),
            hourly=None if asked.hourly is None else asked.hourly.model_dump(mode="json"),
            requested_by=campaign.requested_by,
            wanted_at=now,
            ends_at=now + datetime.timedelta(minutes=asked.minutes),
        )
        self.session.add(made)
        self.session.flush()
        campaign.labels = {**campaign.labels, PROVISION: str(made.id)}
        campaign.waiting_for = f"waits until {asked.machines} × {asked.machine} are made for it"
        self._audit(made, "provision.wanted", campaign.requested_by or ACTOR)
        self.jobs.send(MAKING, provision_id=str(made.id))
        return made

    # The worker

    def tell(self, kinds: Sequence[MachineKind] | None, problem: str | None) -> None:
        """Keep what the provisioner says that it makes; `None`: what it said before holds."""
        row = self.session.get(ProvisionerOffer, 1, with_for_update=True)
        if row is None:
            row = ProvisionerOffer(id=1, kinds=[], told_at=self.clock.now())
            self.session.add(row)
        if kinds is not None:
            row.kinds = [kind.model_dump(mode="json") for kind in kinds]
        row.problem, row.told_at = problem, self.clock.now()

    def begin(self, provision_id: UUID) -> Request | None:
        """Begin to make machines: what the provisioner is asked, with a token for each of them.
        None when another has begun, or nobody wants them any more.
        """
        found = self._locked(provision_id)
        if found is None or found.state != "wanted":
            return None
        now = self.clock.now()
        if self._is_over(found, now):
            found.state, found.ended_at = "ended", now
            return None
        found.state, found.begun_at = "making", now
        grant = founding(project_id=found.project_id)
        wanted = []
        for at, labels in enumerate(found.machines, 1):
            made = self.fleet.issue_registration(
                grant, found.requested_by or ACTOR, labels={**labels, PROVISION: str(found.id)},
                roles=MACHINES, lifetime=found.ends_at - now, trusted=True,
            )  # fmt: skip
            name = f"{found.id.hex[-8:]}-{at}"
            wanted.append(WantedMachine(name=name, labels=labels, token=made.token))
        return Request(
            action="make", provision=found.id, machine=found.machine, ends_at=found.ends_at,
            platform=self.settings.public_url, machines=tuple(wanted),
        )  # fmt: skip

    def made(self, provision_id: UUID) -> UUID | None:
        """Note that the provisioner made them; the campaign that waits for them."""
        found = self._locked(provision_id)
        if found is not None and found.state == "making":
            found.state, found.made_at = "made", self.clock.now()
            self._audit(found, "provision.made")
            self._tell_campaign(found, "waits until the machines made for it have enrolled")
        return None if found is None else found.campaign_id

    def failed(self, provision_id: UUID, problem: str) -> UUID | None:
        """Note why they could not be made: what there is of them is ended. The campaign."""
        found = self._locked(provision_id)
        if found is not None and found.state == "making":
            found.state, found.problem = "ending", problem
            self._audit(found, "provision.failed")
            self._tell_campaign(found, f"gets no machines: {problem}"[:500])
            self.jobs.send("provisions.end", provision_id=str(found.id))
        return None if found is None else found.campaign_id

    def due(self) -> list[UUID]:
        """Provisions that are to be ended: their campaign is over or gone, or their time is, or
        whoever made them was ended meanwhile. And sends again for those that wait to be made.
        """
        now = self.clock.now()
        live = self.session.scalars(select(Provision).where(Provision.state.in_(LIVE)))
        for provision_id in [one.id for one in live]:
            found = self._locked(provision_id)
            if found is None or found.state not in LIVE:
                continue
            stuck = found.state == "making" and owed.alone(self.session, MAKING, found.id)
            if stuck:
                found.problem = "whoever made them was ended meanwhile"
            if stuck or (found.state in {"wanted", "made"} and self._is_over(found, now)):
                found.state = "ending"
            if found.state == "wanted":
                self.jobs.send(MAKING, provision_id=str(found.id))
        return list(self.session.scalars(select(Provision.id).where(Provision.state == "ending")))

    def ended(self, provision_id: UUID) -> None:
        """Note that nothing is left of machines; their agents are revoked, and none enrols with the
        tokens that were made for them. Repeatable.
        """
        found = self._locked(provision_id)
        if found is None:
            return
        self.fleet.retirement.labelled(found.project_id, {PROVISION: str(found.id)}, ACTOR)
        if found.state != "ending":
            return
        if found.made_at is not None:
            found.problem = None  # that it could not be ended at first
        found.state = "failed" if found.problem else "ended"
        found.ended_at = self.clock.now()
        self._audit(found, "provision.ended")
        self._tell_campaign(found, "has no machines any more: those that were made for it are gone")

    def not_ended(self, provision_id: UUID, problem: str) -> None:
        """Note why machines could not be ended; it is tried again."""
        found = self._locked(provision_id)
        if found is not None and found.state == "ending" and (found.made_at or not found.problem):
            found.problem = problem

    def stranded(self) -> dict[UUID, str]:
        """Campaigns that are not over while their machines are gone, each with why."""
        latest = (
            select(Provision)
            .distinct(Provision.campaign_id)
            .join(Campaign, Campaign.id == Provision.campaign_id)
            .where(Campaign.status.in_([CampaignStatus.QUEUED, CampaignStatus.RUNNING]))
            .order_by(Provision.campaign_id, Provision.wanted_at.desc())
        )
        return {
            one.campaign_id: one.problem or TIME_OVER
            for one in self.session.scalars(latest)
            if one.campaign_id is not None and one.state not in LIVE
        }

    def unknown(self, there: Collection[UUID]) -> list[UUID]:
        """Of what the provisioner has, what nobody here wants: what is left of a platform that was
        set back, or of requests that were cut off.
        """
        wanted = select(Provision.id).where(
            Provision.id.in_(list(there)), Provision.state.in_(LIVE)
        )
        return sorted(set(there) - set(self.session.scalars(wanted)))

    def _is_over(self, found: Provision, now: datetime.datetime) -> bool:
        if found.ends_at <= now or found.campaign_id is None:
            return True
        campaign = self.session.get(Campaign, found.campaign_id)
        return campaign is None or campaign.status in FINISHED_CAMPAIGNS

    def _locked(self, provision_id: UUID) -> Provision | None:
        return self.session.scalar(
            select(Provision)
            .where(Provision.id == provision_id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )

    def _tell_campaign(self, found: Provision, words: str) -> None:
        campaign = self.session.get(Campaign, found.campaign_id) if found.campaign_id else None
        if campaign is not None and campaign.status not in FINISHED_CAMPAIGNS:
            campaign.waiting_for = words

    def _audit(self, found: Provision, action: str, actor: str = ACTOR) -> None:
        audit.record(
            self.session, self.clock, actor=actor, action=action,
            subject=f"{len(found.machines)} × {found.machine}", project_id=found.project_id,
        )  # fmt: skip


def _cost(hourly: HourlyPrice | None, count: int, length: datetime.timedelta) -> CostAtMost | None:
    if hourly is None:
        return None
    hours = max(0.0, length.total_seconds()) / 3600
    return CostAtMost(amount=round(hourly.amount * count * hours, 4), currency=hourly.currency)

"""Starts the campaigns of a study."""

from collections.abc import Mapping
from dataclasses import dataclass

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from weighhouse_backend.campaigns.schemas import CampaignCreate
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.experiments.content import stored_form
from weighhouse_backend.experiments.schemas import ExperimentCreate
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.problems import FieldProblem
from weighhouse_backend.studies.errors import StudyCannotRun
from weighhouse_backend.studies.folders import StudyFolder
from weighhouse_backend.studies.schemas import (
    LeftOutRead,
    StudyRunRead,
    StudyRunWanted,
    StudyStartedRead,
)


@dataclass(frozen=True)
class StudyRunService:
    """Saves a study's experiments, with the sides that can be measured, and starts them."""

    campaigns: CampaignService
    experiments: ExperimentService
    catalog: CatalogService

    def run(self, caller: Caller, folder: StudyFolder, wanted: StudyRunWanted) -> StudyRunRead:
        """Start a campaign of each experiment of a scale, all or none.

        Sides that nobody asked for, and those whose plugin no agent has brought, are left out and
        named. An experiment of which no side is left is not started.

        :raises StudyCannotRun: when a side is none of the study's, or none can be measured.
        :raises ExperimentInvalid: when a system cannot do what a file asks.
        """
        project_id = caller.project_or_only(wanted.project_id)
        try:
            names = folder.targets(wanted.scale, tuple(wanted.sides))
        except ValueError as error:
            raise StudyCannotRun(
                str(error),
                errors=[FieldProblem(path="sides", message=str(error), expected="sides by name")],
            ) from error
        manifests = self.catalog.manifests([project_id])
        left_out = _left_out(folder, wanted, names, manifests)
        kept = [name for name in names if name not in {one.side for one in left_out}]
        started = []
        for experiment in folder.experiments[wanted.scale]:
            targets = tuple(one for one in experiment.targets if one.name in kept)
            if targets:
                started.append(self._start(caller, project_id, experiment, targets))
        if not started:
            reasons = "; ".join(f"{one.label}: {one.because}" for one in left_out)
            raise StudyCannotRun(f"no side of the study can be measured here: {reasons}")
        return StudyRunRead(
            study=folder.study.name, scale=wanted.scale, campaigns=started, not_measured=left_out
        )

    def _start(
        self, caller: Caller, project_id: object, shipped: Experiment, targets: tuple[Target, ...]
    ) -> StudyStartedRead:
        document = shipped.model_copy(update={"targets": targets})
        body = ExperimentCreate.model_validate(
            {"document": stored_form(document), "project_id": project_id}
        )
        saved = self.experiments.create(
            caller, caller.project_or_only(body.project_id), body, upsert=True
        )
        order = CampaignCreate(experiment_id=saved.experiment.id)
        campaign = self.campaigns.create(caller, order)
        return StudyStartedRead(
            experiment=shipped.slug,
            campaign_id=campaign.id,
            campaign_number=campaign.number,
            runs=document.runs_count,
        )


def _left_out(
    folder: StudyFolder,
    wanted: StudyRunWanted,
    names: list[str],
    manifests: Mapping[str, Manifest],
) -> list[LeftOutRead]:
    systems = {
        target.name: target.system
        for experiment in folder.experiments[wanted.scale]
        for target in experiment.targets
    }
    found = []
    for side in folder.study.sides:
        because = ""
        if side.name not in names:
            because = side.because or "it was not asked for"
        elif side.name not in systems:
            because = "no file of this scale measures it"
        elif systems[side.name] not in manifests:
            because = "no agent of this project has brought its plugin"
        if because:
            found.append(LeftOutRead(side=side.name, label=side.label, because=because))
    return found

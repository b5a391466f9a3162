"""Studies beside what was measured of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import get_args
from uuid import UUID

from weighhouse_judging.studies.answers import answer_of
from weighhouse_judging.studies.claims import (
    VERDICT_WORDS,
    ClaimResult,
    ClaimVerdict,
    judge_claims,
)
from weighhouse_judging.studies.documents import StudySide
from weighhouse_judging.studies.language import Claim, Scale
from weighhouse_judging.studies.terms import Key
from weighhouse_judging.verdicts.figures import Repeats
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.manifest import Manifest

from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.campaigns.latest import Latest, LatestService
from weighhouse_backend.campaigns.names import UNKNOWN_COLOUR, UNKNOWN_MARK
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.service import ComparisonService
from weighhouse_backend.comparisons.sides import Question
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.experiments.errors import ExperimentNotFound
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.results.figures import FigureService, RunFigures
from weighhouse_backend.results.repeats import in_time
from weighhouse_backend.runs.states import RunStatus
from weighhouse_backend.studies.errors import StudyNotFound
from weighhouse_backend.studies.figures import study_figures
from weighhouse_backend.studies.folders import SCALES, StudyFolder
from weighhouse_backend.studies.schemas import (
    ClaimRead,
    OutcomeRead,
    StudyCampaignRead,
    StudyRead,
    StudySideRead,
    StudySummary,
    VerdictCountRead,
)


@dataclass(frozen=True)
class Standing:
    """One experiment of a study, and what became of it in a project."""

    shipped: Experiment
    name: str
    latest: Latest


@dataclass(frozen=True)
class StudyService:
    """Reads studies; changes nothing."""

    folders: Sequence[StudyFolder]
    comparisons: ComparisonService
    experiments: ExperimentService
    latest: LatestService
    catalog: CatalogService
    figures: FigureService

    def find(self, name: str) -> StudyFolder:
        """A study by its name.

        :raises StudyNotFound: when there is none.
        """
        for one in self.folders:
            if one.study.name == name:
                return one
        known = ", ".join(one.study.name for one in self.folders) or "none is installed"
        raise StudyNotFound(f"there is no study {name!r}; those there are: {known}")

    def listed(self, caller: Caller, project_id: UUID | None) -> list[StudySummary]:
        """All studies, with what may be said of their claims in a project."""
        found = []
        for folder in self.folders:
            project = self._project(caller, project_id)
            scale = self._scale(caller, folder, project)
            standings = self._standings(caller, folder, scale, project)
            results = self._judged(folder, scale, self._runs(folder, standings))
            source = folder.study.source
            found.append(
                StudySummary(
                    name=folder.study.name,
                    title=folder.study.title,
                    asks=folder.study.asks,
                    sponsor="nobody, it is our own" if source is None else source.sponsor,
                    sides=[side.label for side in folder.study.sides],
                    scale=scale,
                    measured=any(one.latest.measured is not None for one in standings),
                    verdicts=_counts(results),
                )
            )
        return found

    def read(
        self,
        caller: Caller,
        name: str,
        scale: Scale | None,
        project_id: UUID | None,
        audience: Audience,
    ) -> StudyRead:
        """A study, claim by claim.

        :param scale: default: the one that was measured last, else small.
        :raises StudyNotFound: when there is none of that name.
        :raises PublicationRefused: naming each system that may not be shown to the audience.
        """
        folder = self.find(name)
        project = self._project(caller, project_id)
        chosen = scale or self._scale(caller, folder, project)
        standings = self._standings(caller, folder, chosen, project)
        compared = [self._compared(caller, one, audience) for one in standings]
        runs = self._runs(folder, standings)
        results = self._judged(folder, chosen, runs)
        manifests = {} if project is None else self.catalog.manifests([project])
        study = folder.study
        return StudyRead(
            name=study.name,
            title=study.title,
            asks=study.asks,
            answer=answer_of(study, results),
            source=study.source,
            otherwise=list(study.otherwise),
            scale=chosen,
            sides=[_side(side, folder, chosen, runs, manifests) for side in study.sides],
            campaigns=[self._campaign(*each) for each in zip(standings, compared, strict=True)],
            verdicts=_counts(results),
            claims=[_claim(result) for result in results],
            figures=study_figures(study, runs),
        )

    def judge(
        self, caller: Caller, name: str, scale: Scale, project_id: UUID, claim: Claim
    ) -> ClaimResult:
        """What may be said of a claim that somebody makes of a study: of what it prints, and of
        what was measured of it. Whether that may be shown, `read` has said.

        :raises StudyNotFound: when there is none of that name.
        """
        folder = self.find(name)
        runs = self._runs(folder, self._standings(caller, folder, scale, project_id))
        return self._judged(folder, scale, runs, [claim])[0]

    def _project(self, caller: Caller, project_id: UUID | None) -> UUID | None:
        """The project that is meant; without a name the first of the caller's."""
        if project_id is not None:
            caller.require(project_id)
            return project_id
        return min(caller.project_ids, default=None)

    def _scale(self, caller: Caller, folder: StudyFolder, project: UUID | None) -> Scale:
        """That was measured last; small where none was."""
        newest: dict[Scale, UUID] = {}
        for scale in SCALES:
            for one in self._standings(caller, folder, scale, project):
                if one.latest.measured is not None:
                    newest[scale] = max(newest.get(scale, UUID(int=0)), one.latest.measured.id)
        return max(newest, key=lambda scale: newest[scale], default="small")

    def _standings(
        self, caller: Caller, folder: StudyFolder, scale: Scale, project: UUID | None
    ) -> list[Standing]:
        found = []
        for shipped in folder.experiments[scale]:
            latest = Latest(None, None)
            if project is not None:
                try:
                    experiment = self.experiments.find(caller, shipped.slug, project)
                except ExperimentNotFound:
                    pass
                else:
                    latest = self.latest.of(project, experiment.id)
            found.append(Standing(shipped, shipped.name, latest))
        return found

    def _runs(self, folder: StudyFolder, standings: Sequence[Standing]) -> list[RunFigures]:
        names = {one.figure for one in folder.study.published}
        also = [CATALOGUE[name] for name in sorted(names) if name not in CATALOGUE]
        measured = {one.latest.measured.id for one in standings if one.latest.measured is not None}
        return self.figures.of_campaigns(measured, also=also)

    def _judged(
        self,
        folder: StudyFolder,
        scale: Scale,
        runs: Sequence[RunFigures],
        claims: Sequence[Claim] | None = None,
    ) -> list[ClaimResult]:
        published = {
            (one.side, one.workload, one.load, one.figure, one.setting): one.read
            for one in folder.study.published
        }
        names = {side.name: side.label for side in folder.study.sides}
        asked = folder.claims.claims if claims is None else claims
        return judge_claims(asked, published, repeats_of(runs), scale, names)

    def _compared(
        self, caller: Caller, standing: Standing, audience: Audience
    ) -> Comparison | None:
        """The targets of what was measured last, where they may be shown to the audience."""
        campaign = standing.latest.measured
        if campaign is None:
            return None
        return self.comparisons.released(caller, Question(campaign_id=campaign.id), audience)

    def _campaign(self, standing: Standing, comparison: Comparison | None) -> StudyCampaignRead:
        campaign, going = standing.latest.measured, standing.latest.under_way
        return StudyCampaignRead(
            experiment=standing.shipped.slug,
            name=standing.name,
            campaign_id=None if campaign is None else campaign.id,
            campaign_number=None if campaign is None else campaign.number,
            status=None if campaign is None else campaign.status,
            changed=campaign is not None
            and changed(standing.shipped, document_of(self.experiments, campaign)),
            under_way=None if going is None else going.id,
            caveats=[] if comparison is None else comparison.caveats,
        )


def changed(shipped: Experiment, measured: Experiment) -> bool:
    """Is a document another than the shipped one, but for targets that were left out?"""
    kept = {target.name for target in measured.targets}
    targets = tuple(target for target in shipped.targets if target.name in kept)
    return shipped.model_copy(update={"targets": targets}) != measured


def repeats_of(runs: Sequence[RunFigures]) -> dict[Key, Repeats]:
    """The repeats of each cell and figure, by repetition."""
    cells: dict[tuple[str, str, str], list[RunFigures]] = {}
    for run in runs:
        cells.setdefault((run.target, run.workload, run.load_label), []).append(run)
    return {
        (*cell, metric, ""): found
        for cell, each in cells.items()
        for metric in {one: None for run in each for one in run.figures}
        if (found := in_time(each, metric))
    }


def _counts(results: Sequence[ClaimResult]) -> list[VerdictCountRead]:
    count = Counter(one.verdict for one in results)
    verdicts: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)
    return [
        VerdictCountRead(verdict=one, words=VERDICT_WORDS[one], claims=count[one])
        for one in verdicts
    ]


def _claim(result: ClaimResult) -> ClaimRead:
    return ClaimRead(
        id=result.claim.id,
        says=result.claim.says,
        place=result.claim.place,
        verdict=result.verdict,
        words=VERDICT_WORDS[result.verdict],
        sentence=result.sentence,
        measured=result.measured,
        printed=[OutcomeRead(**asdict(one)) for one in result.printed],
        here=[OutcomeRead(**asdict(one)) for one in result.here],
    )


def _side(
    side: StudySide,
    folder: StudyFolder,
    scale: Scale,
    runs: Sequence[RunFigures],
    manifests: Mapping[str, Manifest],
) -> StudySideRead:
    systems = [
        target.system
        for experiments in folder.experiments.values()
        for experiment in experiments
        for target in experiment.targets
        if target.name == side.name
    ]
    system = next(iter(systems), side.name)
    mine = [run for run in runs if run.target == side.name]
    manifest = manifests.get(system)
    measured = any(run.status == RunStatus.COMPLETED for run in mine)
    return StudySideRead(
        name=side.name,
        label=side.label,
        system_id=system,
        colour=UNKNOWN_COLOUR if manifest is None else manifest.colour,
        mark=UNKNOWN_MARK if manifest is None else manifest.mark,
        measured=measured,
        because="" if measured else _because(side, scale, mine, manifest),
    )


def _because(
    side: StudySide, scale: Scale, mine: Sequence[RunFigures], manifest: Manifest | None
) -> str:
    """Why there are no figures of a side."""
    failed = [run.failure for run in mine if run.failure is not None]
    if failed:
        return (
            f"all of its {len(mine)} runs failed; the first: {failed[0].get('message', 'no word')}"
        )
    if manifest is None:
        return "no agent of this project has brought its plugin"
    if side.because and scale == "small":
        return side.because
    return "it has not been measured at this scale yet"

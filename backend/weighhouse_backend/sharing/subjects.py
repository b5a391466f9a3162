"""What a share is of: found for whoever shares it, held against the policy, made into documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.identity.sides import family

from weighhouse_backend.alerts.schemas import SeriesRead
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.disclosure import leaving
from weighhouse_backend.comparisons.service import ComparisonService
from weighhouse_backend.comparisons.sides import Question, cell_named
from weighhouse_backend.disclosure.publication import Leaving, PublicationService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.series.models import Series
from weighhouse_backend.sharing.errors import NotShareable
from weighhouse_backend.sharing.models import Share
from weighhouse_backend.sharing.openings import Opened
from weighhouse_backend.sharing.repository import ShareRepository
from weighhouse_backend.sharing.schemas import QuestionWrite, ShareWrite


@dataclass(frozen=True)
class Subject:
    """What is to be shared, of one project."""

    project_id: UUID
    leaving: Sequence[Leaving]


@dataclass(frozen=True)
class SubjectService:
    """Finds what shares are of."""

    repository: ShareRepository
    comparisons: ComparisonService
    watching: WatchService
    experiments: ExperimentService
    publication: PublicationService

    def wanted(self, caller: Caller, wanted: ShareWrite) -> Subject:
        """What somebody wants to share, if it is theirs to see.

        :raises NotShareable: when it is of several projects.
        :raises NotFound: when it is not theirs, or is not there.
        """
        if wanted.series_id is not None:
            series = self.watching.history.visible(caller, wanted.series_id)
            return Subject(series.project_id, self._of_series(series))
        if wanted.campaign_id is not None:
            question = Question(campaign_id=wanted.campaign_id)
        else:
            question = question_of(wanted.comparison or QuestionWrite(side=[]))
        chosen = self.comparisons.chosen(caller, question)
        projects = {side.campaign.project_id for side in chosen.choice.sides}
        if len(projects) > 1:
            raise NotShareable("its sides are of several projects; share what is of one")
        return Subject(projects.pop(), leaving(chosen.choice.sides))

    def leaving_of(self, share: Share) -> Sequence[Leaving]:
        """What leaves with a share, as the publication policy is asked of it.

        :raises NotFound: when it is not there any more.
        """
        if share.series_id is not None:
            series = self.watching.history.visible(stranger(share), share.series_id)
            return self._of_series(series)
        return leaving(self._chosen(share).choice.sides)

    def comparison(self, opened: Opened) -> Comparison:
        """What somebody who came to a campaign or comparison is shown.

        :raises PublicationRefused: when the terms do not allow it (any more).
        :raises NotFound: when it is not there any more, or a series.
        """
        chosen = self._chosen(opened.share)
        self.publication.require(leaving(chosen.choice.sides), opened.audience)
        return chosen

    def series_read(self, share: Share) -> SeriesRead:
        """A series with its points; asks nobody whether it may be shown."""
        if share.series_id is None:
            raise NotShareable("what is shared here is no series")
        return self.watching.read(stranger(share), share.series_id)

    def verdict_of(self, read: SeriesRead) -> str | None:
        """What the campaign of a series' last point was judged to be, as a whole."""
        last = next((one for one in reversed(read.points) if not one.off_main_line), None)
        return None if last is None else self.repository.verdict_of(last.campaign_id)

    def _chosen(self, share: Share) -> Comparison:
        if share.campaign_id is not None:
            question = Question(campaign_id=share.campaign_id)
        elif share.question is not None:
            question = question_of(QuestionWrite.model_validate(share.question))
        else:
            raise NotShareable("what is shared here is a series")
        return self.comparisons.chosen(stranger(share), question)

    def _of_series(self, series: Series) -> list[Leaving]:
        """Of each revision that was measured, the targets of the series' side. Of one campaign
        consents and overrides do not count: a series goes on with others.
        """
        found = []
        for campaign in self.repository.campaigns_of_series(series.id):
            document = document_of(self.experiments, campaign)
            same = [one for one in document.targets if one.system == series.system_id]
            mine = [one.name for one in same if family(one).digest == series.side_family]
            named = mine or [one.name for one in same]
            found.append(Leaving(series.project_id, document, None, named))
        return found


def question_of(asked: QuestionWrite) -> Question:
    """A comparison's address as it is asked."""
    cell = None if asked.cell is None else cell_named(asked.cell)
    return Question(asked.side, asked.campaign, asked.base, asked.baseline, cell)


def stranger(share: Share) -> Caller:
    """Whoever came by a share: looks at its project's things as a viewer would, in a transaction
    that sees what is shared alone.
    """
    return Caller("token", share.id, "share", {share.project_id: Role.VIEWER})

"""What a share is of: found for whoever shares it, held against the policy, made into documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.alerts.schemas import SeriesRead
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.disclosure import leaving
from weighhouse_backend.comparisons.questions import QuestionWrite, question_of
from weighhouse_backend.comparisons.service import ComparisonService, require_published
from weighhouse_backend.comparisons.sides import Question
from weighhouse_backend.disclosure.publication import Leaving, PublicationService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.reports.schemas import SharedReportRead
from weighhouse_backend.reports.series_terms import SeriesTerms
from weighhouse_backend.reports.service import ReportService
from weighhouse_backend.sharing.errors import NotShareable
from weighhouse_backend.sharing.models import Share
from weighhouse_backend.sharing.openings import AUDIENCES, Opened
from weighhouse_backend.sharing.repository import ShareRepository
from weighhouse_backend.sharing.schemas import ShareWrite


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
    series_terms: SeriesTerms
    reports: ReportService
    publication: PublicationService

    def wanted(self, caller: Caller, wanted: ShareWrite) -> Subject:
        """What somebody wants to share, if it is theirs to see.

        :raises NotShareable: when it is of several projects.
        :raises NotFound: when it is not theirs, or is not there.
        """
        if wanted.series_id is not None:
            series = self.watching.history.visible(caller, wanted.series_id)
            return Subject(series.project_id, self.series_terms.leaving(series))
        if wanted.report_id is not None:
            # Each of its figures asks the policy by itself, at every opening.
            return Subject(self.reports.of_project(caller, wanted.report_id), [])
        if wanted.campaign_id is not None:
            question = Question(campaign_id=wanted.campaign_id)
        else:
            question = question_of(wanted.comparison or QuestionWrite(side=[], published=[]))
        chosen = self.comparisons.chosen(caller, question)
        projects = {side.campaign.project_id for side in chosen.choice.sides}
        if len(projects) > 1:
            raise NotShareable("its sides are of several projects; share what is of one")
        beside = {one.row.project_id for one in chosen.published}
        if beside - projects:
            raise NotShareable("a published source is of another project; keep it in this one, too")
        require_published(chosen, AUDIENCES[wanted.visibility])
        return Subject(projects.pop(), leaving(chosen.choice.sides))

    def require(self, share: Share) -> Sequence[Leaving]:
        """Let what is shared out, or not; what leaves of ours with it.

        :raises PublicationRefused: when the terms do not allow it (any more).
        :raises NotFound: when it is not there any more.
        """
        audience = AUDIENCES[share.visibility]
        if share.report_id is not None:
            self.reports.of_project(stranger(share), share.report_id)
            return []
        if share.series_id is not None:
            series = self.watching.history.visible(stranger(share), share.series_id)
            ours = self.series_terms.leaving(series)
            self.publication.require(ours, audience)
            return ours
        chosen = self._chosen(share)
        ours = leaving(chosen.choice.sides)
        self.publication.require(ours, audience)
        require_published(chosen, audience)
        return ours

    def comparison(self, opened: Opened) -> Comparison:
        """What somebody who came to a campaign or comparison is shown.

        :raises PublicationRefused: when the terms do not allow it (any more).
        :raises NotFound: when it is not there any more, or a series.
        """
        chosen = self._chosen(opened.share)
        self.publication.require(leaving(chosen.choice.sides), opened.audience)
        require_published(chosen, opened.audience)
        return chosen

    def series_read(self, share: Share) -> SeriesRead:
        """A series with its points; asks nobody whether it may be shown."""
        if share.series_id is None:
            raise NotShareable("what is shared here is no series")
        return self.watching.read(stranger(share), share.series_id)

    def report(self, opened: Opened) -> SharedReportRead:
        """A report; what may not be shown in it is withdrawn, with the reason.

        :raises NotShareable: when something else is shared.
        """
        if opened.share.report_id is None:
            raise NotShareable("what is shared here is no report")
        return self.reports.outside(opened.share.report_id, opened.audience)

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
            raise NotShareable(f"what is shared here is a {share.kind}")
        return self.comparisons.chosen(stranger(share), question)


def stranger(share: Share) -> Caller:
    """Whoever came by a share: looks at its project's things as a viewer would, in a transaction
    that sees what is shared alone.
    """
    return Caller("token", share.id, "share", {share.project_id: Role.VIEWER})

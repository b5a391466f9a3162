"""Sources of reports: found with the eyes of the report's project, held against the policy."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.studies.claims import ClaimResult
from weighhouse_judging.studies.language import Claim
from weighhouse_protocol.text import numbered

from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.comparisons.disclosure import leaving
from weighhouse_backend.comparisons.questions import question_of
from weighhouse_backend.comparisons.service import ComparisonService, comparison_read
from weighhouse_backend.comparisons.sides import Question
from weighhouse_backend.disclosure.errors import PublicationRefused
from weighhouse_backend.disclosure.publication import Leaving, PublicationService, stamp_of
from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.problems import FieldProblem, Problem
from weighhouse_backend.reports.compared import Compared
from weighhouse_backend.reports.errors import ReportInvalid
from weighhouse_backend.reports.followed import series_shelf, study_shelf
from weighhouse_backend.reports.items import Item, Resolved, Withdrawn
from weighhouse_backend.reports.published import published_shelf
from weighhouse_backend.reports.references import MOST_REFERENCES, marked, read, read_claim, wanted
from weighhouse_backend.reports.schemas import SourceWrite
from weighhouse_backend.reports.series_terms import SeriesTerms
from weighhouse_backend.reports.shelves import Shelf
from weighhouse_backend.sources.policy import require
from weighhouse_backend.sources.service import PublishedSourceService
from weighhouse_backend.studies.service import StudyService

GONE = "it is not there (any more), or is not of this project"
INSIDE = "what holds of a study here is told inside the organization"
MOST_LABELS = 4
Shelves = Mapping[str, Shelf]


@dataclass(frozen=True)
class SourceService:
    """Opens sources; changes nothing."""

    comparisons: ComparisonService
    watching: WatchService
    studies: StudyService
    published: PublishedSourceService
    publication: PublicationService
    series_terms: SeriesTerms

    def open(
        self,
        project_id: UUID,
        sources: Sequence[SourceWrite],
        audience: Audience,
        *,
        outside: bool = False,
    ) -> dict[str, Shelf]:
        """What there is to refer to, by the sources' names. What cannot be shown says why; whose
        it is, if it is another project's, is not told.

        :param audience: for whom; the publication policy is asked.
        :param outside: whoever reads it has no role in the project.
        """
        eyes = Caller("token", project_id, "report", {project_id: Role.VIEWER})
        return {one.name: self._open(eyes, project_id, one, audience, outside=outside)
                for one in sources}  # fmt: skip

    @staticmethod
    def insist(sources: Sequence[SourceWrite]) -> None:
        """Look whether sources can be kept.

        :raises ReportInvalid: naming the field: two with one name, or not one thing.
        """
        names: set[str] = set()
        for at, one in enumerate(sources):
            given = [one.campaign_id, one.comparison, one.series_id, one.study, one.published_id]
            if sum(each is not None for each in given) != 1:
                one_of = "campaign_id, comparison, series_id, study or published_id"
                raise _invalid(f"sources.{at}", "a source is of one thing", one_of)
            if one.name in names:
                raise _invalid(f"sources.{at}.name", f"{one.name} is there twice", "another name")
            names.add(one.name)

    def campaign_ids(self, sources: Iterable[SourceWrite]) -> set[UUID]:
        """Campaigns that sources show; those of studies are not shown outside."""
        found: set[UUID] = set()
        for one in sources:
            if one.campaign_id is not None:
                found.add(one.campaign_id)
            elif one.comparison is not None:
                named = [side.partition("~")[0] for side in one.comparison.side]
                found |= {known for text in named if (known := _id(text)) is not None}
                found |= {each for each in (one.comparison.campaign, one.comparison.base) if each}
            elif one.series_id is not None:
                found |= self.series_terms.campaign_ids(one.series_id)
        return found

    def _open(
        self, eyes: Caller, project_id: UUID, one: SourceWrite, audience: Audience, *, outside: bool
    ) -> Shelf:
        if one.study is not None and outside:
            return Shelf(_plain_label(one), withdrawn=INSIDE)
        try:
            if one.published_id is not None:
                return self._published(eyes, one.published_id, audience, outside=outside)
            return self._found(eyes, project_id, one, audience)
        except PublicationRefused as refused:
            reason = refused.detail
        except Problem as problem:
            gone = problem.status == 404  # noqa: PLR2004 - of HTTP
            reason = GONE if gone else problem.detail
        return Shelf(_plain_label(one), withdrawn=reason or GONE)

    def _published(
        self, eyes: Caller, source_id: UUID, audience: Audience, *, outside: bool
    ) -> Shelf:
        """:raises PublicationRefused: when it is not told what of it others may be shown."""
        read = self.published.read(eyes, source_id)
        require([read.source], "public" if outside else audience)
        return published_shelf(read)

    def _found(self, eyes: Caller, project_id: UUID, one: SourceWrite, audience: Audience) -> Shelf:
        if one.series_id is not None:
            return self._series(eyes, one.series_id, audience)
        if one.study is not None:
            study = self.studies.read(eyes, one.study, None, project_id, audience)

            def judge(claim: Claim) -> ClaimResult:
                return self.studies.judge(eyes, study.name, study.scale, project_id, claim)

            return study_shelf(study, (), judge)
        if one.comparison is not None:
            return self._compared(eyes, question_of(one.comparison), audience)
        return self._compared(eyes, Question(campaign_id=one.campaign_id), audience)

    def _compared(self, eyes: Caller, question: Question, audience: Audience) -> Shelf:
        chosen = self.comparisons.chosen(eyes, question)
        read = comparison_read(chosen)
        refused, stamp = self._terms(leaving(chosen.choice.sides), audience)
        labels = [side.label for side in read.sides]
        more = f" and {len(labels) - MOST_LABELS} more" if len(labels) > MOST_LABELS else ""
        numbers = dict.fromkeys(numbered(side.campaign_number) for side in read.sides)
        label = f"{' · '.join(labels[:MOST_LABELS])}{more} ({', '.join(numbers)})"
        so_far = read.completeness.words
        stamps = tuple(one for one in (stamp, so_far) if one)
        runs = {side.key: side.runs for side in chosen.shown.sides}
        return Compared(read, label, refused, stamps, runs, chosen.barred).shelf()

    def _series(self, eyes: Caller, series_id: UUID, audience: Audience) -> Shelf:
        series = self.watching.history.visible(eyes, series_id)
        leaves = self.series_terms.leaving(series)
        refused, stamp = self._terms(leaves, audience)
        shelf = series_shelf(self.watching.read(eyes, series_id), (stamp,) if stamp else ())
        if refused:
            reason = "; ".join(dict.fromkeys(refused.values()))
            return Shelf(shelf.label, withdrawn=reason)
        return shelf

    def _terms(
        self, leaves: Sequence[Leaving], audience: Audience
    ) -> tuple[dict[str, str], str | None]:
        """Targets that may not be shown to an audience, with the reason and what would mend it; and
        what has to stand on a document that only the organization may read.
        """
        if audience == "internal":
            return {}, stamp_of(self.publication.decisions(leaves, "public"))
        return {
            target: f"{one.reason}: {one.mend}"
            for one in self.publication.decisions(leaves, audience)
            if one.outcome != "allowed"
            for target in one.targets
        }, None


def resolve(text: str, shelves: Shelves) -> Resolved:
    """What all references of a text come to."""
    named = wanted(text)
    items = {one: _item(one, shelves) for one in named[:MOST_REFERENCES]}
    too_many = Withdrawn(reason=f"a report has at most {MOST_REFERENCES} references")
    items |= dict.fromkeys(named[MOST_REFERENCES:], too_many)
    used = {_source_of(one, shelves) for one in named}
    shown = [shelf for name, shelf in shelves.items() if name in used]
    return Resolved(
        items=items,
        notes={key: note for shelf in shown for key, note in shelf.notes.items()},
        stamps=tuple(dict.fromkeys(stamp for shelf in shown for stamp in shelf.stamps)),
    )


def _source_of(named: str, shelves: Shelves) -> str:
    """Which source is meant; a claim that names none is of the only one, if there is one alone."""
    reference = read_claim(named) or read(named)
    if reference is None:
        return ""
    return reference.source or (next(iter(shelves)) if len(shelves) == 1 else "")


def _item(named: str, shelves: Shelves) -> Item:
    reference = read_claim(named) or read(named)
    if reference is None:
        return Withdrawn(reason="this is no reference; choose one from what the editor offers")
    source = _source_of(named, shelves)
    shelf = shelves.get(source)
    if shelf is None:
        known = ", ".join(shelves) or "none"
        how = f"say of which source, as {marked('claim NAME: …')}"
        what = f"no source is called {source}" if source else how
        return Withdrawn(reason=f"{what}; those that there are: {known}")
    return shelf.item(reference)


def _plain_label(one: SourceWrite) -> str:
    if one.series_id is not None:
        return "a series"
    if one.study is not None:
        return f"the study {one.study}"
    if one.published_id is not None:
        return "what others published"
    return "a campaign" if one.campaign_id is not None else "a comparison"


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _invalid(path: str, message: str, expected: str) -> ReportInvalid:
    problem = FieldProblem(path=path, message=message, expected=expected)
    return ReportInvalid(f"{path}: {message}; {expected}", errors=[problem])

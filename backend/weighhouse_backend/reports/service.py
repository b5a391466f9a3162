"""Writes, saves, freezes and shows reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter
from weighhouse_protocol.text import AS_KEPT

from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.etags import etag, require_match
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.reports import editions
from weighhouse_backend.reports.documents import document, withdrawn
from weighhouse_backend.reports.errors import ReportHasEditions, ReportInvalid, ReportNotFound
from weighhouse_backend.reports.items import Content
from weighhouse_backend.reports.models import Report, ReportEdition, ReportRevision
from weighhouse_backend.reports.nodes import as_json
from weighhouse_backend.reports.repository import ReportRepository
from weighhouse_backend.reports.schemas import (
    DraftRead,
    DraftWrite,
    DrawnRead,
    EditionRead,
    EditionSummary,
    OfferRead,
    ReportCreate,
    ReportRead,
    ReportSummary,
    ReportWrite,
    RevisionRead,
    SharedReportRead,
    SourceRead,
    SourceWrite,
)
from weighhouse_backend.reports.shelves import Shelf
from weighhouse_backend.reports.sources import Shelves, SourceService, resolve
from weighhouse_backend.reports.templates import text_of

SOURCES = TypeAdapter(list[SourceWrite])
WIDER: Sequence[Audience] = ("internal", "others", "public")


@dataclass(frozen=True)
class ReportService:
    """Keeps reports; each saved text stays, as a revision."""

    repository: ReportRepository
    sources: SourceService
    clock: Clock

    def listed(
        self, caller: Caller, project_id: UUID | None, query: PageQuery
    ) -> Page[ReportSummary]:
        """Reports of the caller's projects, newest first.

        :raises NotFound: when the project is not the caller's.
        """
        if project_id is not None:
            caller.require(project_id)
        projects = caller.project_ids if project_id is None else [project_id]
        rows: Page[Report] = page_of(
            self.repository.session, self.repository.listed(projects), Report.id, query,
            lambda row: row,
        )  # fmt: skip
        counts = self.repository.counts([row.id for row in rows.items])
        return rows.of(read_of(ReportSummary, row, editions=counts.get(row.id, 0))
                       for row in rows.items)  # fmt: skip

    def create(self, caller: Caller, wanted: ReportCreate) -> ReportRead:
        """Begin a report out of a template; takes a member.

        :raises ReportInvalid: when the sources cannot be kept so.
        """
        caller.require(wanted.project_id, Role.MEMBER)
        self.sources.insist(wanted.sources)
        shelves = self.sources.open(wanted.project_id, wanted.sources, wanted.audience)
        now = self.clock.now()
        row = Report(
            project_id=wanted.project_id,
            title=wanted.title,
            template=wanted.template,
            revision=1,
            made_by=caller.name,
            created_at=now,
            changed_by=caller.name,
            changed_at=now,
        )
        self.repository.add(row)
        text = text_of(wanted.template, wanted.sources, _offers(shelves))
        saved = ReportWrite(title=wanted.title, text=text, sources=wanted.sources,
                            audience=wanted.audience)  # fmt: skip
        revision = self._keep(caller, row, saved)
        self._audit(caller, row, "created", template=wanted.template)
        return self._read(row, revision, shelves)

    def read(self, caller: Caller, report_id: UUID) -> ReportRead:
        """A report with what stands now.

        :raises ReportNotFound: when there is none for the caller.
        """
        row = self._visible(caller, report_id)
        revision = self._revision(row, row.revision)
        return self._read(row, revision, self._shelves(revision))

    def read_revision(self, caller: Caller, report_id: UUID, number: int) -> RevisionRead:
        """A report as somebody saved it.

        :raises ReportNotFound: when there is no such revision for the caller.
        """
        found = self._revision(self._visible(caller, report_id), number)
        return read_of(RevisionRead, found)

    def save(
        self, caller: Caller, report_id: UUID, wanted: ReportWrite, if_match: str | None
    ) -> ReportRead:
        """Save a text as the next revision; takes a member.

        :param if_match: tag of the revision that was edited.
        :raises Changed: when somebody saved another meanwhile; nothing is written.
        :raises ReportInvalid: when the sources cannot be kept so, or no revision is said.
        """
        row = self._visible(caller, report_id, lock=True)
        caller.require(row.project_id, Role.MEMBER)
        if if_match is None:
            raise ReportInvalid(
                f"If-Match: is missing; send the revision that was edited, {etag(row.revision)} now"
            )
        require_match(if_match, etag(row.revision))
        self.sources.insist(wanted.sources)
        row.revision += 1
        row.title = wanted.title
        row.changed_by, row.changed_at = caller.name, self.clock.now()
        revision = self._keep(caller, row, wanted)
        self._audit(caller, row, "saved", revision=row.revision)
        return self._read(row, revision, self._shelves(revision))

    def draft(self, caller: Caller, report_id: UUID, wanted: DraftWrite) -> DraftRead:
        """How a text would look; nothing is kept.

        :raises ReportInvalid: when the sources cannot be kept so.
        """
        row = self._visible(caller, report_id)
        self.sources.insist(wanted.sources)
        shelves = self.sources.open(row.project_id, wanted.sources, wanted.audience)
        about = self._about(row, row.revision)
        content = Content(title=wanted.title, text=wanted.text, about=about,
                          resolved=resolve(wanted.text, shelves))  # fmt: skip
        return DraftRead(document=drawn(content), sources=_sources(wanted.sources, shelves),
                         offers=_offers(shelves))  # fmt: skip

    def remove(self, caller: Caller, report_id: UUID) -> None:
        """Take a report away; takes a maintainer.

        :raises ReportHasEditions: when it has any: their addresses are permanent.
        """
        row = self._visible(caller, report_id, lock=True)
        caller.require(row.project_id, Role.MAINTAINER)
        if self.repository.editions(row.id):
            raise ReportHasEditions(f"“{row.title}” stays; what its editions show may be withdrawn")
        self._audit(caller, row, "removed")
        self.repository.remove(row)

    def freeze(self, caller: Caller, report_id: UUID) -> EditionRead:
        """Make an edition of the report as it stands; takes a member."""
        row = self._visible(caller, report_id, lock=True)
        caller.require(row.project_id, Role.MEMBER)
        revision = self._revision(row, row.revision)
        content = self._content(row, revision, self._shelves(revision))
        former = self.repository.editions(row.id)
        number = former[0].number + 1 if former else 1
        now = self.clock.now()
        lines = (*content.about, f"Edition {number}, {now:%Y-%m-%d %H:%M} UTC")
        content = content.model_copy(update={"about": lines})
        edition = ReportEdition(
            project_id=row.project_id,
            report_id=row.id,
            number=number,
            revision=row.revision,
            frozen=content.model_dump(mode="json"),
            digest=editions.digest(content),
            made_by=caller.name,
            created_at=now,
        )
        self.repository.add(edition)
        self._audit(caller, row, "frozen", edition=number, digest=edition.digest)
        return self._edition(row, edition)

    def read_edition(self, caller: Caller, report_id: UUID, number: int) -> EditionRead:
        """An edition, and what changed since.

        :raises ReportNotFound: when there is no such edition for the caller.
        """
        row = self._visible(caller, report_id)
        return self._edition(row, self._kept(row, number))

    def content(self, caller: Caller, report_id: UUID, edition: int | None) -> Content:
        """What a file of a report, or of one of its editions, is made of.

        :raises ReportNotFound: when there is none for the caller.
        """
        row = self._visible(caller, report_id)
        if edition is None:
            revision = self._revision(row, row.revision)
            return self._content(row, revision, self._shelves(revision))
        return self._still(row, self._kept(row, edition))[1]

    def of_project(self, caller: Caller, report_id: UUID) -> UUID:
        """The project of a report that the caller may see.

        :raises ReportNotFound: when there is none for the caller.
        """
        return self._visible(caller, report_id).project_id

    def campaign_ids(self, report_id: UUID) -> set[UUID]:
        """Campaigns that a report shows; for features that checked access."""
        row = self.repository.report(report_id)
        if row is None:
            return set()
        return self.sources.campaign_ids(_kept_sources(self._revision(row, row.revision)))

    def shown_in_editions(self, project_id: UUID) -> dict[UUID, str]:
        """Campaigns of a project whose figures editions show, and which; for those who delete.

        Without them an edition would say nothing any more; points of series stay as they stood.
        """
        found: dict[UUID, str] = {}
        for title, number, sources in self.repository.frozen(project_id):
            named = SOURCES.validate_python(sources, context=AS_KEPT)
            for one in self.sources.campaign_ids(each for each in named if not each.series_id):
                found.setdefault(one, f"edition {number} of the report “{title}” shows it")
        return found

    def outside(self, report_id: UUID, audience: Audience) -> SharedReportRead:
        """A report for people without a role in its project; access was checked.

        :param audience: for whom it is shared; the wider of this and the report's own counts.
        :raises ReportNotFound: when it is gone.
        """
        row = self.repository.report(report_id)
        if row is None:
            raise ReportNotFound
        revision = self._revision(row, row.revision)
        mine: Audience = revision.audience  # type: ignore[assignment]  # held by the table
        widest = max(mine, audience, key=WIDER.index)
        shelves = self.sources.open(row.project_id, _kept_sources(revision), widest, outside=True)
        content = self._content(row, revision, shelves)
        return SharedReportRead(title=content.title, document=drawn(content))

    def _visible(self, caller: Caller, report_id: UUID, *, lock: bool = False) -> Report:
        row = self.repository.report(report_id, lock=lock)
        if row is None or row.project_id not in caller.project_ids:
            raise ReportNotFound
        caller.require(row.project_id)
        return row

    def _revision(self, row: Report, number: int) -> ReportRevision:
        found = self.repository.revision(row.id, number)
        if found is None:
            raise ReportNotFound(f"the report has no revision {number}")
        return found

    def _kept(self, row: Report, number: int) -> ReportEdition:
        found = self.repository.edition(row.id, number)
        if found is None:
            raise ReportNotFound(f"the report has no edition {number}")
        return found

    def _shelves(self, revision: ReportRevision) -> dict[str, Shelf]:
        audience: Audience = revision.audience  # type: ignore[assignment]  # held by the table
        return self.sources.open(revision.project_id, _kept_sources(revision), audience)

    def _content(self, row: Report, revision: ReportRevision, shelves: Shelves) -> Content:
        return Content(
            title=revision.title,
            text=revision.text,
            about=self._about(row, revision.number),
            resolved=resolve(revision.text, shelves),
        )

    def _about(self, row: Report, revision: int) -> tuple[str, ...]:
        authors = self.repository.authors(row.id, revision)
        return (f"By {', '.join(authors)}", f"Revision {revision}, {row.changed_at:%Y-%m-%d}")

    def _still(self, row: Report, edition: ReportEdition) -> tuple[Content, Content, Content]:
        """An edition as it was kept; as it may be shown; and what it would say now."""
        kept = Content.model_validate(edition.frozen, context=AS_KEPT)
        revision = self._revision(row, edition.revision)
        now = resolve(kept.text, self._shelves(revision))
        shown = kept.model_copy(update={"resolved": editions.withheld(kept.resolved, now)})
        return kept, shown, kept.model_copy(update={"resolved": now})

    def _edition(self, row: Report, edition: ReportEdition) -> EditionRead:
        kept, shown, now = self._still(row, edition)
        return read_of(
            EditionRead,
            edition,
            title=kept.title,
            document=drawn(shown),
            changes=editions.changes(shown, now, edition.revision, row.revision),
        )

    def _read(self, row: Report, revision: ReportRevision, shelves: Shelves) -> ReportRead:
        return read_of(
            ReportRead,
            row,
            text=revision.text,
            audience=revision.audience,
            authors=self.repository.authors(row.id, revision.number),
            sources=_sources(_kept_sources(revision), shelves),
            document=drawn(self._content(row, revision, shelves)),
            editions=[
                read_of(EditionSummary, one) for one in self.repository.editions(row.id)
            ],
        )  # fmt: skip

    def _keep(self, caller: Caller, row: Report, wanted: ReportWrite) -> ReportRevision:
        revision = ReportRevision(
            project_id=row.project_id,
            report_id=row.id,
            number=row.revision,
            title=wanted.title,
            text=wanted.text,
            sources=[one.model_dump(mode="json", exclude_none=True) for one in wanted.sources],
            audience=wanted.audience,
            author=caller.name,
            created_at=self.clock.now(),
        )
        self.repository.add(revision)
        return revision

    def _audit(self, caller: Caller, row: Report, what: str, **details: Any) -> None:
        audit.record(
            self.repository.session,
            self.clock,
            actor=caller.name,
            action=f"report.{what}",
            subject=row.title,
            project_id=row.project_id,
            report=str(row.id),
            **details,
        )


def drawn(content: Content) -> DrawnRead:
    """A content as the API tells it."""
    return DrawnRead(nodes=as_json(document(content)), withdrawn=withdrawn(content))


def _kept_sources(revision: ReportRevision) -> list[SourceWrite]:
    return SOURCES.validate_python(revision.sources, context=AS_KEPT)


def _sources(sources: Sequence[SourceWrite], shelves: Shelves) -> list[SourceRead]:
    return [
        SourceRead(**one.model_dump(), label=shelves[one.name].label,
                   withdrawn=shelves[one.name].withdrawn)
        for one in sources
    ]  # fmt: skip


def _offers(shelves: Shelves) -> list[OfferRead]:
    return [one for name, shelf in shelves.items() for one in shelf.offered(name)]

"""Keeps, corrects, removes and shows published sources."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from weighhouse_judging.caveats.published import NO_VERDICT
from weighhouse_judging.findings.published import published_findings
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_backend.disclosure.schemas import Audience
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.etags import etag, require_match
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.sources import content
from weighhouse_backend.sources.errors import (
    PublishedResultsRefused,
    PublishedSourceNotFound,
    TooManyPublishedSources,
)
from weighhouse_backend.sources.models import PublishedSourceRow, PublishedSourceVersion
from weighhouse_backend.sources.policy import MEND, may_leave, require
from weighhouse_backend.sources.repository import PublishedSourceRepository
from weighhouse_backend.sources.schemas import (
    PublishedSideSummary,
    PublishedSourceRead,
    PublishedSourceSummary,
    PublishedVersionRead,
    finding_read,
)

MOST_SOURCES = 1_000
"""Of a project."""
MOST_VERSIONS = 50
"""Of a source."""


@dataclass(frozen=True)
class PublishedSourceService:
    """Published sources of projects; all that happens to one stands in the audit log."""

    repository: PublishedSourceRepository
    clock: Clock

    def listed(
        self, caller: Caller, query: PageQuery, project_id: UUID | None
    ) -> Page[PublishedSourceSummary]:
        """Those of a project, newest first; of all of the caller's when it is None.

        :raises NotFound: when the project is not the caller's.
        """
        if project_id is not None:
            caller.require(project_id)
        projects = caller.project_ids if project_id is None else [project_id]
        page: Page[PublishedSourceRow] = page_of(
            self.repository.session,
            self.repository.listed(projects),
            PublishedSourceRow.id,
            query,
            lambda row: row,
        )
        documents = self.repository.documents(page.items)
        return page.of(
            _summary(row, PublishedResults.model_validate(documents[row.id])) for row in page.items
        )

    def read(
        self, caller: Caller, source_id: UUID, number: int | None = None
    ) -> PublishedSourceRead:
        """One, in its latest version or another.

        :raises PublishedSourceNotFound: when there is none for the caller, or no such version.
        """
        row = self._visible(caller, source_id, self.repository.find(source_id))
        return self._read(row, row.version if number is None else number)

    def whole(
        self, caller: Caller, source_id: UUID, number: int | None, audience: Audience
    ) -> bytes:
        """The JSON of all of it, intervals and histograms included; raises as `read`.

        :raises PublicationRefused: when it is not told what of it others may be shown.
        """
        row = self._visible(caller, source_id, self.repository.find(source_id))
        version = self._version(row, number or row.version)
        require([PublishedResults.model_validate(version.document).source], audience)
        return content.unpacked(version.whole)

    def results(
        self, caller: Caller, source_ids: Collection[UUID]
    ) -> dict[UUID, tuple[PublishedSourceRow, PublishedResults]]:
        """The latest versions of several, without their bulk.

        :raises PublishedSourceNotFound: when one of them is not there for the caller.
        """
        rows = [
            self._visible(caller, one, self.repository.find(one))
            for one in dict.fromkeys(source_ids)
        ]
        documents = self.repository.documents(rows) if rows else {}
        return {row.id: (row, PublishedResults.model_validate(documents[row.id])) for row in rows}

    def keep(
        self, caller: Caller, project_id: UUID | None, sent: bytes
    ) -> tuple[PublishedSourceRead, bool]:
        """Keep results; whether they are new. The same results are kept once: who sends them again
        gets what is there. Takes a member.

        :raises PublishedResultsRefused: when it is no document of published results.
        :raises TooManyPublishedSources: when the project keeps as many as it may.
        """
        project = caller.project_or_only(project_id)
        caller.require(project, Role.MEMBER)
        results = content.read(sent)
        self.repository.hold(project)
        digest = content.digest(results)
        there = self.repository.same(project, digest)
        if there is not None:
            return self._read(there, there.version), False
        if self.repository.count(project) >= MOST_SOURCES:
            raise TooManyPublishedSources(
                f"a project keeps {MOST_SOURCES:,} published sources; remove those not needed"
            )
        now = self.clock.now()
        row = PublishedSourceRow(
            id=new_id(), project_id=project, version=1, title=results.source.title, digest=digest,
            kept_by=caller.name, kept_at=now, changed_at=now,
        )  # fmt: skip
        self.repository.add(row)
        self._add_version(caller, row, results, because="")
        self._audit(caller, row, "kept", sides=len(results.sides), cells=len(results.cells))
        return self._read(row, 1), True

    def correct(
        self, caller: Caller, source_id: UUID, sent: bytes, because: str, if_match: str | None
    ) -> PublishedSourceRead:
        """Put another version in the place of the latest, which is kept and shown; takes a member.

        :param if_match: tag of the version that was corrected; None: whatever is current.
        :raises PublishedSourceNotFound: when there is none for the caller.
        :raises PublishedResultsRefused: when it is no document of published results, or the same.
        :raises TooManyPublishedSources: when it has as many versions as it may.
        :raises Changed: when somebody else corrected it meanwhile.
        """
        row = self._visible(caller, source_id, self.repository.lock(source_id))
        caller.require(row.project_id, Role.MEMBER)
        require_match(if_match, etag(row.version))
        results = content.read(sent)
        digest = content.digest(results)
        self.repository.hold(row.project_id)
        if self.repository.same(row.project_id, digest) is not None:
            raise PublishedResultsRefused("nothing differs from what is kept already")
        if row.version >= MOST_VERSIONS:
            raise TooManyPublishedSources(
                f"a source has {MOST_VERSIONS} versions at most; keep it as another source"
            )
        row.version += 1
        row.title, row.digest = results.source.title, digest
        row.changed_at = self.clock.now()
        self._add_version(caller, row, results, because)
        self._audit(caller, row, "corrected", version=row.version, because=because)
        return self._read(row, row.version)

    def remove(self, caller: Caller, source_id: UUID) -> None:
        """Show one no more, anywhere; takes a member (a maintainer, where others kept it).

        :raises PublishedSourceNotFound: when there is none for the caller.
        """
        row = self._visible(caller, source_id, self.repository.lock(source_id))
        mine = row.kept_by == caller.name
        caller.require(row.project_id, Role.MEMBER if mine else Role.MAINTAINER)
        row.removed_at = self.clock.now()
        row.removed_by = caller.name
        self._audit(caller, row, "removed")

    def _visible(
        self, caller: Caller, source_id: UUID, row: PublishedSourceRow | None
    ) -> PublishedSourceRow:
        if row is None or row.project_id not in caller.project_ids:
            raise PublishedSourceNotFound(f"published source {source_id} is not there")
        return row

    def _version(self, row: PublishedSourceRow, number: int) -> PublishedSourceVersion:
        found = self.repository.version(row.id, number)
        if found is None:
            raise PublishedSourceNotFound(f"it has versions 1 to {row.version}")
        return found

    def _add_version(
        self, caller: Caller, row: PublishedSourceRow, results: PublishedResults, because: str
    ) -> None:
        shown = content.without_bulk(results)
        self.repository.add(
            PublishedSourceVersion(
                source_id=row.id, number=row.version, project_id=row.project_id,
                document=shown.model_dump(mode="json", exclude_defaults=True),
                whole=content.packed(results), digest=row.digest, because=because,
                made_by=caller.name, made_at=self.clock.now(),
            )
        )  # fmt: skip

    def _read(self, row: PublishedSourceRow, number: int) -> PublishedSourceRead:
        version = self._version(row, number)
        results = PublishedResults.model_validate(version.document)
        leaves = may_leave(results.source)
        return PublishedSourceRead(
            **vars(_summary(row, results)),
            shown=version.number,
            results=results,
            findings=[finding_read(one) for one in published_findings(results)],
            versions=[
                PublishedVersionRead(
                    number=one.number, because=one.because, made_by=one.made_by, made_at=one.made_at
                )
                for one in self.repository.versions(row.id)
            ],
            may_leave=leaves,
            mend="" if leaves else MEND,
            no_verdict=NO_VERDICT,
        )

    def _audit(self, caller: Caller, row: PublishedSourceRow, what: str, **details: Any) -> None:
        audit.record(
            self.repository.session,
            self.clock,
            actor=caller.name,
            action=f"published_source.{what}",
            subject=row.title,
            project_id=row.project_id,
            published_source=str(row.id),
            **details,
        )


def _summary(row: PublishedSourceRow, results: PublishedResults) -> PublishedSourceSummary:
    return PublishedSourceSummary(
        id=row.id,
        project_id=row.project_id,
        version=row.version,
        source=results.source,
        sides=[
            PublishedSideSummary(
                name=side.name,
                label=side.label,
                system=side.system,
                version=side.version,
                cells=sum(cell.side == side.name for cell in results.cells),
            )
            for side in results.sides
        ],
        cells=len(results.cells),
        kept_by=row.kept_by,
        kept_at=row.kept_at,
        changed_at=row.changed_at,
    )

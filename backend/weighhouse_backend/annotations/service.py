"""Writes, changes, removes and shows annotations."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from weighhouse_backend.annotations.errors import AnnotationNotFound
from weighhouse_backend.annotations.models import Annotation
from weighhouse_backend.annotations.repository import AnnotationRepository
from weighhouse_backend.annotations.schemas import (
    AnnotationCreate,
    AnnotationRead,
    AnnotationUpdate,
    PointSubject,
    RunSubject,
    SeriesSubject,
    Subject,
)
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.identity import audit
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.etags import etag, require_match
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.problems import FieldProblem, Forbidden, Invalid
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.series.history import HistoryService


@dataclass(frozen=True)
class AnnotationService:
    """Keeps annotations; all that happens to one stands in the audit log."""

    repository: AnnotationRepository
    runs: RunService
    history: HistoryService
    clock: Clock

    def listed(
        self,
        caller: Caller,
        query: PageQuery,
        *,
        run_ids: Collection[UUID] = (),
        series_ids: Collection[UUID] = (),
    ) -> Page[AnnotationRead]:
        """Annotations of the caller's projects, newest first."""
        return page_of(
            self.repository.session,
            self.repository.listed(caller.project_ids, run_ids=run_ids, series_ids=series_ids),
            Annotation.id,
            query,
            lambda row: _read(row, caller),
        )

    def write(self, caller: Caller, wanted: AnnotationCreate) -> AnnotationRead:
        """Write one; takes a member.

        :raises NotFound: when what it is of is not the caller's to see.
        :raises Invalid: when the series has no point of the campaign.
        """
        project_id = self._project(caller, wanted.subject)
        caller.require(project_id, Role.MEMBER)
        named = wanted.subject.model_dump(exclude={"kind"})
        row = Annotation(
            project_id=project_id,
            subject_kind=wanted.subject.kind,
            **named,
            at=wanted.at,
            text=wanted.text,
            author_id=caller.id if caller.kind == "user" else None,
            author=caller.name,
            version=1,
            created_at=self.clock.now(),
        )
        self.repository.add(row)
        self._audit(caller, row, "created", text=row.text)
        return _read(row, caller)

    def change(
        self, caller: Caller, annotation_id: UUID, wanted: AnnotationUpdate, if_match: str | None
    ) -> AnnotationRead:
        """Change one's own; a maintainer may change another's.

        :param if_match: tag of the version that was edited; None: whatever is current.
        :raises AnnotationNotFound: when there is none for the caller.
        :raises Changed: when it was changed meanwhile.
        """
        row = self._mine(caller, annotation_id, if_match)
        given = wanted.model_dump(exclude_unset=True)
        if given.get("text", "") is None:
            raise Invalid(
                "text: is null; to take an annotation away, DELETE it",
                errors=[FieldProblem(path="text", message="is null", expected="a text")],
            )
        changes = {
            name: [_plain(getattr(row, name)), _plain(value)]
            for name, value in given.items()
            if getattr(row, name) != value
        }
        if changes:
            for name in changes:
                setattr(row, name, given[name])
            row.version += 1
            row.edited_at = self.clock.now()
            self._audit(caller, row, "changed", changes=changes)
        return _read(row, caller)

    def remove(self, caller: Caller, annotation_id: UUID) -> None:
        """Remove one's own; a maintainer may remove another's. It is kept, and not shown.

        :raises AnnotationNotFound: when there is none for the caller.
        """
        row = self._mine(caller, annotation_id, None)
        row.removed_at = self.clock.now()
        row.removed_by = caller.name
        self._audit(caller, row, "removed", text=row.text)

    def _mine(self, caller: Caller, annotation_id: UUID, if_match: str | None) -> Annotation:
        row = self.repository.lock(annotation_id)
        if row is None or row.project_id not in caller.project_ids:
            raise AnnotationNotFound
        caller.require(row.project_id, Role.MEMBER)
        if not _wrote(caller, row) and not caller.roles[row.project_id].covers(Role.MAINTAINER):
            raise Forbidden(f"{row.author} wrote it; a maintainer may change what others wrote")
        require_match(if_match, etag(row.version))
        return row

    def _project(self, caller: Caller, subject: Subject) -> UUID:
        if isinstance(subject, RunSubject):
            return self.runs.visible(caller, subject.run_id).project_id
        series = self.history.visible(caller, subject.series_id)
        if isinstance(subject, PointSubject) and not self.history.has_point(
            series.id, subject.campaign_id
        ):
            problem = FieldProblem(
                path="subject.campaign_id",
                message="the series has no point of this campaign",
                expected="one of the campaigns of the series' points",
            )
            raise Invalid(f"{problem.path}: {problem.message}", errors=[problem])
        return series.project_id

    def _audit(self, caller: Caller, row: Annotation, what: str, **details: Any) -> None:
        audit.record(
            self.repository.session,
            self.clock,
            actor=caller.name,
            action=f"annotation.{what}",
            subject=f"{row.subject_kind} {row.run_id or row.series_id}",
            project_id=row.project_id,
            annotation=str(row.id),
            **details,
        )


def _wrote(caller: Caller, row: Annotation) -> bool:
    if caller.kind == "user":
        return row.author_id == caller.id
    return row.author_id is None and row.author == caller.name


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def _read(row: Annotation, caller: Caller) -> AnnotationRead:
    subject: Subject
    if row.run_id is not None:
        subject = RunSubject(kind="run", run_id=row.run_id)
    elif row.series_id is not None and row.campaign_id is not None:
        subject = PointSubject(kind="point", series_id=row.series_id, campaign_id=row.campaign_id)
    else:
        subject = SeriesSubject.model_validate({"kind": "series", "series_id": row.series_id})
    return read_of(AnnotationRead, row, subject=subject, mine=_wrote(caller, row))

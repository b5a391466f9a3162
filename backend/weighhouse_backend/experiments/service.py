"""Experiments and their revisions."""

import contextlib
import datetime
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.orm import Session
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.yaml_document import experiment_to_yaml

from weighhouse_backend.experiments.content import changes, content_hash, stored_form
from weighhouse_backend.experiments.errors import (
    ExperimentNotFound,
    ExperimentUnclear,
    RevisionNotFound,
    SlugChanged,
    SlugTaken,
    field_problems,
)
from weighhouse_backend.experiments.models import (
    STANDS_STILL,
    Experiment,
    ExperimentRevision,
    Schedule,
    ScheduleOccurrence,
)
from weighhouse_backend.experiments.repository import ExperimentRepository
from weighhouse_backend.experiments.schemas import (
    ChangeRead,
    DocumentSource,
    ExperimentRevisionRead,
    ExperimentSummary,
    LastCampaign,
    RevisionDiff,
    ScheduleOfSummary,
    TargetOfSummary,
)
from weighhouse_backend.experiments.validation import ValidationService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.etags import etag, require_match
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.problems import FieldProblem
from weighhouse_backend.kit.schemas import read_of

RESERVED_SLUGS = frozenset({"fairness", "validate"})
_READ = "documents that were read"
"""What stands where an experiment's slug does: `/experiments/validate`."""


@dataclass(frozen=True)
class Saved:
    """What saving a document led to."""

    experiment: Experiment
    created: bool
    """The experiment is new; else it had the slug already."""


@dataclass(frozen=True)
class ExperimentService:
    """Creates, revises, finds and compares experiments, within what the caller may see."""

    session: Session
    repository: ExperimentRepository
    validation: ValidationService
    clock: Clock

    def lost_dates(
        self, experiment_id: UUID, since: datetime.datetime
    ) -> Sequence[ScheduleOccurrence]:
        """Dates of its schedule on which nothing was started, oldest first; for features above,
        which check access.
        """
        return self.repository.lost_dates(experiment_id, since)

    def create(
        self, caller: Caller, project_id: UUID, source: DocumentSource, *, upsert: bool = False
    ) -> Saved:
        """Save a new experiment.

        :param upsert: when the project has the slug: make a new revision, if the document differs
            from the current one, instead of refusing.
        :raises ExperimentInvalid: naming all that is wrong with the document.
        :raises SlugTaken: when the slug is taken and `upsert` is not asked for.
        """
        caller.require(project_id, Role.MEMBER)
        document = self.validation.read(source, project_id)
        if document.slug in RESERVED_SLUGS:
            raise SlugTaken(f"{document.slug!r} is an address of its own; choose another slug")
        now = self.clock.now()
        made = self.repository.insert_experiment(
            {
                "id": new_id(),
                "project_id": project_id,
                "slug": document.slug,
                "name": document.name,
                "description": document.description,
                "owner_name": caller.name,
                "current_revision": 1,
                "targets": _targets(document),
                "created_at": now,
                "updated_at": now,
            }
        )
        if made is not None:
            self._add_revision(made, 1, document, caller.name)
            return Saved(made, created=True)
        existing = self.repository.by_slug([project_id], document.slug)[0]
        if not upsert:
            raise SlugTaken(
                f"the project has an experiment {document.slug!r}; choose another slug, "
                "or add a revision to it",
            )
        self._revise(self.repository.lock(existing.id), document, caller.name)
        return Saved(existing, created=False)

    def add_revision(
        self, caller: Caller, experiment: Experiment, source: DocumentSource, if_match: str | None
    ) -> ExperimentRevision:
        """Save a change as a new revision; one equal to the current makes none.

        :param if_match: tag of the revision that was edited; None: whatever is current.
        :returns: the revision that is current now.
        :raises ExperimentInvalid: naming all that is wrong with the document.
        :raises Changed: when another revision is current.
        """
        caller.require(experiment.project_id, Role.MEMBER)
        locked = self.repository.lock(experiment.id)
        require_match(if_match, etag(locked.current_revision))
        document = self.validation.read(source, locked.project_id)
        if document.slug != locked.slug:
            wrong = FieldError(
                "slug",
                f"this experiment is {locked.slug!r}",
                f"{locked.slug!r}, or a new experiment",
            )
            raise SlugChanged(wrong.message, errors=field_problems([wrong]))
        return self._revise(locked, document, caller.name)

    def find(
        self, caller: Caller, key: str, project_id: UUID | None = None, role: Role = Role.VIEWER
    ) -> Experiment:
        """An experiment by id or slug.

        :param project_id: where to look for a slug; default: all projects of the caller.
        :raises ExperimentNotFound: when there is none the caller may see.
        :raises ExperimentUnclear: when several of these projects have that slug.
        """
        found = self._by_key(caller, key, project_id)
        if found is None or found.project_id not in caller.project_ids:
            raise ExperimentNotFound(f"there is no experiment {key!r} in your projects")
        caller.require(found.project_id, role)
        return found

    def listed(
        self, caller: Caller, project_id: UUID | None, query: PageQuery
    ) -> Page[ExperimentSummary]:
        """The experiments of a project, or of all the caller's projects, newest first."""
        if project_id is not None:
            caller.require(project_id, Role.VIEWER)
        projects = [project_id] if project_id else list(caller.project_ids)
        page: Page[Experiment] = page_of(
            self.session,
            self.repository.listed(projects),
            Experiment.id,
            query,
            lambda experiment: experiment,
        )
        schedules = self.repository.schedules(experiment.id for experiment in page.items)
        archived = self.repository.archived({one.project_id for one in page.items})
        return page.of(
            summary(one, schedules.get(one.id), stands_still=one.project_id in archived)
            for one in page.items
        )

    def summary(self, experiment: Experiment) -> ExperimentSummary:
        """An experiment as the API shows it."""
        schedule = self.repository.schedules([experiment.id]).get(experiment.id)
        archived = self.repository.archived([experiment.project_id])
        return summary(experiment, schedule, stands_still=bool(archived))

    def revision(self, experiment_id: UUID, number: int) -> ExperimentRevision:
        """A revision of an experiment that was found before.

        :raises RevisionNotFound: when it has none of that number.
        """
        found = self.repository.revision(experiment_id, number)
        if found is None:
            raise RevisionNotFound(f"the experiment has no revision {number}")
        return found

    def revisions(self, experiment: Experiment, query: PageQuery) -> Page[ExperimentRevisionRead]:
        """The revisions of an experiment, newest first."""
        return page_of(
            self.session,
            self.repository.revisions(experiment.id),
            ExperimentRevision.id,
            query,
            read_revision,
        )

    def diff(self, experiment: Experiment, before: int, after: int) -> RevisionDiff:
        """What changed from one revision to another.

        :raises RevisionNotFound: when the experiment lacks one of them.
        """
        old, new = self.revision(experiment.id, before), self.revision(experiment.id, after)
        return RevisionDiff(
            changes=[
                ChangeRead(path=change.path, before=change.before, after=change.after)
                for change in changes(old.document, new.document)
            ]
        )

    def get(self, experiment_id: UUID) -> Experiment:
        """An experiment that is known to exist; for features above, which check access."""
        return self.session.get_one(Experiment, experiment_id)

    def with_slug(self, project_ids: Iterable[UUID], slug: str) -> list[UUID]:
        """Experiments of a slug, one a project at most; for features above, which check access."""
        return [one.id for one in self.repository.by_slug(project_ids, slug)]

    def called(self, project_ids: Iterable[UUID], text: str) -> Select[UUID]:
        """Experiments with a text in name or slug, not asked for yet; for features above, which
        check access.
        """
        return self.repository.called(project_ids, text)

    def get_many(self, experiment_ids: Collection[UUID]) -> dict[UUID, Experiment]:
        """Experiments by id; for features above, which check access."""
        return {one.id: one for one in self.repository.by_ids(experiment_ids)}

    def last_failed(self) -> Sequence[Experiment]:
        """Experiments whose latest campaign ended without a result; for features above."""
        return self.repository.last_failed()

    def document(self, revision_id: UUID) -> Document:
        """The document of a revision that is known to exist; for features above.

        Revisions do not change: a session reads each once, however often it is asked for.
        """
        read: dict[UUID, Document] = self.session.info.setdefault(_READ, {})
        if revision_id not in read:
            revision = self.session.get_one(ExperimentRevision, revision_id)
            read[revision_id] = Document.as_kept(revision.document)
        return read[revision_id]

    def current_documents(self, experiment_ids: Collection[UUID]) -> dict[UUID, Document]:
        """The documents of experiments' current revisions, by experiment, in one query; without
        those that cannot be read any more. For features above, which check access.
        """
        found = {}
        for revision in self.repository.current_revisions(experiment_ids):
            with contextlib.suppress(ValueError):
                found[revision.experiment_id] = self.document(revision.id)
        return found

    def note_campaign(
        self,
        experiment_id: UUID,
        *,
        campaign_id: UUID,
        state: str,
        verdict: str | None,
        finished_at: datetime.datetime | None,
    ) -> None:
        """Keep how the latest campaign stands; what is told of an earlier one is passed over.

        :param campaign_id: a UUIDv7, so that a later campaign has a greater one.
        """
        experiment = self.repository.lock(experiment_id)
        latest = experiment.last_campaign_id
        if latest is not None and latest > campaign_id:
            return
        experiment.last_campaign_id = campaign_id
        experiment.last_campaign_state = state
        experiment.last_campaign_verdict = verdict
        experiment.last_campaign_finished_at = finished_at

    def _by_key(self, caller: Caller, key: str, project_id: UUID | None) -> Experiment | None:
        try:
            return self.repository.by_id(UUID(key))
        except ValueError:
            projects = [project_id] if project_id else list(caller.project_ids)
            found = self.repository.by_slug(projects, key)
            if len(found) > 1:
                raise _unclear(key, found) from None
            return found[0] if found else None

    def _revise(
        self, experiment: Experiment, document: Document, author_name: str
    ) -> ExperimentRevision:
        current = self.revision(experiment.id, experiment.current_revision)
        if current.content_hash == content_hash(stored_form(document)):
            return current
        experiment.current_revision += 1
        experiment.name = document.name
        experiment.description = document.description
        experiment.targets = _targets(document)
        experiment.updated_at = self.clock.now()
        return self._add_revision(experiment, experiment.current_revision, document, author_name)

    def _add_revision(
        self, experiment: Experiment, number: int, document: Document, author_name: str
    ) -> ExperimentRevision:
        stored = stored_form(document)
        revision = ExperimentRevision(
            project_id=experiment.project_id,
            experiment_id=experiment.id,
            number=number,
            document=stored,
            content_hash=content_hash(stored),
            author_name=author_name,
            created_at=self.clock.now(),
        )
        self.session.add(revision)
        self.session.flush()
        return revision


def _unclear(slug: str, found: Sequence[Experiment]) -> ExperimentUnclear:
    named = ", ".join(str(one.project_id) for one in found)
    expected = f"one of {named}; or the experiment's id in the slug's place"
    return ExperimentUnclear(
        f"{slug!r} is an experiment of several of your projects: say which, by project_id",
        errors=[FieldProblem(path="project_id", message="is missing", expected=expected)],
    )


def _targets(document: Document) -> list[dict[str, str]]:
    return [{"name": target.name, "system_id": target.system} for target in document.targets]


def summary(
    experiment: Experiment, schedule: Schedule | None, *, stands_still: bool
) -> ExperimentSummary:
    """An experiment with its schedule, as the API shows it."""
    still = stands_still and schedule is not None and schedule.enabled
    last = experiment.last_campaign_id
    return read_of(
        ExperimentSummary,
        experiment,
        targets=[TargetOfSummary.model_validate(target) for target in experiment.targets],
        last_campaign=LastCampaign(
            id=last,
            state=(state := experiment.last_campaign_state or ""),
            status="running" if state == "paused" else state,
            verdict=experiment.last_campaign_verdict,
            finished_at=experiment.last_campaign_finished_at,
        )
        if last
        else None,
        schedule=ScheduleOfSummary(
            cron=schedule.cron,
            time_zone=schedule.time_zone,
            next_at=schedule.next_at if schedule.enabled and not still else None,
            enabled=schedule.enabled,
            problem=STANDS_STILL if still else schedule.problem,
        )
        if schedule
        else None,
    )


def read_revision(revision: ExperimentRevision) -> ExperimentRevisionRead:
    """A revision as the API shows it."""
    return read_of(
        ExperimentRevisionRead,
        revision,
        yaml=experiment_to_yaml(Document.as_kept(revision.document)),
    )

"""Finds what people wrote and measured, systems with their parameters, studies, pages of help."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args
from urllib.parse import quote
from uuid import UUID

from weighhouse_protocol import pages
from weighhouse_protocol.figures import CATALOGUE, UnknownFigure
from weighhouse_protocol.parameters import declared
from weighhouse_protocol.text import numbered

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.problems import BadCursor, FieldProblem, Invalid
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.search.excerpts import excerpt_of
from weighhouse_backend.search.help_pages import found_in, sections_of
from weighhouse_backend.search.repository import Found, SearchRepository
from weighhouse_backend.search.schemas import (
    FoundRead,
    GroupRead,
    HitRead,
    Kind,
    NightsRead,
    PieceRead,
)
from weighhouse_backend.studies.folders import read_studies

MOST_TERMS = 8
TITLE_LENGTH = 80
MOST_PAGES = 1_000
"""Hits of a kind that can be paged through."""
COURSE = "throughput"
KINDS: tuple[Kind, ...] = get_args(Kind)
STORED: tuple[Kind, ...] = (
    "experiment",
    "campaign",
    "commit",
    "series",
    "report",
    "source",
    "note",
)
"""Kinds that are in the index; systems are the catalogue's, studies and help are in files."""


@dataclass(frozen=True)
class Question:
    """What is searched for, and how much of it."""

    said: str
    kind: Kind | None
    project_id: UUID | None
    limit: int
    cursor: str | None


@dataclass(frozen=True)
class SearchService:
    """Searches; changes nothing."""

    repository: SearchRepository
    catalog: CatalogService
    settings: Settings

    def search(self, caller: Caller, asked: Question) -> FoundRead:
        """What has all words of a question, of what the caller may see: of one project, or of all
        of theirs that are not archived.

        :raises Invalid: when there is no word in it, or too many; or a cursor without its kind.
        :raises NotFound: when the project is not the caller's.
        """
        begin = _begin(asked)
        terms = self._terms(asked.said)
        if asked.project_id is not None:
            caller.require(asked.project_id)
            projects = [asked.project_id]
        else:
            projects = self.repository.in_use(caller.project_ids)
        kinds = KINDS if asked.kind is None else (asked.kind,)
        groups = self._stored(
            terms, projects, [one for one in STORED if one in kinds], asked, begin
        )
        if {"system", "parameter"} & set(kinds) and projects:
            groups |= self._systems(terms, projects, asked.limit, begin)
        if "study" in kinds:
            groups |= self._studies(terms, asked.limit, begin)
        if "help" in kinds:
            groups |= self._help(terms, asked.limit, begin)
        return FoundRead(groups=[groups[one] for one in kinds if one in groups])

    def shared(self, said: str, limit: int) -> list[UUID]:
        """Shares with the public whose titles have all words of a question; in a transaction that
        is not confined.

        :raises Invalid: as above.
        """
        return self.repository.shared(self._terms(said), limit)

    def _terms(self, said: str) -> list[str]:
        terms = self.repository.terms(said)
        if 0 < len(terms) <= MOST_TERMS:
            return terms
        message = f"{len(terms)} words" if terms else "no word and no number"
        raise Invalid(
            f"q: {message}; give up to {MOST_TERMS} words or numbers, or their beginnings",
            errors=[
                FieldProblem(
                    path="q", message=message, expected=f"1 to {MOST_TERMS} words or numbers"
                )
            ],
        )

    def _stored(
        self,
        terms: Sequence[str],
        projects: Sequence[UUID],
        kinds: Sequence[Kind],
        asked: Question,
        begin: int,
    ) -> dict[Kind, GroupRead]:
        if not kinds or not projects:
            return {}
        matches, cut = self.repository.matches(terms, projects, kinds)
        of_kind = {kind: [one for one in matches if one.kind == kind] for kind in kinds}
        shown = {kind: of_kind[kind][begin : begin + asked.limit] for kind in kinds}
        found = self.repository.entries([one for each in shown.values() for one in each])
        courses = self.repository.courses(
            [one.subject_id for one in shown.get("experiment", ())], COURSE
        )
        groups: dict[Kind, GroupRead] = {}
        for kind, several in shown.items():
            items = [
                _hit(kind, entry, terms)
                for one in several
                if (entry := found.get((one.kind, one.subject_id))) is not None
            ]
            for hit, one in zip(items, several, strict=False):
                if kind == "experiment" and (course := courses.get(one.subject_id)):
                    hit.nights = NightsRead(
                        figure=COURSE, series=course.series, values=course.values
                    )
            if items:
                groups[kind] = GroupRead(
                    kind=kind,
                    items=items,
                    more_cursor=_next(begin, asked.limit, len(of_kind[kind])),
                    is_cut=kind in cut,
                )
        return groups

    def _systems(
        self, terms: Sequence[str], projects: Sequence[UUID], limit: int, begin: int
    ) -> dict[Kind, GroupRead]:
        """Systems and parameters whose names and words have the terms, also within a word."""
        systems: list[tuple[bool, HitRead]] = []
        parameters: list[tuple[bool, HitRead]] = []
        for name, manifest in self.catalog.manifests(projects).items():
            path = f"/systems/{quote(name)}"
            about = f"{manifest.vendor} · {manifest.architecture}"
            said = f"{manifest.name} {name} {about}"
            if _has(said, terms):
                excerpt = excerpt_of(about, terms, inside=True)
                is_name = _has(f"{manifest.name} {name}", terms)
                systems.append((is_name, _plain("system", manifest.name, path, None, excerpt)))
            for parameter, schema in declared(manifest.parameters).items():
                words = " ".join(
                    str(schema[one]) for one in ("title", "description") if schema.get(one)
                )
                if _has(f"{parameter} {words} {manifest.name}", terms) and not _has(said, terms):
                    excerpt = excerpt_of(words, terms, inside=True)
                    hit = _plain(
                        "parameter", parameter, f"{path}?tab=parameters", manifest.name, excerpt
                    )
                    parameters.append((_has(parameter, terms), hit))
        groups: dict[Kind, GroupRead] = {}
        kinds: tuple[tuple[Kind, list[tuple[bool, HitRead]]], ...] = (
            ("system", systems), ("parameter", parameters),
        )  # fmt: skip
        for kind, ranked in kinds:
            ordered = [hit for _, hit in sorted(ranked, key=lambda one: not one[0])]
            if ordered[begin : begin + limit]:
                groups[kind] = _group(kind, ordered, limit, begin)
        return groups

    def _studies(self, terms: Sequence[str], limit: int, begin: int) -> dict[Kind, GroupRead]:
        """Studies whose titles, questions, answers and authors have the terms, also within a
        word.
        """
        found: list[tuple[bool, HitRead]] = []
        for folder in read_studies(self.settings.experiments_dir):
            study = folder.study
            authors = study.source.authors if study.source else ""
            words = f"{study.asks} {study.answers}"
            if _has(f"{study.title} {study.name} {authors} {words}", terms):
                path = f"/studies/{quote(study.name)}"
                excerpt = excerpt_of(words, terms, inside=True)
                hit = _plain("study", study.title, path, authors or None, excerpt)
                found.append((_has(study.title, terms), hit))
        ordered = [hit for _, hit in sorted(found, key=lambda one: not one[0])]
        shown = ordered[begin : begin + limit]
        return {"study": _group("study", ordered, limit, begin)} if shown else {}

    def _help(self, terms: Sequence[str], limit: int, begin: int) -> dict[Kind, GroupRead]:
        if self.settings.docs_dir is None:
            return {}
        found = found_in(sections_of(self.settings.docs_dir), terms)
        shown = found[begin : begin + limit]
        if not shown:
            return {}
        hits = [
            _plain(
                "help", one.title, one.path, None if one.title == one.page else one.page,
                excerpt_of(one.text, terms, inside=True),
            )
            for one in shown
        ]  # fmt: skip
        cursor = _next(begin, limit, len(found))
        return {"help": GroupRead(kind="help", items=hits, more_cursor=cursor, is_cut=False)}


def _begin(asked: Question) -> int:
    """:raises Invalid: when the cursor is none of ours, or its kind is not named."""
    if asked.cursor is None:
        return 0
    if asked.kind is None:
        message = "belongs to the kind whose part it is of"
        raise Invalid(
            f"cursor: {message}; give kind, too",
            errors=[FieldProblem(path="kind", message="is missing", expected="the group's kind")],
        )
    if not (asked.cursor.isascii() and asked.cursor.isdigit()) or int(asked.cursor) > MOST_PAGES:
        raise BadCursor
    return int(asked.cursor)


def _next(begin: int, limit: int, count: int) -> str | None:
    end = begin + limit
    return str(end) if end < min(count, MOST_PAGES) else None


def _group(kind: Kind, hits: Sequence[HitRead], limit: int, begin: int) -> GroupRead:
    return GroupRead(
        kind=kind,
        items=list(hits[begin : begin + limit]),
        more_cursor=_next(begin, limit, len(hits)),
        is_cut=False,
    )


def _has(said: str, terms: Sequence[str]) -> bool:
    small = said.lower()
    return all(term in small for term in terms)


def _plain(kind: Kind, title: str, path: str, of: str | None, excerpt: list[PieceRead]) -> HitRead:
    return HitRead(
        kind=kind, title=title, path=path, of=of, excerpt=excerpt, at=None, project_id=None
    )


def _hit(kind: Kind, found: Found, terms: Sequence[str]) -> HitRead:
    number = None if found.number is None else numbered(found.number)
    more = {"commit": number, "series": _figure(str(found.leads.get("metric")))}
    of = [found.experiment, more.get(kind)]
    title = found.title if kind != "note" else _short(found.title)
    return HitRead(
        kind=kind,
        title=title,
        path=_path(kind, found),
        of=" · ".join(one for one in of if one) or None,
        excerpt=_excerpt(kind, found, terms)
        or (excerpt_of(found.title, terms) if kind == "note" else []),
        at=found.at,
        project_id=found.project_id,
    )


def _figure(name: str) -> str:
    """What a figure is called on pages; its name where it is none of ours."""
    try:
        return CATALOGUE[name].label
    except UnknownFigure:
        return name


def _excerpt(kind: Kind, found: Found, terms: Sequence[str]) -> list[PieceRead]:
    """None of a series: all its words stand in its title. Of an experiment what it says of itself,
    else its slug, which its text begins with; of a campaign what each of its words is.
    """
    if kind == "series":
        return []
    if kind == "campaign":
        told = {
            "release": found.release,
            "started by": found.requested_by,
            "accepted:": found.accepted_note,
        }
        said = ", ".join(f"{what} {value}" for what, value in told.items() if value)
        return excerpt_of(said, terms)
    slug = str(found.leads["slug"]) if kind == "experiment" else ""
    return excerpt_of(found.text.removeprefix(slug), terms) or excerpt_of(slug, terms)


def _short(said: str) -> str:
    line = said.strip().split("\n", 1)[0]
    return line if len(line) <= TITLE_LENGTH else f"{line[: TITLE_LENGTH - 1]}…"


def _path(kind: Kind, found: Found) -> str:
    """Of the page that shows it."""
    own, leads = found.subject_id, found.leads
    match kind:
        case "experiment":
            path = pages.kept(f"/experiments/{quote(str(leads['slug']))}")
        case "campaign" | "commit":
            path = pages.campaign(own)
        case "series":
            path = pages.series(own, str(leads["metric"]))
        case "report":
            path = pages.kept(f"/reports/{own}")
        case "source":
            path = pages.published_source(own)
        case _ if "run_id" in leads:
            path = pages.run(leads["run_id"])
        case _ if "campaign_id" in leads:
            path = pages.campaign(leads["campaign_id"])
        case _:
            path = pages.kept(f"/history?series={leads['series_id']}")
    return pages.in_project(path, found.project_id)

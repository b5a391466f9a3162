"""Published results as sides: beside ours to be looked at, and in nothing that is concluded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.caveats.published import NO_VERDICT, PublishedBeside, published_caveats
from weighhouse_judging.findings.published import PublishedFinding, published_findings
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.published.cells import PublishedCell, PublishedSide
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_backend.campaigns.names import UNKNOWN_COLOUR, UNKNOWN_MARK
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.comparisons.errors import ComparisonUnclear
from weighhouse_backend.comparisons.published_schemas import PublishedSideRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.findings.caveats import caveats_read
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.sources.models import PublishedSourceRow
from weighhouse_backend.sources.schemas import finding_read
from weighhouse_backend.sources.service import PublishedSourceService

MOST_PUBLISHED = 20


@dataclass(frozen=True)
class ChosenPublished:
    """A side of a published source that is shown in a comparison."""

    row: PublishedSourceRow
    results: PublishedResults
    side: PublishedSide
    manifest: Manifest | None
    """Of the system it names, where that is one of the project's."""

    @property
    def key(self) -> str:
        """`SOURCE~SIDE`."""
        return f"{self.row.id}~{self.side.name}"

    @property
    def label(self) -> str:
        """What the side is called, without its source."""
        return self.side.label or self.side.system or self.side.name

    @property
    def cells(self) -> list[PublishedCell]:
        """Its own."""
        return [cell for cell in self.results.cells if cell.side == self.side.name]

    @property
    def found(self) -> list[PublishedFinding]:
        """What checks have to say of its cells, numbered among its own."""
        mine = self.results.model_copy(update={"cells": tuple(self.cells)})
        return published_findings(mine)


@dataclass(frozen=True)
class PublishedSideService:
    """Finds the published sides that somebody wants beside ours."""

    sources: PublishedSourceService
    catalog: CatalogService

    def chosen(self, caller: Caller, keys: Sequence[str]) -> list[ChosenPublished]:
        """Sides by their keys, `SOURCE~SIDE`, each once.

        :raises ComparisonUnclear: when one is no such key, or its source has no such side.
        :raises PublishedSourceNotFound: when a source is not the caller's to see.
        """
        named = [_parsed(key) for key in dict.fromkeys(keys)]
        if len(named) > MOST_PUBLISHED:
            raise ComparisonUnclear(f"{len(named)} published sides are more than {MOST_PUBLISHED}")
        found = self.sources.results(caller, [source_id for source_id, _ in named])
        projects = {row.project_id for row, _ in found.values()}
        manifests = {one: self.catalog.manifests([one]) for one in projects}
        return [_chosen(*found[source_id], name, manifests) for source_id, name in named]


def published_caveats_read(published: Sequence[ChosenPublished]) -> list[CaveatRead]:
    """What must stand beside published sides."""
    by_source: dict[UUID, list[ChosenPublished]] = {}
    for one in published:
        by_source.setdefault(one.row.id, []).append(one)
    beside = [
        PublishedBeside(
            str(source_id)[-12:],
            several[0].results.source,
            [one.key for one in several],
            [(one.key, found) for one in several for found in one.found],
        )
        for source_id, several in by_source.items()
    ]
    return caveats_read(published_caveats(beside))


def published_read(published: Sequence[ChosenPublished]) -> list[PublishedSideRead]:
    """Published sides as they are shown."""
    return [
        PublishedSideRead(
            key=one.key,
            label=one.label,
            source_id=one.row.id,
            source_version=one.row.version,
            source=one.results.source,
            system=one.side.system,
            version=one.side.version,
            sponsored=one.side.sponsor,
            colour=UNKNOWN_COLOUR if one.manifest is None else one.manifest.colour,
            mark=UNKNOWN_MARK if one.manifest is None else one.manifest.mark,
            cells=one.cells,
            findings=[finding_read(found) for found in one.found],
            no_verdict=NO_VERDICT,
        )
        for one in published
    ]


def _parsed(key: str) -> tuple[UUID, str]:
    source, _, side = key.partition("~")
    try:
        return UUID(source), side
    except ValueError as error:
        raise ComparisonUnclear(f"{key!r} is not SOURCE~SIDE") from error


def _chosen(
    row: PublishedSourceRow,
    results: PublishedResults,
    name: str,
    manifests: Mapping[UUID, Mapping[str, Manifest]],
) -> ChosenPublished:
    for side in results.sides:
        if side.name == name:
            known = manifests[row.project_id]
            return ChosenPublished(row, results, side, _manifest(known, side.system))
    raise ComparisonUnclear(f"{results.source.title!r} has no side {name!r}")


def _manifest(known: Mapping[str, Manifest], system: str) -> Manifest | None:
    """By identifier, or by name in whatever letters."""
    if system in known:
        return known[system]
    plain = system.strip().casefold()
    return next((one for one in known.values() if one.name.casefold() == plain), None)

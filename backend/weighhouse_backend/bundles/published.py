"""A bundle of another installation as published results: what importers hand on of it.

It is checked first, to the byte, and worked out again; what does not hold is refused. Figures are
what the bundle's own comparison says: medians over the repeats of a cell.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence

from weighhouse_imports.importer import Told
from weighhouse_imports.opened import ImportFile
from weighhouse_imports.refusals import Refused
from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_judging.arithmetic.intervals import CONFIDENCE
from weighhouse_protocol.bundles.archive import BundleError
from weighhouse_protocol.digits import number
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.load import ClosedLoad, OpenLoad
from weighhouse_protocol.percent import percent
from weighhouse_protocol.published.cells import PublishedCell, PublishedLoad, PublishedSide
from weighhouse_protocol.published.figures import ImportNote, PublishedFigure
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.published.source import PublishedFile, PublishedSource
from weighhouse_protocol.text import numbered, seen

from weighhouse_backend.bundles.crate import CRATE
from weighhouse_backend.bundles.opened import Opened
from weighhouse_backend.bundles.recomputation import COMPARISON
from weighhouse_backend.bundles.stored_rows import row_of
from weighhouse_backend.bundles.terms import PUBLISHED
from weighhouse_backend.bundles.verification import Verified, verified
from weighhouse_backend.comparisons.estimate_schemas import FigureRead
from weighhouse_backend.comparisons.estimates import figures_read
from weighhouse_backend.comparisons.sides import Side
from weighhouse_backend.measurements.models import RunSummary
from weighhouse_backend.measurements.packed_intervals import ALL
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.repeats import CellKey
from weighhouse_backend.runs.states import RunStatus

NAMED = 5
"""Differences that a refusal names."""
MOST_NOTES = 500
LABEL, SENTENCE, WORDS = 300, 4096, 65_536
DIGITS = 4
COUNTED = ("ok", "not_found", "errors", "verify_failed")
GIBIBYTE = 2**30
NS_IN_US = 1e-3


def published(file: ImportFile, told: Told) -> PublishedResults:
    """What a bundle publishes.

    :param told: its title alone is taken: a bundle says everything else itself.
    :raises Refused: when a byte of it is not as it was signed, when it tells what its histograms do
        not, or when there is nothing in it to publish.
    """
    with file.open() as stream:
        try:
            found = verified(stream)
            if found.differs:
                more = len(found.differs) - NAMED
                raise Refused(
                    "it tells what its histograms do not: "
                    + "; ".join(found.differs[:NAMED])
                    + (f"; and {more} more" if more > 0 else ""),
                    file.name,
                )
            return _results(found, file.told("bundle"), told)
        except BundleError as error:
            raise Refused(f"it is not as it was signed: {error}", file.name) from error


def _results(found: Verified, file: PublishedFile, told: Told) -> PublishedResults:
    again = found.again
    notes = [ImportNote(level="unknown", reason=one[:SENTENCE]) for one in again.found.left]
    if found.bundle.manifest.interim:
        reason = f"more may come of its campaign: {found.bundle.manifest.interim}"
        notes.append(ImportNote(level="doubtful", reason=reason[:SENTENCE]))
    cells: list[PublishedCell] = []
    for side in again.choice.sides:
        for name, runs in side.cells.cells.items():
            done = [run for run in runs if run.status == RunStatus.COMPLETED]
            if done:
                cells.append(_cell(found.bundle, side, name, done, file))
            else:
                reason = f"{side.target.name}, {', '.join(name)}: no repeat was completed"
                notes.append(ImportNote(level="unknown", reason=seen(reason)[:SENTENCE]))
    if not cells:
        raise Refused("holds no completed repeat", file.name)
    return PublishedResults(
        source=_source(found, told),
        sides=tuple(
            PublishedSide(
                name=side.target.name,
                label=seen(again.labels[side.key])[:LABEL],
                system=side.system_id,
                version=seen(side.version or "")[:LABEL],
            )
            for side in again.choice.sides
        ),
        cells=tuple(cells),
        notes=tuple(notes[:MOST_NOTES]),
    )


def _source(found: Verified, told: Told) -> PublishedSource:
    bundle = found.bundle
    campaign = found.again.told.campaign
    said = _crate_root(bundle)
    licence, manifest = str(said.get("license", "")), bundle.manifest
    ended = campaign.finished_at or campaign.created_at
    return PublishedSource(
        title=seen(told.title or manifest.title)[:LABEL]
        or f"campaign {numbered(manifest.campaign_number)}",
        authors=f"whoever holds the key sha256:{bundle.key_sha256}",
        date=ended.date().isoformat(),
        # What was given to somebody is not theirs to show on.
        licence=seen(licence)[:LABEL] if licence.startswith(PUBLISHED) else "",
        tool=seen(manifest.software)[:LABEL],
        raw_data=f"the bundle sha256:{bundle.manifest_sha256}, of which everything was worked out "
        "again as it was brought",
        disclaimer="\n".join(line for line in (licence, str(said.get("description", ""))) if line)[
            :WORDS
        ],
    )


def _crate_root(bundle: Opened) -> Mapping[str, object]:
    try:
        graph = bundle.json(CRATE)["@graph"]
        return next(one for one in graph if one["@id"] == "./")
    except (KeyError, TypeError, StopIteration) as error:
        raise BundleError(f"{CRATE}: it does not say what the bundle is") from error


def _cell(
    bundle: Opened, side: Side, cell: CellKey, done: Sequence[RunFigures], file: PublishedFile
) -> PublishedCell:
    workload, level = cell
    summaries = [one for run in done for one in _measured(bundle, run)]
    operations: dict[str, list[RunSummary]] = {}
    for one in summaries:
        if one.operation != ALL:
            operations.setdefault(one.operation, []).append(one)
    return PublishedCell(
        side=side.target.name,
        workload=workload,
        load=_load(side, level),
        seconds=sum(one.duration_seconds for one in summaries if one.operation == ALL) or None,
        machines=_machines(side, cell)[:SENTENCE],
        notes=f"Of {len(done)} completed repeats; times of operations out of the merged histograms "
        "of all of them stand beside.",
        figures=tuple(_figure(name, one) for name, one in figures_read(done).items()),
        outcomes={one: _counts(rows) for one, rows in operations.items()},
        histograms={one: _histogram(rows) for one, rows in operations.items()},
        histogram_unit_us=NS_IN_US if operations else None,
        files=(file,),
    )


def _counts(rows: Sequence[RunSummary]) -> dict[str, int]:
    """How operations of one kind ended, over all repeats."""
    counts = {what: sum(getattr(one, what) for one in rows) for what in COUNTED}
    return {what: many for what, many in counts.items() if many}


def _histogram(rows: Sequence[RunSummary]) -> str:
    """Of all repeats, merged."""
    merged = Histogram.merged([one.histogram for one in rows])
    return base64.b64encode(merged.encoded()).decode()


def _measured(bundle: Opened, run: RunFigures) -> Iterator[RunSummary]:
    for told in bundle.json(f"runs/{run.run_id}/summaries.json"):
        row = row_of(RunSummary, told)
        if row.phase == "measure":
            yield row


def _load(side: Side, level: str) -> PublishedLoad:
    load = next((one for one in side.document.load_levels if one.label == level), None)
    if isinstance(load, ClosedLoad):
        return PublishedLoad(
            clients=load.clients, pipeline=load.pipeline, loop="closed", label=level
        )
    if isinstance(load, OpenLoad):
        return PublishedLoad(rate=load.rate_per_second, loop="open", label=level)
    return PublishedLoad(label=level)


def _machines(side: Side, cell: CellKey) -> str:
    """What they are made of, each kind once."""
    told = [
        f"{one.cpu_model}, {one.cores} cores, {one.memory_bytes / GIBIBYTE:.3g} GiB of memory, "
        f"{one.operating_system}, Linux {one.kernel}"
        for one in side.seen[cell].place.seen
    ]
    return seen("; ".join(dict.fromkeys(told)))


def _figure(name: str, told: FigureRead) -> PublishedFigure:
    known = CATALOGUE[name]
    within = (
        f"{percent(CONFIDENCE, 0)} interval" if told.kind == "interval" else "from least to most"
    )
    spread = f"; {within}: {number(told.low, DIGITS)} to {number(told.high, DIGITS)}"
    return PublishedFigure(
        figure=name,
        value=told.median,
        printed=f"{number(told.median, DIGITS)} {known.unit}",
        statistic="unknown" if told.statistic == "mixed" else told.statistic,
        place=f"{COMPARISON}: median of {told.repeats} repeats{spread}"[:LABEL],
    )

"""The figures of a study's folder as published results, so that one check reads both. Pure."""

import re

from weighhouse_protocol.published.cells import PublishedCell, PublishedLoad, PublishedSide
from weighhouse_protocol.published.figures import PublishedFigure
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.published.source import PublishedSource

from weighhouse_judging.studies.documents import Study

_LOAD = re.compile(r"(?P<clients>\d+) clients?(?:, pipeline (?P<pipeline>\d+))?")


def results_of(study: Study) -> PublishedResults:
    """What a study's text prints.

    Its loops are not known: a claim says where the law of closed loops is asked.
    """
    source = study.source
    told = {} if source is None else {
        "authors": source.authors, "date": source.published_in, "licence": source.licence,
        "sponsor": source.sponsor, "quoted": source.quoted, "tool": source.tool,
        "machines": source.machines, "raw_data": source.raw_data, "disclaimer": source.disclaimer,
    }  # fmt: skip
    title = study.title if source is None else source.title
    cells: dict[tuple[str, str, str], list[PublishedFigure]] = {}
    for one in study.published:
        read = one.read
        cells.setdefault((one.side, one.workload, one.load), []).append(
            PublishedFigure(
                figure=one.figure, value=read.value,
                printed=one.printed, place=one.place, setting=one.setting,
            )
        )  # fmt: skip
    return PublishedResults(
        source=PublishedSource(title=title, **{name: text[:300] for name, text in told.items()}),
        sides=tuple(PublishedSide(name=one.name, label=one.label) for one in study.sides),
        cells=tuple(
            PublishedCell(side=side, workload=workload, load=_load(load), figures=tuple(figures))
            for (side, workload, load), figures in cells.items()
        ),
    )


def _load(label: str) -> PublishedLoad:
    found = _LOAD.fullmatch(label)
    if found is None:
        return PublishedLoad(label=label)
    pipeline = found["pipeline"]
    return PublishedLoad(
        clients=int(found["clients"]), pipeline=int(pipeline) if pipeline else None, label=label
    )

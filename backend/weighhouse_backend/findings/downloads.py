"""Histograms as answers to download."""

import re
from typing import Annotated, Any, Literal

from fastapi import Query, Response
from fastapi.responses import PlainTextResponse

from weighhouse_backend.findings.histograms import Phase, Wanted
from weighhouse_backend.kit.downloads import content_disposition
from weighhouse_backend.measurements.histogram_kinds import HistogramKind
from weighhouse_backend.results.histogram_files import (
    HistogramExport,
    as_hgrm,
    as_hlog,
    as_json,
)
from weighhouse_backend.results.histogram_schemas import HistogramRead

Form = Annotated[
    Literal["json", "hgrm", "hlog"],
    Query(
        alias="format",
        description="`hgrm`: the percentile text of HdrHistogram, in µs; `hlog`: its interval log, "
        "a line a run.",
    ),
]
TEXT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {"schema": {"type": "string"}}}}
}
"""What an endpoint answers besides JSON."""


def wanted_histogram(
    operation: Annotated[str, Query(max_length=63)] = "all",
    kind: Annotated[
        HistogramKind,
        Query(
            description="`response`: of the successes, from due to done; `service`: from sent to "
            "done, open loops alone; `asked`: of everything that was asked."
        ),
    ] = "response",
    phase: Phase = "measure",
) -> Wanted:
    """The query of a download."""
    return Wanted(operation, kind, phase)


def download(export: HistogramExport, form: str) -> HistogramRead | Response:
    """A histogram in the form asked for; texts with a name to be kept under."""
    if form == "json":
        return as_json(export)
    text = as_hgrm(export) if form == "hgrm" else as_hlog(export)
    name = f"{_name(export)}.{form}"
    return PlainTextResponse(text, headers={"Content-Disposition": content_disposition(name)})


def _name(export: HistogramExport) -> str:
    facts = export.facts
    one = f"repeat-{facts.repetitions[0]}" if len(facts.run_ids) == 1 else "all-repeats"
    name = facts.target_name if facts.target_name.isascii() else facts.target
    parts = (
        facts.so_far, f"campaign-{facts.campaign_number}", name, facts.workload,
        facts.load_level, one, facts.operation,
    )  # fmt: skip
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(parts).lower()).strip("-.")

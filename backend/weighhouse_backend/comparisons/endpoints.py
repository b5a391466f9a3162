"""Comparisons of sides."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from pydantic import Field

from weighhouse_backend.comparisons.answer_schemas import AnswerRead, CampaignHeadlineRead
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.dependencies import (
    ComparisonServiceDep,
    FootprintReadServiceDep,
    HeadlineServiceDep,
    SpectrumServiceDep,
)
from weighhouse_backend.comparisons.published_sides import MOST_PUBLISHED
from weighhouse_backend.comparisons.scaling import scaling_read
from weighhouse_backend.comparisons.scaling_schemas import FootprintRead, ScalingRead
from weighhouse_backend.comparisons.schemas import ComparisonRead, DistributionsRead
from weighhouse_backend.comparisons.service import answer_read, comparison_read, judged_figure
from weighhouse_backend.comparisons.sides import Question, cell_named
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.findings.downloads import TEXT, Form, download, wanted_histogram
from weighhouse_backend.findings.histograms import Wanted
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.results.histogram_schemas import HistogramRead

MOST_SIDES = 100
MOST_HEADLINES = 50

MOST_ASKED = 8
"""Percentiles beside the catalogue's."""

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1")


def _question(
    side: Annotated[
        list[Annotated[str, Field(max_length=200)]] | None,
        Query(max_length=MOST_SIDES, description="`CAMPAIGN~TARGET`, repeated"),
    ] = None,
    campaign: UUID | None = None,
    base: UUID | None = None,
    baseline: Annotated[int, Query(ge=0, le=MOST_SIDES)] = 0,
    cell: Annotated[
        str | None,
        Query(max_length=300, description="`WORKLOAD~LOAD`, such as `reads~8 clients`: it alone"),
    ] = None,
    published: Annotated[
        list[Annotated[str, Field(max_length=200)]] | None,
        Query(
            max_length=MOST_PUBLISHED,
            description="`SOURCE~SIDE` of a published source, repeated: stands beside the sides",
        ),
    ] = None,
) -> Question:
    named = None if cell is None else cell_named(cell)
    return Question(side or (), campaign, base, baseline, named, published or ())


QuestionDep = Annotated[Question, Depends(_question)]


def _released(
    caller: CallerDep,
    comparisons: ComparisonServiceDep,
    question: QuestionDep,
    audience: AudienceDep = "internal",
) -> Comparison:
    return comparisons.released(caller, question, audience)


ReleasedDep = Annotated[Comparison, Depends(_released)]
"""What somebody wants compared, and may take along for whom they say."""


@router.get("/comparisons", tags=["comparisons"])
def comparisons_compare(
    comparison: ReleasedDep,
    also: Annotated[
        list[Annotated[str, Field(max_length=20)]] | None,
        Query(max_length=MOST_ASKED, description="any percentile by its name: `p975_us` is p97.5"),
    ] = None,
) -> ComparisonRead:
    """Compare sides: `side` repeated, or all targets of `campaign`, or those of `campaign` each
    against itself in `base`. With `cell` that one alone is shown, with the verdict that it has
    among all of them. What is asked for with `also` is judged as a table of its own.
    """
    return comparison_read(comparison.with_figures(map(judged_figure, also or ())))


@router.get("/comparisons/answer", tags=["comparisons"])
def comparisons_read_answer(
    comparison: ReleasedDep,
    figure: Annotated[
        str | None,
        Query(
            max_length=63, description="Of which; each kind of load's primary figure when left out"
        ),
    ] = None,
    hidden: Annotated[
        list[Annotated[int, Field(ge=0, le=MOST_SIDES)]] | None,
        Query(max_length=MOST_SIDES, description="Places of sides that have no part in it, from 0"),
    ] = None,
) -> AnswerRead:
    """Who leads and how sure that is, by a figure of choice and among the sides on show, and what
    may be said of each side against its baseline. Verdicts are those of the whole comparison:
    hiding a side changes none of them.
    """
    return answer_read(comparison, figure, hidden or ())


@router.get("/headlines", tags=["campaigns"])
def comparisons_list_headlines(
    caller: CallerDep,
    comparisons: ComparisonServiceDep,
    headlines: HeadlineServiceDep,
    campaign: Annotated[
        list[UUID], Query(min_length=1, max_length=MOST_HEADLINES, description="Which, repeated")
    ],
    audience: AudienceDep = "internal",
) -> list[CampaignHeadlineRead]:
    """What campaigns came to, in the order asked for: who leads, how sure that is, and how much
    failed; the words that the comparison of their targets has, and letters and commands.
    """
    if audience != "internal":
        for one in campaign:
            comparisons.released(caller, Question(campaign_id=one), audience)
    return headlines.of(caller, campaign)


@router.get("/campaigns/{campaign_id}/caveats", tags=["campaigns"])
def comparisons_list_caveats(
    caller: CallerDep,
    comparisons: ComparisonServiceDep,
    campaign_id: UUID,
    audience: AudienceDep = "internal",
) -> list[CaveatRead]:
    """All that must stand beside a campaign's numbers, each thing once, the gravest first: the same
    list that the comparison of its targets has.
    """
    return comparisons.released(caller, Question(campaign_id=campaign_id), audience).caveats


@router.get("/comparisons/distributions", tags=["comparisons"])
def comparisons_read_distributions(
    spectra: SpectrumServiceDep,
    comparison: ReleasedDep,
    workload: Annotated[str, Query(max_length=200)],
    load_level: Annotated[str, Query(max_length=200, description="Its label: `8 clients`.")],
    operation: Annotated[str, Query(max_length=63)] = "all",
) -> DistributionsRead:
    """Latency by percentile of all sides at one cell, and by how much each percentile of a side is
    slower than its baseline's, each with its 95 % band. Out of histograms merged over the runs of a
    side; the bands from one run to the next.
    """
    return spectra.read(comparison, workload=workload, load_level=load_level, operation=operation)


@router.get("/comparisons/scaling", tags=["comparisons"])
def comparisons_read_scaling(
    comparison: ReleasedDep,
    law: Annotated[bool, Query(description="Without it the answer comes at once")] = True,
) -> ScalingRead:
    """How each side scales with its load under each workload: knee and saturation, and of clients
    the scaling efficiency X(n) / (n/n₀ × X(n₀)) and the Universal Scalability Law, both with their
    intervals. A load that is another one for each side is on no line.
    """
    return scaling_read(comparison, law=law)


@router.get("/comparisons/footprint", tags=["comparisons"])
def comparisons_read_footprint(
    footprints: FootprintReadServiceDep,
    comparison: ReleasedDep,
    workload: Annotated[str, Query(max_length=200)],
    load_level: Annotated[str, Query(max_length=200, description="Its label: `8 clients`.")],
) -> FootprintRead:
    """Memory and disk of all sides at one cell: before and after the load, after the run, the most
    that was sampled, and what the load added for each record. Of the system's processes and as the
    system tells it, apart.
    """
    return footprints.read(comparison, workload=workload, load_level=load_level)


@router.get(
    "/comparisons/histogram", tags=["comparisons"], response_model=HistogramRead, responses=TEXT
)
def comparisons_read_histogram(
    caller: CallerDep,
    comparisons: ComparisonServiceDep,
    spectra: SpectrumServiceDep,
    side: Annotated[str, Query(description="`CAMPAIGN~TARGET`")],
    workload: Annotated[str, Query(max_length=200)],
    load_level: Annotated[str, Query(max_length=200, description="Its label: `8 clients`.")],
    wanted: Annotated[Wanted, Depends(wanted_histogram)],
    form: Form = "json",
    audience: AudienceDep = "internal",
) -> HistogramRead | Response:
    """The histogram of one operation over all runs of a side at one cell, to keep: with the facts
    they were measured under and the statements that must stand beside it.
    """
    comparison = comparisons.released(caller, Question(sides=[side]), audience)
    export = spectra.histogram(comparison, workload=workload, load_level=load_level, wanted=wanted)
    return download(export, form)

"""What a finding is called, and what it says: one thing, told in one place."""

from dataclasses import replace

import pytest
from weighhouse_judging.caveats.caveat_list import Beside, OfRun, caveats
from weighhouse_judging.fairness.sheet import AspectRow
from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import CHECKS, MOST_WORDS, Finding
from weighhouse_judging.findings.comparison_checks import CellRepeats, SideBuild, check_comparison
from weighhouse_judging.findings.counted import BEGAN_ANEW, Asked, Reconciled
from weighhouse_judging.findings.observation import (
    ErrorsSeen,
    RunObservation,
    Sampled,
    SettingSeen,
)
from weighhouse_judging.findings.published import published_findings
from weighhouse_judging.findings.run_checks import check_run
from weighhouse_judging.identity.sides import Side
from weighhouse_protocol.published.cells import PublishedCell, PublishedLoad, PublishedSide
from weighhouse_protocol.published.figures import PublishedFigure
from weighhouse_protocol.published.results import PublishedResults
from weighhouse_protocol.published.source import PublishedSource
from weighhouse_protocol.target import Target

from .observations import FILLED, SOUND, course, faulty, found
from .reconciling import counted

DATA = replace(SOUND, record_bytes=1000, machine_memory_bytes=10**9)
GANG = replace(SOUND, interval_seconds=1.0)
STARVED = faulty(ok=0, not_found=1_000_000)

EXAMPLES: dict[str, RunObservation] = {
    "Throughput and latency contradict each other": replace(
        FILLED, everything=replace(FILLED.everything, mean_us=9000.0)
    ),
    "Latency leaves out clients' time": replace(
        FILLED, everything=replace(FILLED.everything, mean_us=600.0)
    ),
    "The client was the bottleneck": replace(SOUND, client_bound=True),
    "Driver shares the machine": replace(SOUND, co_located=True),
    "Read from caches that the load filled": replace(SOUND, reads=True, reads_disk=True),
    "Nobody said whether caches were cold": replace(
        SOUND, reads=True, reads_disk=True, data="keep"
    ),
    "The system did not tell everything": replace(SOUND, not_told=("INFO: NOPERM",)),
    "Somebody else used the server": counted(served=1100),
    "Answers did not come from this server": counted(served=900),
    "Replies were lost on the way": counted(Asked(found=980, unanswered=20)),
    "The client counted misses as found": counted(misses=900),
    "The server's counters began anew": replace(
        SOUND, reconciled=Reconciled("INFO", why_not=BEGAN_ANEW)
    ),
    "Too few samples in the tail": faulty(ok=10_000),
    "Not in a steady state": replace(
        SOUND, course=course([10_000.0 * 0.99**index for index in range(30)])
    ),
    "Steady state not assessable": replace(SOUND, course=course([10_000.0] * 5)),
    "Some answers are in no percentile": faulty(beyond_range=7),
    "What was never sent is not told": faulty(never_sent=None, answered_late=None, timeouts=9),
    "The rate was not reached": replace(SOUND, rate_per_second=20_000.0),
    "Percentiles were averaged": replace(SOUND, percentile_kind="averaged"),
    "Waits are left out of latencies": FILLED,
    "Operations failed": faulty(errors=50_000),
    "Records were not found": faulty(not_found=50_000),
    "Records were never loaded": replace(STARVED, records_loaded=0),
    "Records came back wrong": faulty(verify_failed=1),
    "Data was not loaded whole": replace(SOUND, records_loaded=999),
    "Data was gone before the measurement": replace(SOUND, records_held=999),
    "No record was there": replace(SOUND, sampled=Sampled(0, missing=1000)),
    "Records were not there": replace(SOUND, sampled=Sampled(600, missing=400)),
    "Records have another shape": replace(SOUND, sampled=Sampled(0, misshapen=1000)),
    "The cache held part of the records": replace(SOUND, fills=True, sampled=Sampled(9, missing=1)),
    "Loaded beside other records": replace(SOUND, held_before=5),
    "Repeats share records that writes change": replace(SOUND, data="once", writes=True),
    "Repeats share one load": replace(SOUND, data="once"),
    "Only some records are asked for": replace(SOUND, key_space=10**9),
    "Nothing was loaded": replace(SOUND, data="keep", sampled=Sampled(1000)),
    "The machine was not quiet": replace(SOUND, steal_percent=4.0),
    "Data fits into memory": DATA,
    "Data is larger than the cache": replace(DATA, cache_bytes=250_000),
    "Data takes most of the memory": replace(DATA, memory_limit_bytes=1_200_000),
    "Data does not fit": replace(DATA, data_memory_bytes=500_000),
    "Settings differ from the vendor's defaults": replace(
        SOUND, settings=(SettingSeen("appendonly", "yes", "no", "experiment"),)
    ),
    "A machine's clock was off": replace(
        GANG, clocks_off_seconds={"east": 1.5}, clock_errors_seconds={"west": 2.0}
    ),
    "A machine's clock is known too roughly": replace(GANG, clock_errors_seconds={"east": 1.5}),
    "Latency was understated": replace(SOUND, latency_understated=True, clients=4),
}
"""What a finding is called → a run of which it is said."""

SIDES = check_comparison(
    [
        AspectRow("durability", "Durability", ("a", "b"), False, True, "Why.", (),
                  "may_explain", ()),
    ],
    [CellRepeats("one", "balanced", "8 clients", "closed", 3)],
    [
        SideBuild(label, Side(Target(name="t", system="redis")), commit,
                  frozenset({("redis-server", "4f0c" * 16, "")}))
        for label, commit in (("one", "a" * 40), ("other", "b" * 40))
    ],
)  # fmt: skip


def published(load: PublishedLoad, **values: float) -> PublishedCell:
    """What somebody published of one load."""
    figures = tuple(PublishedFigure(figure=name, value=value) for name, value in values.items())
    return PublishedCell(side="theirs", load=load, figures=figures)


PUBLISHED = [
    one.finding
    for one in published_findings(
        PublishedResults(
            source=PublishedSource(title="A text"),
            sides=(PublishedSide(name="theirs"),),
            cells=(
                published(PublishedLoad(), p50_us=900.0, p99_us=100.0),
                published(PublishedLoad(clients=8, pipeline=1, rate=1e6, loop="open"),
                          throughput=8_000.0, mean_us=1_000.0),
                published(PublishedLoad(clients=8, rate=1_000.0, loop="closed")),
            ),
        )
    )
]  # fmt: skip


def test_every_outcome_of_every_check_has_an_example() -> None:
    told = {outcome.title for check in CHECKS for outcome in check.outcomes}
    assert told == EXAMPLES.keys() | {finding.title for finding in (*SIDES, *PUBLISHED)}


@pytest.mark.parametrize("title", EXAMPLES)
def test_a_run_is_called_what_its_text_says(title: str) -> None:
    assert title in {finding.title for finding in check_run(EXAMPLES[title])}


@pytest.mark.parametrize(
    "finding",
    [*(one for run in EXAMPLES.values() for one in check_run(run)), *SIDES, *PUBLISHED],
    ids=lambda finding: finding.title,
)
def test_a_text_has_the_words_of_its_own_outcome_alone(finding: Finding) -> None:
    outcomes = checks.BY_ID[finding.id].outcomes
    (own,) = (one for one in outcomes if one.title == finding.title)
    assert own.says in finding.message
    others = [one.says for one in outcomes if one.title != finding.title and one.says]
    assert not [says for says in others if says in finding.message]


def test_titles_are_short_forms_and_no_two_alike() -> None:
    titles = [outcome.title for check in CHECKS for outcome in check.outcomes]
    assert len(set(titles)) == len(titles)
    assert all(len(title.split()) <= MOST_WORDS for title in titles)


@pytest.mark.parametrize("title", EXAMPLES)
def test_a_chip_says_what_the_finding_is_called(title: str) -> None:
    told = check_run(EXAMPLES[title])
    found_of = [
        OfRun(1, "a", one.id, one.severity, one.title, one.message, "rule", "/docs/x")
        for one in told
    ]
    listed = caveats(Beside(["a"], runs=1, found=found_of))
    assert sorted((one.short, one.title, one.text) for one in listed) == sorted(
        (one.title, one.title, one.message) for one in told
    )


def test_a_text_that_is_of_no_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="none of its outcomes"):
        checks.MEMORY_FIT.found("info", "Who knows.", {})


def test_five_intervals_are_not_assessable_and_not_unsteady() -> None:
    told = found(replace(SOUND, course=course([10_000.0] * 5)))["steady-state"]
    assert (told.title, told.severity) == ("Steady state not assessable", "info")
    assert told.message.startswith("Not assessable: 5 intervals")


def test_what_was_never_loaded_was_neither_lost_nor_evicted() -> None:
    nothing = found(replace(STARVED, records_loaded=0))["not-found"]
    assert "put 0 of 1,000 records in place, and 1,000 were never loaded" in nothing.message
    assert "lost or evicted" not in nothing.message
    assert (nothing.numbers["records_asked"], nothing.numbers["records_loaded"]) == (1000, 0)
    half = replace(faulty(ok=500_000, not_found=500_000), records_loaded=500)
    assert "lost" not in found(half)["not-found"].message
    more = replace(faulty(ok=200_000, not_found=800_000), records_loaded=500)
    said = found(more)["not-found"].message
    assert "about 50.0\u2009% of all; the rest (30.0\u2009%) was lost" in said
    whole = found(faulty(not_found=50_000))["not-found"]
    assert "lost or evicted. All 1,000 records had been loaded." in whole.message
    unknown = found(replace(faulty(not_found=50_000), records_loaded=None))["not-found"]
    assert unknown.message.endswith("lost or evicted.")


def test_a_finding_of_errors_quotes_what_was_said_of_the_commonest() -> None:
    def seen(operation: str | None, kind: str, count: int, words: str | None) -> ErrorsSeen:
        return ErrorsSeen("measure", operation, kind, count, words)

    oom = "OOM command not allowed when used memory > 'maxmemory'."
    failures = [
        seen("read_modify_write", "full", 1_000, oom),
        seen("update", "full", 30_000, oom),
        seen("read", "timeout", 5, None),
        seen(None, "too_large", 4, "x" * 400),
        ErrorsSeen("load", "insert", "refused", 50_000, "READONLY"),
    ]
    said = found(replace(faulty(errors=50_000), failures=failures))["errors"].message
    assert (
        f"30,000 × update, full; 1,000 × read modify write, full: “{oom}”; 5 × read, timeout; "
        f"4 × too large: “{'x' * 299}…”."
    ) in said
    assert "READONLY" not in said, "of another phase"

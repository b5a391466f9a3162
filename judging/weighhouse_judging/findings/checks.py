"""What a finding is, and the catalogue of checks that make them. Pure.

A check looks at one run (or at the sides of a comparison) and either says nothing or says what it
found: with its numbers, its formula, the formula's source, and a page of documentation. The pages
stand in `docs/findings/`, one for each check below; a test keeps both lists the same.

What a finding is called is read off its text: pages, files and the command have its short form from
nowhere else, so that the two cannot say different things.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "caution", "error"]
Scope = Literal["run", "comparison"]
Number = float | int | str | bool | None

MOST_WORDS = 8
"""Of a title, which is the short form as well."""


@dataclass(frozen=True)
class Outcome:
    """One of the things that a check may have found."""

    title: str
    """At most eight words."""
    says: str = ""
    """Words that every text of this outcome has, and no other outcome's; empty: whatever else."""


@dataclass(frozen=True)
class Finding:
    """What a check has to say of a run or a comparison."""

    id: str
    severity: Severity
    title: str
    message: str
    numbers: Mapping[str, Number]
    formula: str
    source: str
    documentation: str
    scope: Scope


@dataclass(frozen=True)
class Check:
    """The constant part of a check's findings."""

    id: str
    outcomes: tuple[Outcome, ...]
    formula: str
    source: str
    scope: Scope = "run"

    @property
    def documentation(self) -> str:
        """Path of the check's page."""
        return f"/docs/findings/{self.id}"

    def title_of(self, message: str) -> str:
        """The short form of a text, whichever version of the check wrote it.

        :raises ValueError: when the text is of none of the outcomes.
        """
        for outcome in self.outcomes:
            if outcome.says in message:
                return outcome.title
        raise ValueError(f"{self.id}: a text that is none of its outcomes: {message}")

    def found(self, severity: Severity, message: str, numbers: Mapping[str, Number]) -> Finding:
        """A finding of this check."""
        return Finding(
            id=self.id,
            severity=severity,
            title=self.title_of(message),
            message=message,
            numbers=dict(numbers),
            formula=self.formula,
            source=self.source,
            documentation=self.documentation,
            scope=self.scope,
        )


LITTLES_LAW = Check(
    "littles-law",
    (Outcome("Throughput and latency contradict each other"),),
    "closed loop: throughput × (mean latency + think time) ≤ clients × pipeline; "
    "so the q-quantile ≤ clients × pipeline / (throughput × (1 - q))",
    "Little (1961), A Proof for the Queuing Formula L = λW, Operations Research 9(3); "
    "the bound on quantiles is Markov's inequality",
)
UNACCOUNTED_CLIENTS = Check(
    "unaccounted-clients",
    (Outcome("Latency leaves out clients' time"),),
    "closed loop: asked per second × (mean latency of everything asked + think time) "
    "≥ 80 % of clients × pipeline",
    "Little (1961), from below: a client that asks again at once is always waiting for an answer",
)
CLIENT_BOUND = Check(
    "client-bound",
    (Outcome("The client was the bottleneck"),),
    "driver CPU ≥ 90 % of its threads' cores, or p99(lag) > 10 % of p99(response), "
    "or event-loop delay past its limit",
    "the driver measures itself; limits by measurement of this project's engine",
)
CO_LOCATED = Check(
    "co-located",
    (Outcome("Driver shares the machine"),),
    "the attempt ran driver and system on one machine",
    "Tene, How NOT to Measure Latency (2015); Cooper et al., Benchmarking Cloud Serving Systems "
    "with YCSB (SoCC 2010), which keeps clients on machines of their own",
)
REPEATS = Check(
    "repeats",
    (Outcome("Too few repeats"),),
    "repeats a side ≥ 5; the smallest two-sided p of n against m repeats is 2 / C(n + m, n)",
    "Mann & Whitney (1947), Annals of Mathematical Statistics 18(1)",
    scope="comparison",
)
SAMPLES = Check(
    "samples",
    (Outcome("Too few samples in the tail"),),
    "operations × (1 - q) ≥ 10, for all operations together and for each kind",
    "the number of operations beyond the q-quantile is binomial: with 10 expected its relative "
    "standard deviation is 1/√10 = 32 %",
)
STEADY_STATE = Check(
    "steady-state",
    (Outcome("Steady state not assessable", "Not assessable"), Outcome("Not in a steady state")),
    "log throughput and log p99 of the intervals, divided where the level changes: "
    "min Σ (x - mean of its segment)² + 12 ln(n) σ² for each segment, σ² the long-run variance "
    "of an AR(1); levels 5 % (p99: 20 %) apart or more count",
    "Jackson et al. (2005), IEEE Signal Processing Letters 12(2); Chakar et al. (2017), "
    "Bernoulli 23(2); error rates: docs/findings/steady-state.md",
)
BEYOND_RANGE = Check(
    "beyond-range",
    (Outcome("Some answers are in no percentile"),),
    "answers beyond the range of the histograms = 0",
    "counted by the driver or tool whose histograms end somewhere: this project's did at 60 s",
)
RATE_NOT_REACHED = Check(
    "rate-not-reached",
    (Outcome("The rate was not reached"),),
    "open loop: nothing was never sent, and answered within the phase ≥ due - max(1 % of due, "
    "rate × min(0.25 s, 5 % of the phase) where the rest came later) - 4 √due",
    "due = rate × seconds; the last term is what Poisson arrivals may lack by chance (4 standard "
    "deviations)",
)
NEVER_SENT_UNTOLD = Check(
    "never-sent-untold",
    (Outcome("What was never sent is not told"),),
    "open loop whose driver does not tell what was never sent: timeouts = 0, beyond range = 0, and "
    "seconds measured ≤ 1.01 × seconds asked for",
    "drivers of this project before they told each outcome apart, and load tools that do not",
)
AVERAGED_PERCENTILES = Check(
    "averaged-percentiles",
    (Outcome("Percentiles were averaged"),),
    "a mean (or largest) of the percentiles of intervals or connections ≠ the percentile of all "
    "operations",
    "Tene, How NOT to Measure Latency (2015); a mean of percentiles is a percentile of nothing",
)
PERCENTILE_ORDER = Check(
    "percentile-order",
    (Outcome("Percentiles are out of order"),),
    "of the same operations, a higher percentile ≥ every lower one, over all values that the "
    "printed ones may have been rounded from",
    "a distribution function never falls",
)
CLOSED_AS_OPEN = Check(
    "closed-as-open",
    (
        Outcome("A rate asked of clients that wait", "clients that wait for their answers"),
        Outcome("A closed loop is reported as open"),
    ),
    "open loop: where the rate was not kept, throughput × mean latency ≠ clients × pipeline; "
    "a rate belongs to an open loop",
    "Schroeder et al., Open Versus Closed: A Cautionary Tale (NSDI 2006); Little (1961)",
)
COORDINATED_OMISSION = Check(
    "coordinated-omission",
    (Outcome("Waits are left out of latencies"),),
    "in a closed loop a stall delays the next requests, which are then never timed",
    "Tene, How NOT to Measure Latency (2015)",
)
ERRORS = Check(
    "errors",
    (Outcome("Operations failed"),),
    "failed / (ok + not found + failed): caution above 0.1 %, error above 1 %",
    "a practical limit; throughput counts successes alone",
)
NOT_FOUND = Check(
    "not-found",
    (Outcome("Records were never loaded", "never loaded"), Outcome("Records were not found")),
    "not found / (ok + not found) ≤ 1 %",
    "keys not yet acknowledged are never read, so a missing record that was loaded is lost or "
    "evicted",
)
VERIFICATION = Check(
    "verification",
    (Outcome("Records came back wrong"),),
    "verify_failed = 0",
    "each value is a function of seed, key and version, and is checked on a share of reads",
)
LOAD_COMPLETE = Check(
    "load-complete",
    (
        Outcome("Data was gone before the measurement", "evicted or lost"),
        Outcome("Data was not loaded whole"),
    ),
    "records acknowledged in the load phase = records asked for, and records that the system says "
    "it holds ≥ that",
    "counted by the driver; told by the system itself where it can",
)
DATA_FOUND = Check(
    "data-found",
    (
        Outcome("No record was there", "None of"),
        Outcome("Records were not there", "were not there"),
        Outcome("Records have another shape", "not the workload's shape"),
        Outcome("The cache held part of the records", "were in the cache"),
        Outcome("Loaded beside other records", "loaded beside"),
        Outcome("Repeats share records that writes change", "writes change"),
        Outcome("Repeats share one load", "share one load"),
        Outcome("Only some records are asked for", "asks for keys of"),
        Outcome("Nothing was loaded", "Nothing was loaded"),
    ),
    "records found in a sample of up to 1,000, whole, drawn alike from all that the workload asks "
    "for = records sampled; records held before the campaign's first load = 0; records asked for = "
    "record_count",
    "read by the driver before anything else; told by the system itself where it can",
)
CACHES_UNSAID = Check(
    "caches-unsaid",
    (
        Outcome("Read from caches that the load filled", "that the load had filled"),
        Outcome("Nobody said whether caches were cold", "is not known"),
    ),
    "reads may go to disk, bytes of records of a node ≤ 4 × its memory, and `caches` is left out",
    "the operating system keeps what was written in memory: Linux, "
    "Documentation/admin-guide/mm/concepts.rst, 'Page cache'",
)
ENVIRONMENT = Check(
    "environment",
    (Outcome("The machine was not quiet"),),
    "over the measured phase: mean steal time ≤ 1 %, CPU used by other programs ≤ 10 % of the "
    "cores (median), nothing swapped, no throttling; frequency governor `performance` where there "
    "is one",
    "Linux /proc/stat, /proc/vmstat, cpu.stat of the control group, thermal_throttle and cpufreq",
)
MEMORY_FIT = Check(
    "memory-fit",
    (
        Outcome("Data does not fit", "cannot be held"),
        Outcome("Data takes most of the memory", "memory and storage together"),
        Outcome("Data is larger than the cache", "past the system's cache"),
        Outcome("Data fits into memory", "memory and caches"),
    ),
    "records loaded and inserted × bytes a record × copies against the least of: what the system "
    "itself gives to records, its limit, the machine's memory (of all nodes)",
    "bytes a record as the system's manifest says they were measured; payload alone where it does "
    "not, a lower bound",
)
EFFECTIVE_CONFIGURATION = Check(
    "effective-configuration",
    (Outcome("Settings differ from the vendor's defaults"),),
    "effective value ≠ vendor's default",
    "read from the running system",
)
NOT_TOLD = Check(
    "not-told",
    (Outcome("The system did not tell everything"),),
    "questions of configuration, memory, keys, statistics or version that the system refused",
    "the system's own words",
)
RECONCILIATION = Check(
    "reconciliation",
    (
        Outcome("Somebody else used the server", "asked by somebody else"),
        Outcome("Answers did not come from this server", "did not come from it"),
        Outcome("Replies were lost on the way", "lost on the way"),
        Outcome("The client counted misses as found", "counted as found"),
        Outcome("The server's counters began anew", "began anew"),
    ),
    "calls that the server counted = operations asked = answers, and keys that it found = records "
    "found, within 0.1 %; error above 1 %",
    "the server's own counters before the first and after the last phase, less each other",
)
COMPARABILITY = Check(
    "comparability",
    (Outcome("Conditions differ"),),
    "durability, acknowledgement, reads and the rest of the fairness sheet agree",
    "read from targets, plugins and machines",
    scope="comparison",
)
SAME_PROGRAM = Check(
    "same-program",
    (Outcome("The same program under two versions"),),
    "executables of two versions or commits have different digests, or their settings differ",
    "SHA-256 of /proc/PID/exe, and of what it has mapped and open",
    scope="comparison",
)
CLOSED_LOOP_LATENCY = Check(
    "closed-loop-latency",
    (Outcome("Latencies at different throughputs"),),
    "closed loop: latency = clients / throughput, so both say one thing",
    "Little (1961); Schroeder et al., Open Versus Closed: A Cautionary Tale (NSDI 2006)",
    scope="comparison",
)
CLOCK_OFFSET = Check(
    "clock-offset",
    (
        Outcome("A machine's clock is known too roughly", "How far the clock of"),
        Outcome("A machine's clock was off"),
    ),
    "|server's clock - agent's clock| of every member of a gang ≤ the interval, and known to "
    "within it",
    "four timestamps an exchange, the one of the least round trip (RFC 5905, section 8)",
)
LATENCY_UNDERSTATED = Check(
    "latency-understated",
    (Outcome("Latency was understated"),),
    "driver over a client library, version below 0.2, closed loop",
    "measured against Little's law: throughput × mean was 42 to 64 % of 4 to 16 clients",
)
CHECKS: tuple[Check, ...] = (
    LITTLES_LAW, UNACCOUNTED_CLIENTS, CLIENT_BOUND, CO_LOCATED, REPEATS, SAMPLES, STEADY_STATE,
    RATE_NOT_REACHED, AVERAGED_PERCENTILES, COORDINATED_OMISSION, ERRORS, NOT_FOUND, VERIFICATION,
    LOAD_COMPLETE, DATA_FOUND, CACHES_UNSAID, ENVIRONMENT, MEMORY_FIT, EFFECTIVE_CONFIGURATION,
    COMPARABILITY,
    CLOSED_LOOP_LATENCY, CLOCK_OFFSET, LATENCY_UNDERSTATED, BEYOND_RANGE, NEVER_SENT_UNTOLD,
    NOT_TOLD, RECONCILIATION, SAME_PROGRAM, PERCENTILE_ORDER, CLOSED_AS_OPEN,
)  # fmt: skip
"""Every check there is."""

BY_ID: Mapping[str, Check] = {check.id: check for check in CHECKS}
"""The same by id."""


def title_of(check: str, message: str, otherwise: str) -> str:
    """The short form of a stored text.

    :param otherwise: what it was called, for checks that are no more.
    """
    known = BY_ID.get(check)
    return otherwise if known is None else known.title_of(message)

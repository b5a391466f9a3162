"""Was done what was asked? Checks of a run. Pure."""

import math
from typing import Literal

from weighhouse_protocol.digits import number
from weighhouse_protocol.percent import percent

from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.findings.counted import FILL
from weighhouse_judging.findings.observation import RunObservation
from weighhouse_judging.findings.words import LONGEST_WORDS, cut

ERRORS_CAUTION, ERRORS_ERROR = 0.001, 0.01
NOT_FOUND_LIMIT = 0.01
RATE_SHORTFALL = 0.01
"""Share of the rate that may be missing: the last operations return after the phase's end …"""
UNDER_WAY_SECONDS = 0.25
"""… and so many seconds' worth of it, in a short phase …"""
UNDER_WAY_SHARE = 0.05
"""… but no more than this share of it."""
DRAINED = 0.01
"""So much longer than asked, as a share, that more than the phase was measured."""
RATE_ERROR = 0.1
MOST_TOLD = 4
"""Errors by operation and kind that a finding names."""
CHANCE = 4.0
"""Standard deviations of a Poisson count that arrivals may lack by chance."""


def rate_not_reached(run: RunObservation) -> Finding | None:
    """Did an open loop do what was due?"""
    if run.load_model != "open" or not run.rate_per_second or not run.seconds:
        return None
    figures, rate = run.everything, run.rate_per_second
    untold = figures.never_sent is None or figures.answered_late is None
    # Where it is not told, all that came back is as much as can have been done.
    done = figures.asked - (figures.answered_late or 0) - _unscheduled(run)
    due = rate * run.seconds
    if run.asked_operations is not None:
        due = min(due, float(run.asked_operations))
    chance = CHANCE * math.sqrt(due) if run.arrival == "poisson" else 0.0
    seconds = min(UNDER_WAY_SECONDS, UNDER_WAY_SHARE * run.seconds)
    under_way = max(due * RATE_SHORTFALL, rate * seconds if figures.answered_late else 0)
    # The end of the phase may fall before the last of the operations due.
    if not figures.never_sent and done >= due - under_way - chance - 1.0:
        return never_sent_untold(run) if untold else None
    share, missing = done / due, max(0.0, due - done)
    message = (
        f"{done:,.0f} of {due:,.0f} operations that were due in {number(run.seconds)} s came back "
        f"in that time ({percent(share)}): {number(done / run.seconds)} of {number(rate)} a second."
        f"{_what_became_of_the_others(run)} {_who_was_the_limit(run)} Response times grow for as "
        "long as such a rate lasts, and depend on how long was measured."
    )
    severity: Literal["caution", "error"] = "error" if 1.0 - share > RATE_ERROR else "caution"
    if run.broken_on_purpose:
        severity = "caution"
        message += " The system was broken on purpose meanwhile."
    numbers: dict[str, Number] = {
        "rate_per_second": rate,
        "done_per_second": done / run.seconds,
        "share": share,
        "operations_missing": missing,
        "answered_late": figures.answered_late,
        "never_sent": figures.never_sent,
        "seconds": run.seconds,
    }
    return checks.RATE_NOT_REACHED.found(severity, message, numbers)


def _unscheduled(run: RunObservation) -> int:
    """Fills that came back in the phase: they follow from reads, and no schedule has them."""
    fills = run.operations.get(FILL)
    return 0 if fills is None else fills.asked - (fills.answered_late or 0)


def never_sent_untold(run: RunObservation) -> Finding | None:
    """Did an open loop's driver not tell what was never sent, where that may change its figures?

    Drivers of before counted it as timeouts, and as far as the histograms reached not at all; they
    measured until the last answer, so that rates are of the phase and of what came after it.
    """
    figures, asked = run.everything, run.asked_seconds
    drained = 0.0 if asked is None or run.seconds is None else run.seconds - asked
    wrong = []
    if figures.timeouts:
        wrong.append(f"of {figures.timeouts:,} timeouts some may never have reached the system")
    if figures.beyond_range:
        wrong.append(f"so may some of {figures.beyond_range:,} beyond the range of the histograms")
    if asked is not None and drained > DRAINED * asked:
        wrong.append(
            f"{number(asked + drained)} s were measured where {number(asked)} s were asked for, "
            "so that rates are of the phase and of what came back after it"
        )
    if not wrong:
        return None
    message = (
        f"The driver did not tell what was due and never sent: {'; '.join(wrong)}. Whether the "
        "rate was reached cannot be said of such figures."
    )
    numbers: dict[str, Number] = {
        "timeouts": figures.timeouts,
        "beyond_range": figures.beyond_range,
        "seconds": run.seconds,
        "asked_seconds": asked,
    }
    return checks.NEVER_SENT_UNTOLD.found("caution", message, numbers)


def _what_became_of_the_others(run: RunObservation) -> str:
    late, never = run.everything.answered_late or 0, run.everything.never_sent or 0
    if late and never:
        return f" {late:,} came back later, {never:,} were never sent."
    if late:
        return f" {late:,} came back later."
    return f" {never:,} were never sent." if never else ""


def _who_was_the_limit(run: RunObservation) -> str:
    if run.client_bound:
        return "The system cannot keep this rate, or the driver, which was at its own limit."
    if run.saturated and run.places is not None:
        return (
            f"All {run.places:,} operations that may be under way at once (max_in_flight) were: "
            "the system cannot keep this rate at so many."
        )
    return "The system cannot keep this rate."


def what_was_said(run: RunObservation, phase: str) -> str:
    """The commonest errors of a phase, and the words of whoever told of them; each words once."""
    failed = sorted((one for one in run.failures if one.phase == phase), key=lambda one: -one.count)
    told: dict[str | None, list[str]] = {}
    for one in failed[:MOST_TOLD]:
        name = one.kind.replace("_", " ")
        name = name if one.operation is None else f"{one.operation.replace('_', ' ')}, {name}"
        words = None if one.words is None else cut(one.words, LONGEST_WORDS)
        told.setdefault(words, []).append(f"{one.count:,} × {name}")
    parts = [
        "; ".join(names) + ("" if words is None else f": “{words}”")
        for words, names in told.items()
    ]
    whole = "; ".join(parts)
    return f" {whole}" + ("" if whole.endswith(".”") else ".") if parts else ""


def errors(run: RunObservation) -> Finding | None:
    """Did operations fail?"""
    figures = run.everything
    total = figures.ok + figures.not_found + figures.errors
    share = figures.errors / total if total else 0.0
    if share <= ERRORS_CAUTION:
        return None
    message = f"{figures.errors:,} of {total:,} operations failed ({percent(share, 2)})."
    message += what_was_said(run, "measure")
    severity: Literal["caution", "error"] = "error" if share > ERRORS_ERROR else "caution"
    if run.broken_on_purpose:
        severity = "caution"
        message += " The system was broken on purpose meanwhile: the timeline tells when."
    numbers: dict[str, Number] = {"errors": figures.errors, "operations": total, "share": share}
    return checks.ERRORS.found(severity, message, numbers)


def not_found(run: RunObservation) -> Finding | None:
    """Were records missing, and had they been loaded?"""
    figures = run.everything
    answered = figures.ok + figures.not_found
    share = figures.not_found / answered if answered else 0.0
    if share <= NOT_FOUND_LIMIT or run.misses_expected:
        return None
    message = f"{figures.not_found:,} of {answered:,} operations found no record ({percent(share)})"
    asked, loaded = run.records_asked, run.records_loaded
    lacking = 0 if asked is None or loaded is None else max(0, asked - loaded)
    if asked is not None and lacking:
        message += (
            f": the load put {loaded:,} of {asked:,} records in place, and {lacking:,} were never "
            "loaded."
        )
        if (lost := share - lacking / asked) > NOT_FOUND_LIMIT:
            message += (
                f" That explains about {percent(lacking / asked)} of all; the rest "
                f"({percent(lost)}) was lost or evicted, or belongs to keys that are asked for "
                "more often."
            )
    elif run.data != "fresh":
        message += ", of records that this run did not load: *data-found* says how many were there."
    else:
        whole = "" if loaded is None else f" All {loaded:,} records had been loaded."
        message += f", though only loaded keys are asked for: they were lost or evicted.{whole}"
    numbers: dict[str, Number] = {
        "not_found": figures.not_found,
        "operations": answered,
        "share": share,
        "records_asked": asked,
        "records_loaded": loaded,
    }
    return checks.NOT_FOUND.found("caution", message, numbers)


def verification(run: RunObservation) -> Finding | None:
    """Did reads return what was written?"""
    failed = run.everything.verify_failed
    if failed == 0:
        return None
    message = f"{failed:,} reads returned a value that was never written to that key."
    return checks.VERIFICATION.found("error", message, {"verify_failed": failed})


def load_complete(run: RunObservation) -> Finding | None:
    """Was the table filled, by the driver's account and by the system's own?

    Records that expire are counted by nobody. A system that holds more than was asked for (an
    index, somebody else's data) may hide what is missing, so only fewer says something.
    """
    if run.records_asked is None:
        return None
    numbers: dict[str, Number] = {
        "records_asked": run.records_asked,
        "records_loaded": run.records_loaded,
        "records_held": run.records_held,
    }
    if run.records_loaded is not None and run.records_loaded < run.records_asked:
        message = (
            f"{run.records_loaded:,} of {run.records_asked:,} records were acknowledged by the "
            "load phase; the workload ran on a smaller table than it names."
            f"{what_was_said(run, 'load')}"
        )
        return checks.LOAD_COMPLETE.found("error", message, numbers)
    held = run.records_held
    if held is None or run.records_loaded is None or run.misses_expected:
        return None
    if held >= run.records_asked:
        return None
    message = (
        f"All {run.records_asked:,} records were acknowledged, but after the load phase the system "
        f"says that it holds {held:,}: {run.records_asked - held:,} were evicted or lost before "
        "anything was measured."
    )
    return checks.LOAD_COMPLETE.found("error", message, numbers)

"""Why the figures of an attempt that came to its end do not count."""

from weighhouse_judging.arithmetic.histograms import HistogramError
from weighhouse_protocol.report import Failure


def unreadable(error: HistogramError) -> Failure:
    """Histograms that say nothing."""
    return Failure(
        kind="driver",
        message=f"The driver reported what cannot be read: {error}",
        hint="Driver and platform may be of different versions; update the agent.",
    )


def not_worked_out(reason: str) -> Failure:
    """Whatever went wrong with the figures."""
    return Failure(
        kind="invalid",
        message=f"The figures of what was measured could not be worked out: {reason}",
        hint="What the agent told is kept. Look at the worker's log, and try the run again.",
    )


def nothing_measured(drivers: int) -> Failure:
    """No interval that all drivers share."""
    if drivers > 1:
        return Failure(
            kind="driver",
            message="The drivers did not measure at the same time: nothing of their measured "
            "phases overlaps.",
            hint="Look at the drivers' logs, and at how far the clocks of their machines are off.",
        )
    return Failure(
        kind="driver",
        message="The driver reported no interval of the measured phase.",
        hint="Look at the driver's log; the measured phase may be shorter than one interval.",
    )

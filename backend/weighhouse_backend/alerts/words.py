"""Alerts in words, and which way a figure got better."""

import datetime
from typing import Any

from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.percent import percent

from weighhouse_backend.alerts.models import Alert, ChangePoint
from weighhouse_backend.alerts.states import AlertKind
from weighhouse_backend.series.models import Series

NO_VERDICT = ("spread", "moved")
"""Kinds of changes that say nothing of the build."""


def is_better(metric: str, relative: float) -> bool:
    """Whether a change by so much is an improvement."""
    known = CATALOGUE.find(metric)
    return (relative > 0) == (known is not None and known.higher_is_better is True)


def label(metric: str) -> str:
    """A figure as people call it."""
    known = CATALOGUE.find(metric)
    return known.label if known else metric


def change_title(row: ChangePoint, series: Series, side: str) -> str:
    """For example `Throughput of Redis fell by 8.2 %`.

    :param side: what the series' side is called.
    """
    what = f"{label(series.metric)} of {side}"
    if row.kind == "spread":
        way = "grew" if row.relative > 0 else "fell"
        return f"Noise of {what} {way} from ±{percent(row.before)} to ±{percent(row.after)}"
    if row.kind == "moved":
        way = "rose" if row.relative > 0 else "fell"
        return f"{what} {way} by {percent(abs(row.relative))} as the machine changed"
    ways = {("step", True): "rose by", ("step", False): "fell by"}
    ways |= {("drift", True): "drifts up by", ("drift", False): "drifts down by"}
    return f"{what} {ways[row.kind, row.relative > 0]} {percent(abs(row.relative))}"


def change_is_better(row: ChangePoint, series: Series) -> bool | None:
    """Whether a change is an improvement; none: neither, or nothing in the figures says. Noise is
    no level, and a level that moved with its machine may be the machine's.
    """
    return None if row.kind in NO_VERDICT else is_better(series.metric, row.relative)


def missed_title(alert: Alert, experiment: str, agent: str) -> str:
    """What did not take place, of an alert that is of no change."""
    details: dict[str, Any] = alert.details
    times = int(details.get("times", 1))
    match alert.kind:
        case AlertKind.MISSED_RUN:
            what = "a date" if times == 1 else f"{times} dates"
            return f"{experiment} was not started on {what}"
        case AlertKind.NO_RESULT:
            what = "A campaign" if times == 1 else f"{times} campaigns"
            return f"{what} of {experiment} ended without a result"
        case _:
            return f"Agent {agent} is silent since {moment(details.get('first_at'))}"


def moment(text: str | None) -> str:
    """An instant that stands in details."""
    if text is None:
        return "it was enrolled"
    at = datetime.datetime.fromisoformat(text).astimezone(datetime.UTC)
    return at.strftime("%Y-%m-%d %H:%M UTC")

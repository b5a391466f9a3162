"""What client and server counted of a run, in lines."""

from collections.abc import Iterator
from typing import Any

from weighhouse_protocol.percent import signed_percent

from weighhouse_cli.console import OUT

AGREES = 0.001


def show_reconciliation(told: dict[str, Any] | None) -> None:
    """A line for each row of both columns; nothing of systems that keep no counters."""
    if told is not None:
        for line in lines_of(told):
            OUT.print(f"  {line}", soft_wrap=True, markup=False, highlight=False)


def lines_of(told: dict[str, Any]) -> Iterator[str]:
    """What `GET /runs/{run}` says under `reconciliation`."""
    if told["why_not"]:
        yield f"client and server: {told['why_not']}"
        return
    for row in told["rows"]:
        if row["why_not"]:
            said = f"not compared, {row['why_not']}"
        elif abs(row["difference"]) <= AGREES:
            said = "agrees"
        else:
            said = signed_percent(row["difference"])
        served = "not counted" if row["served"] is None else f"served {row['served']:,}"
        yield (
            f"{row['name']}: asked {row['asked']:,}, answered {row['answered']:,}, {served}: {said}"
        )
    for name, calls in told["of_others"].items():
        yield f"of others: {calls:,} {name}"

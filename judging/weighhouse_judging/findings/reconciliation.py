"""Do client and server tell the same story? A check of a run. Pure."""

from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.percent import percent

from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.findings.counted import BEGAN_ANEW, Reconciled, Row
from weighhouse_judging.findings.observation import RunObservation

BAR, CAUTION = 0.01, 0.001
"""Shares of what was asked from which on a difference is told."""
LEAST = 5
"""Calls that are no difference: of what was under way when it was counted."""
NAMED = 5
"""Commands of others that are named."""
GRAVITY = ("info", "caution", "error")
Severity = Literal["info", "caution", "error"]


@dataclass(frozen=True)
class Difference:
    """One thing in which the columns differ."""

    severity: Severity
    words: str


def reconciliation(run: RunObservation) -> Finding | None:
    """Do the server's own counters say what the client said?"""
    told = run.reconciled
    if told is None:
        return None
    if told.why_not:
        return _not_compared(told)
    found = [*_strangers(told), *(one for row in told.rows for one in differences(row))]
    if not found:
        found = _misses(told)
    if not found:
        return None
    gravest = max((one.severity for one in found), key=GRAVITY.index)
    numbers: dict[str, Number] = {}
    for row in (one for one in told.rows if one.counts):
        numbers |= {
            f"{row.name}_asked": row.client.asked,
            f"{row.name}_answered": row.client.answered + row.client.failed,
            f"{row.name}_served": row.served,
        }
    numbers |= {"hits": told.hits, "misses": told.misses}
    numbers["of_others"] = sum((told.strangers or {}).values())
    message = " ".join(one.words for one in found)
    return checks.RECONCILIATION.found(gravest, message, numbers)


def _not_compared(told: Reconciled) -> Finding | None:
    if told.why_not != BEGAN_ANEW:
        return None  # What the system refused to tell is a finding of its own.
    message = (
        "The server's counters began anew while it was measured: it was started again, or somebody "
        "set them back. Nothing is concluded from them."
    )
    return checks.RECONCILIATION.found("info", message, {})


def differences(row: Row) -> list[Difference]:
    """In what the two columns of some operations differ."""
    client, served = row.client, row.served
    if row.why_not:
        return []
    whole = max(client.asked, served)
    says = f"Of {row.name} the client asked {client.asked:,}, and the server served {served:,}"
    if grade := _grade(served - client.asked, whole):
        more = percent((served - client.asked) / whole)
        words = f"{says}: {more} were asked by somebody else, or sent twice on the way."
        return [Difference(grade, words)]
    if grade := _grade(client.answered - served, whole):
        fewer = percent((client.answered - served) / whole)
        words = (
            f"Of {row.name} {client.answered:,} were answered, and the server served {served:,}: "
            f"{fewer} of the answers did not come from it."
        )
        return [Difference(grade, words)]
    lost = served - client.answered - client.failed
    if grade := _grade(lost, whole):
        words = (
            f"{says}, but {client.answered + client.failed:,} answers came back: {lost:,} "
            f"({percent(lost / whole)}) were lost on the way."
        )
        return [Difference(grade, words)]
    return []


def _strangers(told: Reconciled) -> list[Difference]:
    others = told.strangers or {}
    asked = sum(row.client.asked for row in told.rows)
    grade = _grade(sum(others.values()), max(asked, 1))
    if grade is None:
        return []
    most = sorted(others, key=lambda name: -others[name])
    named = ", ".join(f"{others[name]:,} {name}" for name in most[:NAMED])
    more = f" and {len(most) - NAMED} more kinds" if len(most) > NAMED else ""
    words = (
        f"The server served commands that nobody of the run sends, {named}{more}: they "
        "were asked by somebody else."
    )
    return [Difference(grade, words)]


def _misses(told: Reconciled) -> list[Difference]:
    """Did the client take nothing for something?"""
    row = next((one for one in told.rows if one.name == told.reads), None)
    if row is None or row.why_not or told.hits is None or told.misses is None:
        return []
    looked = told.hits + told.misses
    if _grade(abs(looked - row.served), max(looked, row.served)) is not None:
        return []  # They are of more, or of other things, than these commands.
    missed = told.misses - row.client.not_found
    grade = _grade(missed, looked)
    if grade is None:
        return []
    words = (
        f"The server found {told.hits:,} of {looked:,} keys that it was asked for "
        f"({percent(told.hits / looked)}), and the client {row.client.found:,}: {missed:,} answers "
        "without a record were counted as found."
    )
    return [Difference(grade, words)]


def _grade(difference: int, whole: int) -> Severity | None:
    if difference <= LEAST or difference <= CAUTION * whole:
        return None
    return "error" if difference > BAR * whole else "caution"

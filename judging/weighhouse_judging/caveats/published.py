"""What must stand beside published results wherever they are shown. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weighhouse_protocol.published.cells import PublishedLoad
from weighhouse_protocol.published.source import PublishedSource

from weighhouse_judging.caveats.caveat import Caveat, Evidence, Severity, shortened
from weighhouse_judging.caveats.caveat_list import SEVERITIES
from weighhouse_judging.findings.published import PublishedFinding
from weighhouse_judging.findings.words import clients_in_words

NO_VERDICT = (
    "No verdict is given on published figures: this platform did not measure them, the machines "
    "are others, most were measured once, and how much they vary is not known. They stand beside "
    "ours to be looked at."
)
"""Why nothing published is called better or worse."""
HELP = "/docs/published-sources"
MOST_SHOWN = 20
_GRAVITY: dict[Severity, int] = {"bar": 0, "caution": 1, "note": 2}


@dataclass(frozen=True)
class PublishedBeside:
    """One source whose sides stand in a comparison."""

    key: str
    """Tells it from other sources."""
    source: PublishedSource
    sides: Sequence[str]
    """Keys of its sides that are shown."""
    found: Sequence[tuple[str, PublishedFinding]]
    """(key of the side, what a check found of its cells)."""


def published_caveats(beside: Iterable[PublishedBeside]) -> list[Caveat]:
    """Of each source: that it is somebody else's, with its own disclaimer; and each check once."""
    return [caveat for one in beside for caveat in (_statement(one), *_checks(one))]


def told(source: PublishedSource) -> str:
    """Who published it, when, and who paid, in one line."""
    who = source.authors or "authors not told"
    when = source.date or "date not told"
    paid = source.sponsor or "not told"
    return f"{source.title} ({who}; {when}; paid for by: {paid})"


def _statement(one: PublishedBeside) -> Caveat:
    source = one.source
    parts = [
        f"{told(source)}.",
        f"Machines: {source.machines or 'not told'}.",
        NO_VERDICT,
        f"The source says: {source.disclaimer}" if source.disclaimer else "",
        f"May be quoted: {source.quoted}" if source.quoted else "",
    ]
    return Caveat(
        id=f"statement:published-{one.key}",
        kind="statement",
        code="published-results",
        severity="caution",
        short="Published by others, not measured here",
        title="Published by others, not measured here",
        text=" ".join(part for part in parts if part),
        sides=tuple(one.sides),
        evidence=(Evidence(f"Source: {source.address}"),) if source.address else (),
        help=HELP,
    )


def _checks(one: PublishedBeside) -> Iterable[Caveat]:
    by_check: dict[tuple[str, str], list[tuple[str, PublishedFinding]]] = {}
    for key, found in one.found:
        by_check.setdefault((found.finding.id, found.finding.title), []).append((key, found))
    for (check, title), several in by_check.items():
        gravest = min(several, key=lambda each: _GRAVITY[SEVERITIES[each[1].finding.severity]])
        finding = gravest[1].finding
        more = f" (and {len(several) - 1} more)" if len(several) > 1 else ""
        yield Caveat(
            id=f"check:published-{one.key}-{check}",
            kind="check",
            code=check,
            severity=SEVERITIES[finding.severity],
            short=shortened(title),
            title=f"{title}: {one.source.title}"[:300],
            text=f"{finding.message}{more}",
            sides=tuple(dict.fromkeys(key for key, _ in several)),
            evidence=tuple(
                Evidence(found.finding.message, key) for key, found in several[:MOST_SHOWN]
            ),
            help=finding.documentation,
        )


def load_words(load: PublishedLoad) -> str:
    """A load as it is told: its own label, else what is known of it."""
    if load.label:
        return load.label
    parts = []
    if load.clients is not None:
        parts.append(clients_in_words(load.clients))
    if load.pipeline is not None and load.pipeline > 1:
        parts.append(f"pipeline {load.pipeline}")
    if load.rate is not None:
        parts.append(f"{load.rate:,g} op/s asked for")
    return ", ".join(parts) or "load not told"

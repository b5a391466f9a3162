"""From what is stored of runs and said of systems to what the judge makes caveats of. Pure."""

from collections.abc import Iterable, Sequence

from weighhouse_judging.caveats.caveat import Caveat
from weighhouse_judging.caveats.caveat_list import OfRun, Said

from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.completeness import share
from weighhouse_backend.disclosure.schemas import DisclaimerRead, DisclosureItem, DisclosureRead
from weighhouse_backend.findings.schemas import RunFinding


def said(statement: DisclaimerRead, sides: Sequence[str] = ()) -> Said:
    """A statement, of these sides; without sides of all."""
    return Said(
        statement.id,
        statement.severity,
        statement.title,
        statement.text,
        statement.source,
        tuple(sides),
    )


def of_run(found: RunFinding, side: str) -> OfRun:
    """A finding of a run of a side."""
    return OfRun(
        str(found.run_id),
        side,
        found.check,
        found.severity,
        found.title,
        found.message,
        f"{found.formula}. Source: {found.source}",
        found.documentation,
    )


def left_out(sheet: DisclosureRead) -> list[str]:
    """What people did not say, or said nothing with."""
    return [item.label for item in _asked(sheet) if item.fault is not None]


def answered(sheet: DisclosureRead) -> float:
    """Share of what people are asked that they answered: the same wherever the figures are shown,
    for it does not depend on what runs told.
    """
    return share(item.fault is None for item in _asked(sheet))


def _asked(sheet: DisclosureRead) -> list[DisclosureItem]:
    return [item for item in sheet.items if item.said_by == "people"]


def caveats_read(found: Iterable[Caveat]) -> list[CaveatRead]:
    """Caveats as they are shown."""
    return [
        CaveatRead.model_validate(
            {
                **vars(one),
                "evidence": [
                    {"run_id": each.run, "side": each.side, "text": each.text}
                    for each in one.evidence
                ],
            }
        )
        for one in found
    ]

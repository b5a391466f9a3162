"""Rows of the fairness sheet for cells of one name that are not the same measurement. Pure."""

from collections.abc import Mapping, Sequence

from weighhouse_judging.fairness.sheet import AspectRow
from weighhouse_judging.identity.digests import Identity, differences

from weighhouse_backend.results.identities import DRIVER

CellKey = tuple[str, str]
"""Workload and label of the load level."""
SHEET_HAS = f"{DRIVER}name"
"""The driver has a row of its own; its version says something between sides of one driver alone."""


def measured_rows(sides: Sequence[Mapping[CellKey, Identity]]) -> list[AspectRow]:
    """A row for each field in which cells of one name differ between sides, all confounders.

    :param sides: their cells by name, in the sides' order.
    """
    found: dict[tuple[str, tuple[str, ...]], list[CellKey]] = {}
    for name in dict.fromkeys(name for side in sides for name in side):
        cells = [side.get(name) for side in sides]
        known = [cell for cell in cells if cell is not None]
        fields = dict.fromkeys(
            change.field for cell in known[1:] for change in differences(known[0], cell)
        )
        for field in fields:
            if field == SHEET_HAS or (field == f"{DRIVER}version" and SHEET_HAS in fields):
                continue
            values = tuple(
                "not planned" if cell is None else cell.fields.get(field, "none") for cell in cells
            )
            found.setdefault((field, values), []).append(name)
    return [_row(field, values, names) for (field, values), names in found.items()]


def _row(field: str, values: tuple[str, ...], names: Sequence[CellKey]) -> AspectRow:
    where = "; ".join(f"{workload}, {level}" for workload, level in names)
    return AspectRow(
        aspect=f"measured:{field}",
        label=field.replace(".", ", ").replace("_", " ").capitalize(),
        values=values,
        same=False,
        confounder=True,
        role="may_explain",
        explanation=f"One name, two measurements: {where}. Their figures do not compare.",
    )

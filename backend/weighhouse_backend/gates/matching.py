"""Cells of a campaign and of its base, matched by what they are instead of by name. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from weighhouse_judging.identity.digests import FieldChange
from weighhouse_judging.identity.sides import Change, subject

from weighhouse_backend.results.identities import CellSeen, mismatches

GateKey = tuple[str, str, str]
"""Target, workload, label of the load level."""


@dataclass(frozen=True)
class Matched:
    """A cell of a campaign with the base's cell that it is set against."""

    key: GateKey
    """As the campaign calls it."""
    base: CellSeen
    candidate: CellSeen
    changes: Sequence[FieldChange]
    """In which fields it is not the same measurement; none: it can be compared."""

    bases: Mapping[UUID, CellSeen] = field(default_factory=dict)
    """All cells of the bases that it can be compared with, by campaign, the latest first."""

    @property
    def label(self) -> str:
        """The cell in words."""
        return ", ".join(self.key)


def matched(
    base: Mapping[GateKey, CellSeen], candidate: Mapping[GateKey, CellSeen]
) -> list[Matched]:
    """Cells that both campaigns have, in the campaign's order.

    A cell is found by its name, and where that is another measurement by its identity among the
    cells of its target: then it was renamed. What the base has neither way is new, and left out.
    """
    found = []
    for key, cell in candidate.items():
        named = base.get(key)
        changes = None if named is None else mismatches(named, cell)
        if named is not None and not changes:
            found.append(Matched(key, named, cell, ()))
            continue
        renamed = next(
            (
                other
                for name, other in base.items()
                if name[0] == key[0] and name not in candidate and not mismatches(other, cell)
            ),
            None,
        )
        if renamed is not None:
            found.append(Matched(key, renamed, cell, ()))
        elif named is not None and changes is not None:
            found.append(Matched(key, named, cell, changes))
    return found


def pooled(
    bases: Mapping[UUID, Mapping[GateKey, CellSeen]], candidate: Mapping[GateKey, CellSeen]
) -> list[Matched]:
    """Cells of a campaign with those of all its bases, in the campaign's order.

    A cell is not comparable when no base has it as the same measurement; the latest then says why.

    :param bases: the latest first.
    """
    found: dict[GateKey, list[tuple[UUID, Matched]]] = {}
    for campaign_id, cells in bases.items():
        for pair in matched(cells, candidate):
            found.setdefault(pair.key, []).append((campaign_id, pair))
    merged = []
    for key in candidate:
        pairs = found.get(key, [])
        alike = {campaign_id: pair for campaign_id, pair in pairs if not pair.changes}
        if alike:
            latest = next(iter(alike.values()))
            seen = {campaign_id: pair.base for campaign_id, pair in alike.items()}
            merged.append(replace(latest, bases=seen))
        elif pairs:
            merged.append(pairs[0][1])
    return merged


def subject_of(cells: Sequence[Matched], commits: tuple[str | None, str | None]) -> list[Change]:
    """What differs between the campaigns' sides, each change once; the commit with it.

    :param commits: the base's and the campaign's.
    """
    found: dict[tuple[str, str, str], Change] = {}
    by_target: dict[str, Matched] = {}
    for cell in cells:
        if cell.base.records and cell.candidate.records:
            by_target.setdefault(cell.key[0], cell)
    for cell in by_target.values():
        for change in subject(cell.base.side, cell.candidate.side):
            found.setdefault((change.what, change.before, change.after), change)
    before, after = (None if one is None else one[:10] for one in commits)
    if before is not None and after is not None and before != after:
        found["commit", before, after] = Change("commit", before, after)
    return sorted(found.values(), key=lambda change: change.confounder)

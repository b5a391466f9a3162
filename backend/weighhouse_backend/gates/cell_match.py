"""Cells of a campaign and of its base, matched by what they are instead of by name. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from weighhouse_judging.findings.comparison_checks import OneProgram, SideBuild, one_program
from weighhouse_judging.identity.digests import FieldChange
from weighhouse_judging.identity.places import place_differences
from weighhouse_judging.identity.programs import in_words as program_in_words
from weighhouse_judging.identity.sides import Change, subject

from weighhouse_backend.results.identities import CellSeen, mismatches

GateKey = tuple[str, str, str]
"""Target, workload, label of the load level."""

IMAGE = "container.image"
"""The line of an effective configuration that names an image and its digest."""


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
        return in_words(self.key, self.candidate)


def in_words(key: GateKey, cell: CellSeen) -> str:
    """A cell as verdicts tell of it: what its target is called, workload, load level."""
    target, workload, load = key
    return f"{cell.target_name or target}, {workload}, {load}"


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


def beside(
    again: Mapping[GateKey, CellSeen],
    then: Mapping[GateKey, CellSeen],
    candidate: Mapping[GateKey, CellSeen],
    campaign_id: UUID,
) -> list[Matched]:
    """Cells of a campaign with those of its base as they were measured again beside them.

    A cell is not comparable where what ran again is not what the base's campaign had.

    :param again: the base's cells now, by the names of the campaign's own.
    :param then: the base's cells in its own campaign.
    :param campaign_id: in whose blocks all were measured.
    """
    targets: dict[str, list[CellSeen]] = {}
    for (target, *_), cell in then.items():
        targets.setdefault(target, []).append(cell)
    return [
        Matched(
            key,
            base,
            cell,
            (*_not_had(targets.get(key[0], ()), base), *mismatches(base, cell)),
            {campaign_id: base},
        )
        for key, cell in candidate.items()
        if (base := again.get(key)) is not None
    ]


def _not_had(then: Sequence[CellSeen], again: CellSeen) -> list[FieldChange]:
    """In what a base that was measured again is not what its campaign had."""
    refused = next((run for run in again.runs if run.failure_kind == "refused"), None)
    if refused is not None and refused.failure is not None and not again.records:
        asked = again.side.target.version
        return [FieldChange("base.version", asked, str(refused.failure.get("message", "refused")))]
    found = []
    for name, told in (("version", _versions), ("image", _images)):
        before, now = _joined(told, then), _joined(told, [again])
        if before and now and before != now:
            found.append(FieldChange(f"base.{name}", before, now))
    return found


def _joined(told: Callable[[CellSeen], set[str]], cells: Sequence[CellSeen]) -> str:
    return " and ".join(sorted(set[str]().union(*(told(cell) for cell in cells))))


def _versions(cell: CellSeen) -> set[str]:
    return {version for version in cell.side.versions if version is not None}


def _images(cell: CellSeen) -> set[str]:
    """Names of images with their digests, where there are any."""
    lines = [line for lines in cell.side.configurations for line in lines]
    return {line.value for line in lines if line.name == IMAGE}


def of_one_program(cell: Matched, commits: tuple[str | None, str | None]) -> OneProgram | None:
    """That what goes by two commits or two versions is one program, with the same settings.

    :param commits: the base's and the campaign's.
    """
    return one_program(
        *(
            SideBuild(cell.label, one.side, commit, one.program)
            for one, commit in zip((cell.base, cell.candidate), commits, strict=True)
        )
    )


def no_comparison(cell: Matched, one: OneProgram) -> Matched:
    """A cell that compares nothing of a build: it is an A/A sample."""
    program = "" if cell.base.program is None else program_in_words(cell.base.program)
    same = f"{one.after}, which is the same program: {program}; A/A"
    return replace(cell, changes=(*cell.changes, FieldChange("program", one.before, same)))


def untold(cells: Sequence[Matched], commits: tuple[str | None, str | None]) -> FieldChange | None:
    """That a base measured again cannot be told from the build, although it is of another commit:
    they may be one program. An image's digest would tell.

    :param commits: the base's and the campaign's.
    """
    before, after = commits
    known = [cell for cell in cells if cell.base.records and cell.candidate.records]
    if before is None or after is None or before == after or not known:
        return None
    if any(subject(cell.base.side, cell.candidate.side) for cell in known):
        return None
    if all(_images(cell.base) and _images(cell.candidate) for cell in known):
        return None
    if all(cell.base.program and cell.candidate.program for cell in known):
        return None  # They are told apart by their digests.
    return FieldChange(
        "base.program",
        f"of the commit {before[:10]}",
        "not told from the build's, whose version and settings are the same",
    )


def other_places(cells: Sequence[Matched]) -> Sequence[str]:
    """A word of caution where bases were measured on machines of the same kind of which something
    was otherwise: a kernel's patch level, a little memory. In words; none: they were not.
    """
    found: dict[str, set[UUID]] = {}
    bases: set[UUID] = set()
    for cell in cells:
        if cell.changes or not cell.candidate.records:
            continue
        for campaign_id, base in cell.bases.items():
            bases.add(campaign_id)
            for change in place_differences(base.place, cell.candidate.place):
                found.setdefault(str(change), set()).add(campaign_id)
    if not found:
        return ()
    differing = set[UUID]().union(*found.values())
    some = f"{len(differing)} of {len(bases)} bases were"
    those = "the base was" if differing == bases else some
    return (
        (
            f"Since {those} measured, the machine changed ({', '.join(found)}); it is of the same "
            "kind, and what that changes is part of the difference."
        ),
    )


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
        manifest = cell.candidate.manifest
        called = "" if manifest is None else manifest.name
        for change in subject(cell.base.side, cell.candidate.side, called):
            found.setdefault((change.what, change.before, change.after), change)
    before, after = (None if one is None else one[:10] for one in commits)
    if before is not None and after is not None and before != after:
        found["commit", before, after] = Change("commit", before, after)
    return sorted(found.values(), key=lambda change: change.confounder)

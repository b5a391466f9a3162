"""The fairness sheet of an experiment that has not run: its targets as they are written. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from weighhouse_judging.fairness.equalization import Change, Equalised, equalise
from weighhouse_judging.fairness.sheet import AspectRow, SideFacts, fairness_sheet
from weighhouse_judging.fairness.sides import side_of, unknown_side
from weighhouse_judging.fairness.words import in_words
from weighhouse_judging.identity.names import target_names
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.fairness.facts import Facts
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.placement import Placement
from weighhouse_protocol.target import Target

from weighhouse_backend.experiments.fairness_schemas import (
    AspectRead,
    DraftFairnessRead,
    DraftSideRead,
    EqualChangeRead,
    EqualRead,
)
from weighhouse_backend.experiments.size_checks import eviction_warnings

TWO = 2
"""Sides from which on there is something to compare."""
AFTERWARDS = frozenset({"machine", "machines", "co_located", "repeats"})
"""Aspects that only a run tells."""
UNKNOWN_COLOUR, UNKNOWN_MARK = "#6B7280", "◆"


@dataclass(frozen=True)
class ComparabilityWarning:
    """One aspect in which targets differ, so that it could itself explain a difference."""

    aspect: str
    message: str
    targets: tuple[str, ...]


def warnings(
    experiment: Experiment, manifests: Mapping[str, Manifest]
) -> list[ComparabilityWarning]:
    """What a reader of the comparison has to know beforehand: every row of the sheet that could
    itself explain a difference, and versions of one system.

    :param manifests: by system id.
    :returns: one warning an aspect, none for a single target; one of each factor in which nothing
        differs; and one of each target that is set up to evict records, and will.
    """
    labels = target_names(experiment.targets, manifests)
    evicting = [
        ComparabilityWarning("eviction", f"{labels[name]}: {message}", (name,))
        for name, message in eviction_warnings(experiment, manifests)
    ]
    rows = sheet(experiment, manifests)
    differing = {row.aspect for row in rows if not row.same}
    idle = [
        ComparabilityWarning(name, f"factors: the targets do not differ in {name!r}", tuple(labels))
        for name in experiment.factors
        if name not in differing
    ]
    return [*evicting, *idle] + [
        ComparabilityWarning(
            row.aspect,
            f"{row.label} differs ("
            + "; ".join(
                f"{label}: {value}"
                for label, value in zip(labels.values(), row.values, strict=True)
            )
            + f"). {row.explanation}",
            tuple(labels),
        )
        for row in rows
        if row.confounder or (row.aspect == "version" and _has_versions(experiment))
    ]


def _has_versions(experiment: Experiment) -> bool:
    """Whether some system is there in several versions."""
    pairs = {(target.system, target.version) for target in experiment.targets}
    return len(pairs) > len({system for system, _ in pairs})


def sheet(experiment: Experiment, manifests: Mapping[str, Manifest]) -> list[AspectRow]:
    """The rows of the sheet; none for a single target."""
    if len(experiment.targets) < TWO:
        return []
    sides = [
        replace(_side(target, facts), factors=frozenset(experiment.factors))
        for target, facts in zip(
            experiment.targets, draft_facts(experiment, manifests), strict=True
        )
    ]
    return [row for row in fairness_sheet(sides) if row.aspect not in AFTERWARDS]


def draft_fairness(experiment: Experiment, manifests: Mapping[str, Manifest]) -> DraftFairnessRead:
    """The sheet, and how the sides become equal."""
    facts = draft_facts(experiment, manifests)
    labels = list(target_names(experiment.targets, manifests).values())
    known = [(index, each) for index, each in enumerate(facts) if each is not None]
    found = (
        equalise([each for _, each in known], _compared(experiment))
        if len(known) >= TWO
        else NOTHING_TO_DO
    )
    places = [index for index, _ in known]
    return DraftFairnessRead(
        sides=[
            _side_read(target, label, manifests)
            for target, label in zip(experiment.targets, labels, strict=True)
        ],
        rows=[AspectRead.of(row) for row in sheet(experiment, manifests)],
        equal=[
            EqualRead(
                aspect=each.aspect,
                value=None if each.value is None else in_words(each.aspect, each.value),
                changes=_changes(each.changes, places),
                cannot=[labels[places[index]] for index in each.cannot],
            )
            for each in found.aspects
        ],
        changes=_changes(found.changes, places),
        remaining=list(found.remaining),
    )


def _compared(experiment: Experiment) -> Sequence[str]:
    """The factors that are what is compared: those between targets of one system and version."""
    of = {(target.system, target.version) for target in experiment.targets}
    return experiment.factors if len(of) == 1 else ()


NOTHING_TO_DO = Equalised((), (), ())


def draft_facts(experiment: Experiment, manifests: Mapping[str, Manifest]) -> list[Facts | None]:
    """What rules may ask of each target; None where no agent brought the system's plugin."""
    beside = together(experiment.placement)
    return [
        Facts(
            target,
            manifest,
            manifests.get(target.tool or ""),
            # What is there already may be anywhere, wherever its driver is placed.
            co_located=None if target.deployment == "external" else beside,
        )
        if (manifest := manifests.get(target.system)) is not None
        else None
        for target in experiment.targets
    ]


def together(placement: Placement) -> bool | None:
    """Whether driver and servers will share a machine; None: it depends on which are free."""
    if (
        placement.apart == "required"
        or max(placement.servers.machines, placement.drivers.machines) > 1
    ):
        return False
    return True if placement.apart == "no" else None


def _side(target: Target, facts: Facts | None) -> SideFacts:
    side = (
        unknown_side(target.name, target.name, target)
        if facts is None
        else side_of(target.name, target.name, facts)
    )
    return replace(side, version=target.version)


def _side_read(target: Target, label: str, manifests: Mapping[str, Manifest]) -> DraftSideRead:
    manifest = manifests.get(target.system)
    return DraftSideRead(
        label=label,
        system=target.system,
        colour=UNKNOWN_COLOUR if manifest is None else manifest.colour,
        mark=UNKNOWN_MARK if manifest is None else manifest.mark,
    )


def _changes(changes: Sequence[Sequence[Change]], places: Sequence[int]) -> list[EqualChangeRead]:
    return [
        EqualChangeRead(
            target=places[index], path=[one.group, one.name], before=one.before, after=one.after
        )
        for index, each in enumerate(changes)
        for one in each
    ]

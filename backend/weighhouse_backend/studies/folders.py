"""The folders of studies: read, checked, and refused with where and how to mend it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar, get_args

import structlog
from pydantic import BaseModel, ValidationError
from weighhouse_judging.studies.claims import cells_of
from weighhouse_judging.studies.documents import Study
from weighhouse_judging.studies.language import Cell, Claims, Scale
from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.yaml_document import (
    DocumentError,
    experiment_from_yaml,
    field_errors,
    load_yaml,
)

M = TypeVar("M", bound=BaseModel)

log = structlog.get_logger(__name__)
FOLDER = "studies"
STUDY, CLAIMS = "study.yaml", "claims.yaml"
SCALES: tuple[Scale, ...] = get_args(Scale)


@dataclass(frozen=True)
class StudyFolder:
    """A study with its claims and its experiments by scale."""

    study: Study
    claims: Claims
    experiments: Mapping[Scale, tuple[Experiment, ...]]

    def targets(self, scale: Scale, wanted: tuple[str, ...] = ()) -> list[str]:
        """Which sides are measured at a scale: those asked for, else those that it has by itself.

        :raises ValueError: when one that is asked for is no side.
        """
        sides = {side.name: side for side in self.study.sides}
        if unknown := [name for name in wanted if name not in sides]:
            raise ValueError(
                f"{', '.join(unknown)}: no side of {self.study.name}; those are {', '.join(sides)}"
            )
        if wanted:
            return list(dict.fromkeys(wanted))
        return [name for name, side in sides.items() if side.small or scale == "published"]


def read_studies(experiments: Path | None) -> list[StudyFolder]:
    """The studies below a folder of experiments, in their order.

    :param experiments: none, or one without studies, has none.
    :returns: a study that cannot be read is logged and left out.
    """
    if experiments is None:
        return []
    found = []
    for path in sorted(experiments.glob(f"{FOLDER}/*/{STUDY}")):
        try:
            found.append(read_study(path.parent))
        except (DocumentError, OSError, UnicodeDecodeError) as error:
            log.warning("study_left_out", folder=path.parent.name, error=str(error))
    return sorted(found, key=lambda one: (one.study.order, one.study.name))


def read_study(folder: Path) -> StudyFolder:
    """A study's folder.

    :raises DocumentError: naming file, field and what would be right.
    :raises OSError, UnicodeDecodeError: when a file cannot be read.
    """
    scales = {
        scale: tuple(
            (path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8"))
            for path in sorted((folder / scale).glob("*.yaml"))
        )
        for scale in SCALES
    }
    return _read(
        (folder / STUDY).read_text(encoding="utf-8"),
        (folder / CLAIMS).read_text(encoding="utf-8"),
        tuple(scales.items()),
    )


@lru_cache(maxsize=64)
def _read(
    study_text: str, claims_text: str, scales: tuple[tuple[Scale, tuple[tuple[str, str], ...]], ...]
) -> StudyFolder:
    study = _document(STUDY, study_text, Study)
    claims = _document(CLAIMS, claims_text, Claims)
    experiments: dict[Scale, tuple[Experiment, ...]] = {}
    for scale, files in scales:
        experiments[scale] = tuple(_experiment(name, text) for name, text in files)
    if not all(experiments.values()):
        empty = next(scale for scale, found in experiments.items() if not found)
        raise DocumentError(
            [FieldError(f"{empty}/", "holds no experiment", "at least one file, *.yaml")]
        )
    found = StudyFolder(study, claims, experiments)
    if errors := [*_unknown_targets(found), *_unknown_cells(found)]:
        raise DocumentError(errors)
    return found


def _document(name: str, text: str, model: type[M]) -> M:
    try:
        return model.model_validate(load_yaml(text))
    except ValidationError as error:
        raise DocumentError(_in(name, field_errors(error, model))) from error
    except DocumentError as error:
        raise DocumentError(_in(name, error.errors)) from error


def _experiment(name: str, text: str) -> Experiment:
    try:
        return experiment_from_yaml(text)
    except DocumentError as error:
        raise DocumentError(_in(name, error.errors)) from error


def _in(name: str, errors: list[FieldError]) -> list[FieldError]:
    return [
        FieldError(f"{name}: {one.path}" if one.path else name, one.message, one.expected, one.line)
        for one in errors
    ]


def _unknown_targets(found: StudyFolder) -> list[FieldError]:
    sides = [side.name for side in found.study.sides]
    return [
        FieldError(
            f"{scale}/{experiment.slug}: targets", f"{target.name!r} is no side of the study",
            "one of " + ", ".join(sides),
        )
        for scale, experiments in found.experiments.items()
        for experiment in experiments
        for target in experiment.targets
        if target.name not in sides
    ]  # fmt: skip


def _unknown_cells(found: StudyFolder) -> list[FieldError]:
    """Cells of claims that neither the text prints nor any file measures: misspelt."""
    known = {(one.side, one.workload, one.load) for one in found.study.published}
    for experiments in found.experiments.values():
        known |= {
            (target.name, workload.name, load.label)
            for experiment in experiments
            for target in experiment.targets
            for workload in experiment.workloads
            for load in experiment.load_levels
        }
    return [
        _unknown(claim.id, cell)
        for claim in found.claims.claims
        for cell in cells_of(claim)
        if (cell.side, cell.workload, cell.load) not in known
    ]


def _unknown(claim: str, cell: Cell) -> FieldError:
    words = ", ".join(part or "?" for part in (cell.side, cell.workload, cell.load))
    return FieldError(
        f"{CLAIMS}: {claim}",
        f"no figure is printed of the cell {words}, and no file measures it",
        "side, workload and label of the load as study.yaml or an experiment has them; "
        "or in the claim's `each`",
    )

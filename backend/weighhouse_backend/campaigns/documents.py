"""The document a campaign was measured by."""

from collections.abc import Container, Sequence

from pydantic import TypeAdapter
from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.experiment import LoadLevel
from weighhouse_protocol.load import ClosedLoad, Load, OpenLoad
from weighhouse_protocol.matrix import OwnPoints

from weighhouse_backend.campaigns.beside import with_beside
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.runs.models import Campaign, Cell

_load: TypeAdapter[Load] = TypeAdapter(Load)


def document_of(experiments: ExperimentService, campaign: Campaign) -> Document:
    """A campaign's revision, with the load levels that were chosen while it was measured behind
    those of the file: cells tell their place among all of them.
    """
    document = experiments.document(campaign.revision_id)
    if not campaign.chosen_levels:
        return document
    chosen = (_load.validate_python(level["load"]) for level in campaign.chosen_levels)
    return document.model_copy(update={"load_levels": (*document.load_levels, *chosen)})


def measured_document(experiments: ExperimentService, campaign: Campaign) -> Document:
    """The same with the base's targets behind the campaign's own, where they are measured beside
    them: every cell has its place in it.
    """
    return with_beside(document_of(experiments, campaign), campaign.beside)


def own_levels(documents: Sequence[Document], labels: Container[str]) -> dict[str, LoadLevelRead]:
    """By name, the levels that are another load for each target.

    :param labels: of the levels that are on show; others are left out.
    """
    return {
        level.label: level_read(level)
        for document in documents
        for level in document.load_levels
        if isinstance(level, OwnPoints) and level.label in labels
    }


def level_read(level: LoadLevel) -> LoadLevelRead:
    """A level as it stands in a matrix."""
    if isinstance(level, OwnPoints):
        kind = level.points[0].load.model
        return LoadLevelRead(kind=kind, value=0, label=level.label, own=True)
    return LoadLevelRead(kind=level.model, value=level.value, label=level.label)


def load_of(document: Document, cell: Cell) -> ClosedLoad | OpenLoad:
    """The load of a campaign's cell.

    :param document: the campaign's, with its chosen levels.
    """
    return document.load_of(cell.target_index, cell.workload_index, cell.load_index)


def begun_of(document: Document, campaign: Campaign) -> list[int]:
    """For each load level of a campaign the one of its file where the search began that chose it;
    for one of the file itself.

    :param document: the campaign's, with its chosen levels.
    """
    own = len(document.load_levels) - len(campaign.chosen_levels)
    return [*range(own), *(int(level["of"]) for level in campaign.chosen_levels)]

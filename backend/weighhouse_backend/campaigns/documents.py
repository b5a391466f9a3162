"""The document a campaign was measured by."""

from pydantic import TypeAdapter
from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.load import Load

from weighhouse_backend.campaigns.models import Campaign
from weighhouse_backend.experiments.service import ExperimentService

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


def begun_of(document: Document, campaign: Campaign) -> list[int]:
    """For each load level of a campaign the one of its file where the search began that chose it;
    for one of the file itself.

    :param document: the campaign's, with its chosen levels.
    """
    own = len(document.load_levels) - len(campaign.chosen_levels)
    return [*range(own), *(int(level["of"]) for level in campaign.chosen_levels)]

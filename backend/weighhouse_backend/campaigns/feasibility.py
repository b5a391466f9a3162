"""Whether the agents that are enrolled could ever carry out what an experiment places. Pure."""

from collections.abc import Sequence

from weighhouse_protocol.document_errors import FieldError
from weighhouse_protocol.experiment import Experiment

from weighhouse_backend.campaigns.matching import Spot, lacking, need_of


def never_possible(document: Experiment, spots: Sequence[Spot]) -> list[FieldError]:
    """What no gang of agents could do, whoever of them is free or reachable.

    :param spots: all slots of all agents that are enrolled; none: agents may yet come.
    :returns: one error a target.
    """
    if not spots:
        return []
    errors = []
    for index, target in enumerate(document.targets):
        words = lacking(spots, need_of(document, index, 0, 0))
        if words is not None:
            errors.append(
                FieldError(
                    path="placement",
                    message=f"{target.name}: no agents could do this: {words}",
                    expected="labels and machines as the agents have them, or more agents",
                )
            )
    return errors

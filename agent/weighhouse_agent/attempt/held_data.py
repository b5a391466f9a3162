"""What a system holds before a run writes to it, and whether the records are there."""

from collections.abc import Iterable

from weighhouse_protocol.driver import DriverEvent, DriverOrder, Failed, PhaseFinished
from weighhouse_protocol.load import ClosedLoad, Phase, Share
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.records import sample_of
from weighhouse_sdk.credentials import Credentials
from weighhouse_sdk.errors import PluginError

from weighhouse_agent.attempt.credentials import without_secrets
from weighhouse_agent.attempt.event_log import Reporter


class NotEmpty(PluginError):
    """A system holds records, and nobody said that others may be loaded beside them."""

    kind = "refused"


def loads(order: AttemptOrder) -> bool:
    """Whether records are to be loaded."""
    return any(phase.kind == "load" for phase in order.phases)


def writes_beside(order: AttemptOrder) -> bool:
    """Whether records are about to be loaded into somebody's system, first of all of a campaign."""
    return order.target.deployment == "external" and loads(order) and not order.written_before


def without_load(order: AttemptOrder) -> AttemptOrder:
    """The same order for records that are there."""
    rest = tuple(phase for phase in order.phases if phase.kind != "load")
    return order.model_copy(update={"phases": rest})


def beside(order: AttemptOrder, records: int | None) -> int:
    """Ask once more before records are loaded beside others.

    :param records: that the system says it holds; None: it does not tell.
    :returns: how many there are that nobody said yes to.
    :raises NotEmpty: when it is not, or may not be, empty, and `onto` asks for that.
    """
    if not writes_beside(order) or order.target.onto == "any" or records == 0:
        return 0
    if order.target.onto is None:
        return records or 0
    found = "does not say whether it holds records" if records is None else f"holds {records:,}"
    raise NotEmpty(
        f"the system {found}{'' if records is None else ' records'}, and onto: empty asks for one "
        "that holds none: nothing was written",
        "name another endpoint or a logical database of its own; measure what is there with "
        "data: keep; or say onto: any, and the workload's records are loaded beside them",
    )


def sample_order(order: DriverOrder) -> DriverOrder:
    """What a driver is to do that reads a sample of the records of another order, alone."""
    workload, count = sample_of(order.workload)
    return order.model_copy(
        update={
            "workload": workload,
            "load": ClosedLoad(clients=1),
            "phases": (Phase(kind="measure", operation_count=count),),
            "shards": 1,
            "share": Share(),
            "verify": "shape",
            "hold": False,
        }
    )


def told_of_sample(
    events: Iterable[DriverEvent], credentials: Credentials | None, reporter: Reporter
) -> Failed | None:
    """Report what such a driver told.

    :returns: its last word where it gave up.
    """
    for told in events:
        event = without_secrets(told, credentials)
        if isinstance(event, PhaseFinished):
            reporter.phase_ended(event, kind="check")
        elif isinstance(event, Failed):
            return event
    return None

"""The links of a chain: measured phases that follow each other on one system. Pure."""

from collections.abc import Sequence

from weighhouse_protocol.order import AttemptOrder


def links_of(order: AttemptOrder) -> tuple[AttemptOrder, ...]:
    """An order for the driver of each link, in the order they are measured; of a run that is no
    chain, its own.
    """
    first = order if not order.chain else order.model_copy(update={"chain": ()})
    return (
        first,
        *(
            first.model_copy(
                update={"workload": link.workload, "load": link.load, "phases": link.phases}
            )
            for link in order.chain
        ),
    )


def most_clients(link: AttemptOrder) -> int:
    """How many clients one link of an order has at once, while it loads or while it measures."""
    load = link.load
    clients = load.clients if load.model == "closed" else load.connections
    return max([clients, *(phase.clients or 0 for phase in link.phases)])


def numbered(kinds: Sequence[str]) -> list[str]:
    """Names of phases in their order: `measure`, and `measure 2` when it comes again."""
    counts = [kinds[: place + 1].count(kind) for place, kind in enumerate(kinds)]
    return [
        kind if count == 1 else f"{kind} {count}" for kind, count in zip(kinds, counts, strict=True)
    ]

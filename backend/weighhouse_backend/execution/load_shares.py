"""A load that several drivers make together, shared out: the parts add up to the whole. Pure."""

from weighhouse_protocol.load import ClosedLoad, OpenLoad, Phase, Share


def part_of(count: int, share: Share) -> int:
    """A part's share of things that cannot be divided; the first parts get one more.

    The parts of all add up to `count` exactly.
    """
    return count // share.of + (1 if share.index < count % share.of else 0)


def rate_part(rate: float, share: Share) -> float:
    """A part's share of a rate: equal parts, and the last makes up what rounding left.

    Parts are added in the order of their index; their sum is `rate` exactly.
    """
    equal = rate / share.of
    if share.index < share.of - 1:
        return equal
    others = 0.0
    for _ in range(share.of - 1):
        others += equal
    return rate - others


def share_of_load(load: ClosedLoad | OpenLoad, share: Share) -> ClosedLoad | OpenLoad:
    """One driver's part of a load level.

    :raises ValueError: when there are fewer clients, or connections, than drivers; validation
        refuses that before.
    """
    if share.of == 1:
        return load
    if isinstance(load, ClosedLoad):
        return _changed(load, clients=_at_least_one("clients", load.clients, share))
    return _changed(
        load,
        rate_per_second=rate_part(load.rate_per_second, share),
        operation_rates={
            operation: rate_part(rate, share) for operation, rate in load.operation_rates.items()
        },
        connections=_at_least_one("connections", load.connections, share),
        max_in_flight=max(1, part_of(load.max_in_flight, share)),
    )


def share_of_phase(phase: Phase, share: Share) -> Phase:
    """One driver's part of a phase: its clients while it loads, its count of operations."""
    if share.of == 1:
        return phase
    count, clients = phase.operation_count, phase.clients
    return phase.model_copy(
        update={
            "operation_count": None if count is None else max(1, part_of(count, share)),
            "clients": None if clients is None else max(1, part_of(clients, share)),
        }
    )


def _at_least_one(what: str, count: int, share: Share) -> int:
    if count < share.of:
        message = f"{count} {what} cannot be shared by {share.of} drivers"
        raise ValueError(message)
    return part_of(count, share)


def _changed(load: ClosedLoad | OpenLoad, **values: object) -> ClosedLoad | OpenLoad:
    return type(load).model_validate(load.model_dump() | values)

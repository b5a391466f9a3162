"""What the platform and a provisioner say to each other: JSON on standard input and output.

A provisioner is a program that the platform's owner names. It is started for each request, reads
one document, and answers with one; what it writes to its error output is kept for people. All but
`make` may be asked any number of times.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StringConstraints

from weighhouse_protocol.base import Document, FewBy, Label, Name
from weighhouse_protocol.placement import Placement
from weighhouse_protocol.target import Target

MOST_MACHINES = 100
"""That are made for one campaign."""
MOST_KINDS = 200
PROVISION = "provision"
"""The label of machines that were made for a campaign; its value is whose they are."""

Action = Literal["describe", "make", "end", "list"]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$", max_length=3)]


class HourlyPrice(Document):
    """What one machine costs an hour."""

    amount: float = Field(ge=0, le=1e9)
    currency: Currency


class MachineKind(Document):
    """A kind of machine that a provisioner makes."""

    name: Name
    description: Label = ""
    hourly: HourlyPrice | None = None
    """None: nobody says."""


class Offered(Document):
    """The answer to `describe`."""

    kinds: tuple[MachineKind, ...] = Field(max_length=MOST_KINDS)


class WantedMachine(Document):
    """One machine that is to be made, and that is to enrol itself."""

    name: Name
    labels: FewBy[Label] = Field(default_factory=dict)
    token: str = Field(max_length=200)
    """With which it enrols, once. A secret."""


class Request(Document):
    """What a provisioner is asked."""

    version: Literal[1] = 1
    action: Action
    provision: UUID | None = None
    """Of `make` and `end`: what the machines are kept under; `end` says nothing else of them."""
    machine: Name | None = None
    """Of `make`: the kind."""
    ends_at: datetime | None = None
    """Of `make`: when they are to be gone at the latest, should nobody ask for it."""
    platform: str = Field(max_length=2000)
    """The platform's address: `list` is asked for what was made for it."""
    machines: tuple[WantedMachine, ...] = Field(default=(), max_length=MOST_MACHINES)
    """Of `make`."""


class Existing(Document):
    """The answer to `list`: everything that was made and not ended, whole or in part."""

    provisions: tuple[UUID, ...] = Field(max_length=100_000)


def machines_of(placement: Placement, targets: Iterable[Target]) -> list[dict[str, str]]:
    """The machines that a campaign needs at a time, whichever of its targets is measured, each by
    the labels that it has to carry.

    Drivers share the machines of servers unless the placement keeps them apart, or asks for labels
    that no machine can carry at once.
    """
    servers, drivers = placement.servers.labels, placement.drivers.labels
    at_odds = any(drivers.get(name, value) != value for name, value in servers.items())
    holding = driving = 0
    apart = placement.apart != "no" or at_odds
    for target in targets:
        if target.deployment != "external":
            holding = max(holding, min(placement.servers.machines, target.topology.nodes))
        driving = max(
            driving, 1 if target.deployment == "in_process" else placement.drivers.machines
        )
    if apart:
        sides = [servers] * holding + [drivers] * driving
    else:
        sides = [
            {**(servers if at < holding else {}), **(drivers if at < driving else {})}
            for at in range(max(holding, driving))
        ]
    return [{**placement.labels, **own} for own in sides]

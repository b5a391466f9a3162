"""Where an experiment is measured, and how its work is spread over machines."""

from typing import Annotated, Literal

from pydantic import Field

from weighhouse_protocol.base import Document, FewBy, Label, Name
from weighhouse_protocol.target import Target


class ServerPlacement(Document):
    """The machines that hold a system's nodes."""

    labels: FewBy[Label] = Field(default_factory=dict)
    """Labels they must carry, besides those of the placement."""
    machines: int = Field(default=1, ge=1, le=1000)
    """The topology's nodes are spread over them in turn; a target of fewer nodes takes fewer."""


class DriverPlacement(Document):
    """The machines that make the load."""

    labels: FewBy[Label] = Field(default_factory=dict)
    """Labels they must carry, besides those of the placement."""
    machines: int = Field(default=1, ge=1, le=1000)
    """Clients or rate, and the records to load, are shared out among them."""
    threads: Literal["auto"] | Annotated[int, Field(ge=1, le=256)] = "auto"
    """Driver threads on each; `auto`: as many as its connections can use, at most the slot's
    processors, less one where servers share the machine."""


class Provision(Document):
    """Machines that are made for a campaign, and gone when it is over."""

    machine: Name
    """Which of those that the platform's provisioner makes."""
    minutes: int = Field(default=120, ge=1, le=7 * 24 * 60)
    """How long they live at most, from when they are asked for: what is not measured by then
    fails."""


class Placement(Document):
    """Which agents may take a run, and how its work is spread over them."""

    labels: FewBy[Label] = Field(default_factory=dict)
    """Labels every agent must carry."""
    servers: ServerPlacement = ServerPlacement()
    drivers: DriverPlacement = DriverPlacement()
    apart: Literal["required", "preferred", "no"] = "no"
    """Whether driver and servers are on different machines."""
    provision: Provision | None = Field(default=None, exclude_if=lambda wanted: wanted is None)
    """Machines are made for each campaign; None: it waits for those that are enrolled."""

    def together(self, target: Target) -> bool:
        """Whether a target's run takes one machine, which has servers and driver."""
        servers = min(self.servers.machines, target.topology.nodes)
        return servers == self.drivers.machines == 1 and self.apart == "no"

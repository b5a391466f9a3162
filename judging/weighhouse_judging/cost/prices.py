"""Prices: of a machine by the hour or by its power, of a licence by the year. Pure.

A cost says nothing without the price that it hangs on, so a price carries its currency, the day it
was known on and where it comes from.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

HOURS_A_YEAR = 8760
"""365 days."""
WATTS_A_KILOWATT = 1000

Basis = Literal["hour", "power"]
"""What is paid for: a machine by the hour, or the electricity that it takes."""


@dataclass(frozen=True)
class MachinePrice:
    """What one machine costs."""

    name: str
    basis: Basis
    amount: float
    """Of `hour`: money an hour. Of `power`: money a kilowatt-hour."""
    currency: str
    """Three letters of ISO 4217."""
    as_of: str
    """The day it was known to hold, `YYYY-MM-DD`."""
    source: str
    watts: float | None = None
    """Of `power`: what the machine takes."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.amount) and self.amount > 0):
            message = f"{self.name}: a price of {self.amount} is none"
            raise ValueError(message)
        if (self.basis == "power") != (self.watts is not None):
            message = f"{self.name}: watts belong to a price by power, and to no other"
            raise ValueError(message)

    @property
    def hourly(self) -> float:
        """Money for one machine, an hour."""
        if self.watts is None:
            return self.amount
        return self.amount * self.watts / WATTS_A_KILOWATT


@dataclass(frozen=True)
class LicencePrice:
    """What the right to run a system costs, a year."""

    system: str
    amount: float
    """Money a year."""
    per: Literal["machine", "installation"]
    currency: str
    as_of: str
    """As of a machine."""
    source: str

    def hourly(self, machines: int) -> float:
        """Money an hour, for an installation on so many machines."""
        return self.amount * (machines if self.per == "machine" else 1) / HOURS_A_YEAR


@dataclass(frozen=True)
class Hourly:
    """What a set-up costs by the hour, and of what that is made."""

    amount: float
    currency: str
    machines: float
    """The part of the machines."""
    licence: float | None
    """The part of the licence; None: no price of one is known, or it is in another currency."""


def hourly(machines: Sequence[MachinePrice], licence: LicencePrice | None) -> Hourly:
    """What the machines of a set-up cost by the hour, with its licence where that can be added.

    :param machines: one price a machine, at least one.
    :raises ValueError: for no machine, or prices in several currencies: money of two currencies has
        no sum.
    """
    currencies = sorted({one.currency for one in machines})
    if len(currencies) != 1:
        message = (
            f"prices in {' and '.join(currencies)} have no sum" if currencies else "no machine"
        )
        raise ValueError(message)
    (currency,) = currencies
    of_machines = math.fsum(one.hourly for one in machines)
    counted = licence is not None and licence.currency == currency
    of_licence = licence.hourly(len(machines)) if licence is not None and counted else None
    return Hourly(of_machines + (of_licence or 0.0), currency, of_machines, of_licence)


@dataclass(frozen=True)
class NotCounted:
    """Something that a cost leaves out."""

    key: str
    words: str


_ALWAYS = (
    NotCounted("load", "the machines that make the load, and the application's own"),
    NotCounted("egress", "traffic out of the network and between zones"),
    NotCounted("zones", "copies in other zones, beyond the nodes that were measured"),
    NotCounted("spare", "spare machines for failures, upgrades and peaks"),
    NotCounted("backup", "backups and their storage"),
    NotCounted("staff", "the people who run it"),
    NotCounted("support", "support contracts"),
    NotCounted("tax", "taxes, discounts and commitments"),
)
_OF_BASIS: dict[Basis, tuple[NotCounted, ...]] = {
    "hour": (NotCounted("disk", "disks that are not in the machine's price, and their transfers"),),
    "power": (
        NotCounted("purchase", "the machines themselves: purchase, wear, repair"),
        NotCounted("room", "cooling, room and connection"),
    ),
}


def not_counted(
    bases: Collection[Basis], *, licence: LicencePrice | None, counted: bool
) -> list[NotCounted]:
    """What a cost by prices of these kinds leaves out, to stand beside it.

    :param licence: of the system; None: nobody gave its price.
    :param counted: whether it is in the sum.
    """
    found = [one for basis in _OF_BASIS if basis in bases for one in _OF_BASIS[basis]]
    if licence is None:
        found.append(NotCounted("licence", "licences: no price of one is given"))
    elif not counted:
        price = f"{licence.amount:,.2f} {licence.currency} a year and {licence.per}"
        found.append(NotCounted("licence", f"the licence of {price}: another currency"))
    return [*found, *_ALWAYS]

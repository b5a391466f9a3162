"""Prices, and costs by them, as the API takes and shows them. Money is in the named currency."""

import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from weighhouse_judging.cost.prices import LicencePrice, MachinePrice
from weighhouse_protocol.text import Named

from weighhouse_backend.campaigns.schemas import CompletenessRead, LoadLevelRead
from weighhouse_backend.comparisons.estimate_schemas import EstimateRead
from weighhouse_backend.comparisons.schemas import SideRead
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.kit.schemas import Body

PriceName = Annotated[str, Named(80)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$", examples=["EUR"])]
Source = Annotated[str, Named(300)]
Hostname = Annotated[str, Named(253)]
MOST_MONEY = 1e9


class MachinePriceWrite(Body):
    """What one machine costs: by the hour, or by the electricity it takes."""

    name: PriceName
    basis: Literal["hour", "power"] = "hour"
    amount: float = Field(gt=0, le=MOST_MONEY, strict=True)
    """Money an hour; of `power`, money a kilowatt-hour."""
    watts: float | None = Field(default=None, gt=0, le=1e6, strict=True)
    """What the machine takes; of `power` alone."""
    currency: Currency
    as_of: datetime.date
    """The day it was known to hold."""
    source: Source
    """Where it comes from: a list, a contract, a bill."""
    machines: list[Hostname] = Field(default_factory=list, max_length=500)
    """Host names of the machines whose price it is, wherever no other price is asked for."""

    def price(self) -> MachinePrice:
        """The same for the judge."""
        return MachinePrice(
            self.name,
            self.basis,
            self.amount,
            self.currency,
            f"{self.as_of}",
            self.source,
            self.watts,
        )


class LicencePriceWrite(Body):
    """What the right to run a system costs a year."""

    system: Annotated[str, Named(63)] = Field(examples=["aerospike"])
    amount: float = Field(gt=0, le=MOST_MONEY, strict=True)
    per: Literal["machine", "installation"] = "machine"
    currency: Currency
    as_of: datetime.date
    source: Source

    def price(self) -> LicencePrice:
        """The same for the judge."""
        return LicencePrice(
            self.system, self.amount, self.per, self.currency, f"{self.as_of}", self.source
        )


class PriceSheetWrite(Body):
    """An organization's prices, all of them."""

    machines: list[MachinePriceWrite] = Field(default_factory=list, max_length=200)
    licences: list[LicencePriceWrite] = Field(default_factory=list, max_length=200)
    default: PriceName | None = None
    """Name of the price of machines that none names: one of these, or of the shipped table."""


class ListedPriceRead(BaseModel):
    """A price of the shipped table: a dated list price, never looked up anew."""

    name: str
    provider: str
    region: str
    processors: int
    """As the provider counts them."""
    memory_gibibytes: float
    amount: float
    """An hour."""
    currency: str
    as_of: datetime.date
    source: str


class PricesRead(PriceSheetWrite):
    """An organization's prices, and the shipped table beside them."""

    version: int
    """0: none were saved."""
    updated_by: str | None
    updated_at: datetime.datetime | None
    listed: list[ListedPriceRead]


class PriceUsedRead(BaseModel):
    """A price that costs hang on."""

    name: str
    hourly: float
    """Of one machine."""
    words: str
    """`0.096 USD an hour`, `200 W at 0.25 EUR a kilowatt-hour`."""
    currency: str
    as_of: datetime.date
    source: str


class LicenceUsedRead(BaseModel):
    """A licence whose price is known for a side's system."""

    system: str
    words: str
    """`8,000.00 USD a year and machine`."""
    counted: bool
    """Is it in the sums? Not in another currency."""
    as_of: datetime.date
    source: str


class PaidMachineRead(BaseModel):
    """A machine that held a side's system."""

    name: str
    """Its host name; of systems that were there already, `not known`."""
    price: str
    """Name of its price."""


class YearRead(BaseModel):
    """A year at a rate, with whole copies of what was measured."""

    copies: int
    amount: float
    low: float
    high: float
    """By the ends of the throughput's interval."""
    busy: float
    """Share of the copies' throughput that the rate takes."""


class CellCostRead(BaseModel):
    """What the operations of one cell of a side cost."""

    side: str
    workload: str
    load_level: LoadLevelRead
    throughput: EstimateRead | None
    p99_us: EstimateRead | None
    machines: list[PaidMachineRead]
    hourly: float | None
    """Of all machines of a set-up, licence included where it is counted."""
    currency: str | None
    per_million: EstimateRead | None
    """For a million operations that succeed: the median of the repeats."""
    year: YearRead | None
    """None where no rate was asked for."""
    because: str
    """Why there is no cost; empty where there is."""


class RemarkRead(BaseModel):
    """What must be known of costs; of some sides, or of all."""

    key: str
    words: str
    sides: list[str]


class CostsRead(BaseModel):
    """Costs of the cells of sides, by prices that stand beside them. No verdict rests on them."""

    completeness: CompletenessRead
    price: str | None
    """That was asked for; None: each machine has its own, else the default."""
    rate: float | None
    sides: list[SideRead]
    cells: list[CellCostRead]
    prices: list[PriceUsedRead]
    licences: list[LicenceUsedRead]
    not_counted: list[RemarkRead]
    remarks: list[RemarkRead]
    caveats: list[CaveatRead]
    """What must stand beside the throughputs."""

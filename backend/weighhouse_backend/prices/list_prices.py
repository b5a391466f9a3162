"""The shipped table: list prices by the hour, as they were on a day. Data, never looked up anew.

On demand, Linux, without a commitment; one region a provider. A figure that nobody was sure of is
not in it: an organization adds its own prices.
"""

import datetime
from dataclasses import dataclass

from weighhouse_judging.cost.prices import MachinePrice

KNOWN_ON = datetime.date(2025, 1, 1)


@dataclass(frozen=True)
class ListPrice:
    """One kind of machine of one provider."""

    provider: str
    region: str
    kind: str
    processors: int
    memory_gibibytes: float
    amount: float
    """US dollars an hour."""
    source: str

    @property
    def name(self) -> str:
        """How it is asked for: `aws c7g.large`."""
        return f"{self.provider} {self.kind}"

    def price(self) -> MachinePrice:
        """The same for the judge."""
        return MachinePrice(self.name, "hour", self.amount, "USD", f"{KNOWN_ON}", self.source)


_AWS = "Amazon EC2 on-demand list, Linux, us-east-1; https://aws.amazon.com/ec2/pricing/on-demand/"
_GCP = "Compute Engine on-demand list, us-central1; https://cloud.google.com/compute/all-pricing"
_AZURE = (
    "Azure pay-as-you-go list, Linux, East US; "
    "https://azure.microsoft.com/pricing/details/virtual-machines/linux/"
)
_SIZES = {"large": 1, "xlarge": 2, "2xlarge": 4, "4xlarge": 8}


def _aws(family: str, memory: float, amount: float) -> list[ListPrice]:
    """A family whose larger machines are so many of its `large`, in price too."""
    return [
        ListPrice(
            "aws", "us-east-1", f"{family}.{size}", 2 * times, memory * times,
            round(amount * times, 6), _AWS,
        )
        for size, times in _SIZES.items()
    ]  # fmt: skip


def _others(
    provider: str, region: str, kind: str, memory: float, amount: float, source: str
) -> list[ListPrice]:
    """Kinds with 2, 4 and 8 processors; the price goes with them."""
    return [
        ListPrice(
            provider, region, kind.format(2 * times), 2 * times, memory * times,
            round(amount * times, 6), source,
        )
        for times in (1, 2, 4)
    ]  # fmt: skip


LISTED: tuple[ListPrice, ...] = (
    *_aws("c6i", 4, 0.085),
    *_aws("c7g", 4, 0.0725),
    *_aws("m6i", 8, 0.096),
    *_aws("m7g", 8, 0.0816),
    *_aws("r6i", 16, 0.126),
    *_others("gcp", "us-central1", "e2-standard-{}", 8, 0.067006, _GCP),
    *_others("gcp", "us-central1", "n2-standard-{}", 8, 0.097118, _GCP),
    *_others("azure", "eastus", "D{}s_v5", 8, 0.096, _AZURE),
)
"""By provider and kind."""

LISTED_BY_NAME = {one.name: one for one in LISTED}

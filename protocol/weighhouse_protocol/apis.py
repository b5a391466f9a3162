"""Which interfaces plugins and machines speak: numbers, declared as ranges and held together."""

from typing import Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document

LARGEST = 1_000


class ApiRange(Document):
    """Versions of one interface, from the least to the most, both included."""

    least: int = Field(ge=1, le=LARGEST)
    most: int = Field(ge=1, le=LARGEST)

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.least > self.most:
            raise ValueError("least: is to be no more than `most`")
        return self

    def meets(self, other: "ApiRange") -> bool:
        """Whether a version is in both."""
        return max(self.least, other.least) <= min(self.most, other.most)

    def __str__(self) -> str:
        """`1`, or `1 to 3`."""
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


class ManifestApi(Document):
    """With which interfaces a plugin works; those of a release state none: they come with it."""

    sdk: ApiRange
    """Of the SDK: what `weighhouse_sdk` and `weighhouse_protocol` offer to plugins."""
    driver: ApiRange
    """Of the driver: what it is ordered and what it tells; `protocol` of its `--describe`."""


SDK_API = ApiRange(least=1, most=1)
"""What this release offers: the newest, and the oldest that plugins may still be written for."""
DRIVER_API = ApiRange(least=1, most=1)
"""What agents of this release say to drivers."""


def api_problems(wanted: ManifestApi) -> list[str]:
    """What of a plugin's interfaces this release does not have, each with both ranges."""
    here = {"SDK": (wanted.sdk, SDK_API), "driver": (wanted.driver, DRIVER_API)}
    return [
        f"it works with version {asked} of the {name} API, and this machine has {offered}"
        for name, (asked, offered) in here.items()
        if not asked.meets(offered)
    ]

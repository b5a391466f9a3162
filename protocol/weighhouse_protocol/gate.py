"""What a campaign's verdict compares with, and which differences matter."""

from typing import Annotated

from pydantic import AfterValidator, Field

from weighhouse_protocol.base import ByName, Document
from weighhouse_protocol.bases import BaseText
from weighhouse_protocol.figures import CATALOGUE, Figure

AskedPercent = Annotated[float, Field(gt=0, le=100)]


def _judged(asked: dict[str, float]) -> dict[str, float]:
    for name in asked:
        if not CATALOGUE[name].is_judged:
            judged = ", ".join(one.name for one in CATALOGUE.judged)
            raise ValueError(f"{name} is shown and not judged; those that are: {judged}")
    return {CATALOGUE[name].name: percent for name, percent in asked.items()}


class Thresholds(Document):
    """Practical thresholds, percent: a smaller change is of no practical meaning."""

    throughput_percent: float = Field(default=3.0, gt=0, le=100)
    p50_percent: float = Field(default=5.0, gt=0, le=100)
    p99_percent: float = Field(default=10.0, gt=0, le=100)
    p999_percent: float = Field(default=20.0, gt=0, le=100)
    memory_percent: float = Field(default=3.0, gt=0, le=100)
    figures: Annotated[ByName[AskedPercent], AfterValidator(_judged)] = Field(default_factory=dict)
    """Of single figures, by their names in the catalogue, in place of their family's above."""
    gate_percent: float = Field(default=5.0, gt=0, le=100)
    """Of a campaign's loss against its base."""
    anchor_percent: float | None = Field(default=None, gt=0, le=100)
    """Of its cumulative loss against the anchor, the last release or where the level began.
    Default: `gate_percent`."""
    confirm: bool = True
    """Is a cell that seems worse measured once more before the verdict?"""

    def of(self, figure: Figure) -> float:
        """The practical threshold of a judged figure, percent."""
        if figure.name in self.figures:
            return self.figures[figure.name]
        if figure.asked_as is not None:
            return float(getattr(self, figure.asked_as))
        return 100 * figure.threshold


class Gate(Document):
    """What the verdict of each campaign compares with, unless whoever starts one says otherwise."""

    base: BaseText = "pooled"
    """`pooled` (the latest of the branch that did not regress), `branch:NAME`, `release:NAME`,
    `campaign:ID`, `beside` (the latest of these, measured again; `beside:…`), or `none`."""

"""What a campaign's verdict compares with, and which differences matter."""

from pydantic import Field

from weighhouse_protocol.base import Document
from weighhouse_protocol.bases import BaseText


class Thresholds(Document):
    """Practical thresholds, percent: a smaller change is of no practical meaning."""

    throughput_percent: float = Field(default=3.0, gt=0, le=100)
    p50_percent: float = Field(default=5.0, gt=0, le=100)
    p99_percent: float = Field(default=10.0, gt=0, le=100)
    p999_percent: float = Field(default=20.0, gt=0, le=100)
    memory_percent: float = Field(default=3.0, gt=0, le=100)
    gate_percent: float = Field(default=5.0, gt=0, le=100)
    """Of a campaign's loss against its base."""
    anchor_percent: float | None = Field(default=None, gt=0, le=100)
    """Of its cumulative loss against the anchor, the last release or where the level began.
    Default: `gate_percent`."""
    confirm: bool = True
    """Is a cell that seems worse measured once more before the verdict?"""


class Gate(Document):
    """What the verdict of each campaign compares with, unless whoever starts one says otherwise."""

    base: BaseText = "pooled"
    """`pooled` (the latest of the branch that did not regress), `branch:NAME`, `release:NAME`,
    `campaign:ID`, `beside` (the latest of these, measured again; `beside:…`), or `none`."""

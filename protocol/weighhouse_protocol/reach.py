"""What the options of a foreign load tool can say."""

from typing import Literal

from weighhouse_protocol.base import Document, Few, Label, Name
from weighhouse_protocol.workload import RequestDistribution

Scheme = Literal["tcp", "tls", "unix", "file"]
"""How an endpoint is reached."""


class Reach(Document):
    """What a tool can be told. Whatever is not here is refused where it differs from the default,
    parts of a workload that are yet to be invented among them.
    """

    workload: Few[Name] = ()
    """Parts of a workload that it can carry out, whatever they are set to; the tool looks at the
    values."""
    options: Few[Label] = ()
    """Options of the driver in whose place it is."""
    distributions: Few[RequestDistribution] = ("uniform",)
    schemes: Few[Scheme] = ("tcp",)
    several: bool = False
    """Whether it makes load on several endpoints."""
    mixes: bool = False
    """Whether one run can be of several operations."""
    open_loop: bool = False
    """Whether it can keep to a rate."""
    shards: bool = False
    """Whether it can be told how many threads to have."""
    slices: bool = False
    """Whether it loads a part of the records when several share them; for tools that load."""
    endless: bool = False
    """Whether a phase may have an operation count and a duration, whichever ends first."""

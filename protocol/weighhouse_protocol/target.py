"""A target: a system as set up for a test."""

import operator
from typing import Annotated, Literal

from pydantic import Field

from weighhouse_protocol.base import ByName, Document, FewBy, Label, Name, Scalar
from weighhouse_protocol.text import Named

Deployment = Literal["process", "docker", "external", "in_process"]
"""How a system is brought up; `in_process` systems live inside the driver."""
OWN_NODES: frozenset[Deployment] = frozenset({"process", "docker"})
"""Deployments whose nodes the agent starts, and so may limit, break and end."""


Data = Literal["fresh", "once", "keep"]
"""Whose records are measured: `fresh`, each run loads its own; `once`, the first run of a campaign
loads and its other runs of the same records go on with them; `keep`, nothing is loaded: what was
there is measured, and a sample of it is looked at first."""
Caches = Literal["warm", "restarted", "dropped"]
"""What is done to caches between load and measurement: `warm`, nothing; `restarted`, the system is
stopped and started again on its data; `dropped`, that, and meanwhile the page cache of its files is
emptied."""
Onto = Literal["empty", "any"]
"""What an external system may hold before records are loaded into it."""


class Topology(Document):
    """How many nodes there are, and how the data is spread."""

    nodes: int = Field(default=1, ge=1, le=1000)
    replication_factor: int = Field(default=1, ge=1, le=100)


class Limits(Document):
    """What each node may use at most; kept by the operating system where it can."""

    memory_mebibytes: int | None = Field(default=None, ge=1, le=67_108_864)
    """Memory, page cache of its files included; default: no limit."""
    cpus: float | None = Field(default=None, gt=0, le=4096)
    """Processors' worth of time; default: no limit."""


class Target(Document):
    """A system with a version, a deployment, a topology and its parameters."""

    name: Name
    """Unique in an experiment; the side of a comparison."""
    label: Annotated[str, Named(80, least=0)] = ""
    """What charts print; default: the system's name, and what parts it from the others."""
    system: Name
    """Identifier of the plugin, for example `redis`."""
    version: Annotated[str, Named(80, least=0)] = "any"
    """Exact version wanted, or `any`: whatever the agent has, recorded with the result."""
    edition: Name | None = None
    """Which edition of the product it is, for example `enterprise`, by the plugin's manifest: its
    licence decides what may be published. Default: the manifest's own default, where the plugin
    sets the system up by itself; of other servers and images it is not known."""
    plugin_version: Annotated[str, Named(80, least=0)] = "any"
    """Exact version of the plugin wanted, or `any`: only agents that have it take the run."""
    deployment: Deployment = "process"
    endpoints: tuple[Label, ...] = Field(default=(), max_length=1000)
    """Addresses of an `external` deployment, for example `tcp://127.0.0.1:6379`."""
    address_map: FewBy[Label] = Field(default_factory=dict, exclude_if=operator.not_)
    """Of an `external` deployment whose servers announce each other by addresses that lead nowhere
    from the agents: `HOST:PORT` as announced → where it is reached, as in `endpoints`. Not written
    where there is none."""
    topology: Topology = Topology()
    image: Annotated[str, Named(300, least=0)] = ""
    """Container image of a `docker` deployment, with its tag; default: the plugin's."""
    limits: Limits = Limits()
    data: Data = Field(default="fresh", exclude_if=lambda data: data == "fresh")
    """Whose records are measured; `keep` for `external` deployments alone, `once` for those and
    systems that live in the driver. Not written where it is the default: agents of before do not
    know it."""
    onto: Onto | None = Field(default=None, exclude_if=operator.not_)
    """Of an `external` deployment whether records may be loaded beside others: `empty`, a system
    that holds some before the campaign's first load ends the run; `any`, they may be there.
    Default: the run goes on, and a finding says how many there were."""
    caches: Caches | None = Field(default=None, exclude_if=operator.not_)
    """What is done to caches between load and measurement, on systems that the agent sets up.
    Default: as `warm`, and where reads may go to disk a finding says that nobody said so."""
    credentials: Name | None = None
    """Name of credentials in the agents' own settings, for `external` deployments; what they are
    never leaves the machine."""
    tool: Name | None = None
    """Foreign load tool that makes the load, for example `redis-benchmark`; default: the plugin's
    own driver."""
    parameters: ByName[Scalar] = Field(default_factory=dict)
    """Settings that the plugin's manifest declares, by name."""
    settings: ByName[Scalar] = Field(default_factory=dict, exclude_if=operator.not_)
    """Settings by the system's own names, beside parameters: single words, given to the servers as
    they are where the agent's policy allows it. Not written where there are none."""
    driver_options: ByName[Scalar] = Field(default_factory=dict)
    """Options that the plugin's driver declares, by name (for example `layout`)."""

    @property
    def plugins(self) -> tuple[str, ...]:
        """Plugins that take part: the system's, and the tool's when one makes the load."""
        return (self.system,) if self.tool is None else (self.system, self.tool)

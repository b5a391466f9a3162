"""Carries out one member's part of an attempt that several agents carry out together.

| barrier | a member with nodes | a member that makes load |
| --- | --- | --- |
| `placed` | has kept ports for its nodes, and tells them | |
| `up` | its nodes run, and know of all others | |
| `formed` | the lead has made one system of them, and tells where it answers | |
| `connected` | | its driver is connected, and held |
| `phase-N` | | its driver has ended the phase before |
| `measured` | | its driver has ended the last phase |

Who has nothing to do arrives at once. The releases of `connected` and `phase-N` tell when the next
phase begins, for all at the same instant, each by its own clock.
"""


from pydantic import BaseModel, ConfigDict
from weighhouse_protocol.base import Scalar
from weighhouse_sdk.errors import PluginError

LAST = "measured"


class PeerNotUnderstood(PluginError):
    """What another member told is not of the protocol."""


class Spot(BaseModel):
    """Where a node is to live, as its member tells the others."""

    model_config = ConfigDict(frozen=True)

    host: str
    port: int
    peer_port: int | None = None


class Placed(BaseModel):
    """Payload of `placed`."""

    model_config = ConfigDict(frozen=True)

    nodes: dict[int, Spot] = {}


class Formed(BaseModel):
    """The lead's payload of `formed`."""

    model_config = ConfigDict(frozen=True)

    endpoints: tuple[str, ...]
    version: str
    driver_options: dict[str, Scalar] = {}

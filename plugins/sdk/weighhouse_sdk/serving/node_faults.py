"""What can be done to a node on purpose."""

from collections.abc import Sequence

from weighhouse_protocol.faults import Fault, FaultVerb
from weighhouse_protocol.manifest import Manifest

from weighhouse_sdk.errors import DeployFailed, TargetInvalid
from weighhouse_sdk.lifecycle import FaultDone
from weighhouse_sdk.machine.nodes import Node

NETWORK = frozenset({"network", "heal"})


def node_of(manifest: Manifest, nodes: Sequence[Node], fault: Fault) -> Node:
    """The node that a fault is meant for.

    :raises TargetInvalid: when the plugin does not offer the verb, or there is no such node.
    :raises DeployFailed: when it has left.
    """
    if fault.verb not in manifest.faults:
        offered = ", ".join(manifest.faults) or "none"
        raise TargetInvalid([("faults", f"{fault.verb}: {manifest.name} offers: {offered}")])
    for node in nodes:
        if node.place.number == fault.node:
            if node.left:
                raise DeployFailed(f"node {fault.node} has left for good", "name another one")
            return node
    here = ", ".join(str(node.place.number) for node in nodes) or "none"
    raise TargetInvalid([("faults", f"node {fault.node}: nodes of this machine are: {here}")])


def carry_out(node: Node, verb: FaultVerb, stop_seconds: float) -> FaultDone:
    """Do to a node what needs nothing but its process.

    :param verb: kill, stop, pause or resume.
    :param stop_seconds: time for an orderly end.
    """
    name = f"node {node.place.number}"
    gone = node.body.exit_code is not None
    match verb:
        case "kill" | "stop" if gone:
            return FaultDone(f"{name}: had ended already")
        case "kill":
            node.down = True
            node.body.kill()
            return FaultDone(f"{name}: killed")
        case "stop":
            node.down = True
            ended = node.body.end(stop_seconds)
            how = "killed, as it did not end" if ended.killed else "ended"
            return FaultDone(f"{name}: {how} with {ended.exit_code}")
        case _ if gone:
            raise DeployFailed(f"{name} has ended, it cannot {verb}", "start it before")
        case "pause":
            node.paused = True
            node.body.pause()
            return FaultDone(f"{name}: paused")
        case _:
            node.body.resume()
            node.paused = False
            return FaultDone(f"{name}: goes on")

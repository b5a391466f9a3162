"""Cold caches: one driver loads, the system is started again, and the next driver measures."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from weighhouse_protocol.chain_links import links_of
from weighhouse_protocol.faults import Fault, FaultVerb
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.errors import DeployFailed
from weighhouse_sdk.lifecycle import Deployed, Plugin
from weighhouse_sdk.machine.nodes import Node
from weighhouse_sdk.machine.page_cache import cached, drop_all, drop_files

from weighhouse_agent.attempt.held_data import loads, without_load
from weighhouse_agent.machine.policy import DropCaches, Policy, PolicyRefused

STOP_SECONDS = 600.0
"""An orderly end may write all records down."""
MEBIBYTE = 2**20
LEFT = 0.01
"""Share of the files that may be in memory when they have been dropped: what is looked at on the
way."""

Mark = Callable[[str, str], None]


@dataclass(frozen=True)
class Part:
    """What one driver does of an attempt."""

    order: AttemptOrder
    name: str
    """Of the driver, among processes and logs."""
    cold: bool
    """Whether caches are seen to before it."""
    ends_link: bool


def parts_of(order: AttemptOrder, threads_of: Callable[[AttemptOrder], int]) -> tuple[Part, ...]:
    """An attempt as its drivers run, one after the other: one for each link of a chain, and where
    caches are seen to after the load one for that.

    :param threads_of: how many make the load of a link, which its parts share.
    """
    parts = []
    for place, link in enumerate(links_of(order)):
        name = "driver" if place == 0 else f"driver-{place + 1}"
        cold = place == 0 and order.target.caches not in (None, "warm")
        if cold and loads(link):
            whole = link.model_copy(update={"threads": threads_of(link)})
            load = tuple(phase for phase in link.phases if phase.kind == "load")
            alone = whole.model_copy(update={"phases": load})
            parts.append(Part(alone, "driver-load", cold=False, ends_link=False))
            parts.append(Part(without_load(whole), name, cold, ends_link=True))
        else:
            parts.append(Part(link, name, cold, ends_link=True))
    return tuple(parts)


def check_caches(policy: Policy, order: AttemptOrder) -> None:
    """Refuse what `drop_caches` of the policy does not let an order have.

    :raises PolicyRefused: naming the key.
    """
    if order.target.caches == "dropped" and policy.drop_caches == "no":
        raise PolicyRefused(
            "this machine's policy does not accept caches: dropped; drop_caches: no",
            "ask for caches: restarted or warm; the operator of the machine may change "
            "`drop_caches` in the agent's policy.toml, or let the run go to another agent",
        )


@dataclass(frozen=True)
class Cooling:
    """Sees to the caches of a system after its load.

    :param deployed: nodes that are here, or the directory of a system in the driver, which is not
        open meanwhile.
    """

    plugin: Plugin
    context: Context
    target: Target
    deployed: Deployed
    way: DropCaches
    mark: Mark

    def cool(self) -> None:
        """Stop each node, drop what is cached of its files where that is asked for, and start it
        again; one after the other, so that the others hold the system together.

        :raises DeployFailed: when a node does not end in order, or files stay in memory.
        :raises NotReady: when one does not come back.
        """
        context = self.context
        options = replace(
            context.options, stop_seconds=max(STOP_SECONDS, context.options.stop_seconds)
        )
        for node in self.deployed.nodes:
            context.check()
            self._do(node, "stop", replace(context, options=options))
            ended = node.body.exit_code
            if ended not in self.plugin.orderly_exit_codes:
                raise DeployFailed(
                    f"node {node.place.number} did not end in order, but with {ended}: what it "
                    "held may not be there after a restart",
                    "its log tells why; or measure with caches: warm",
                )
            self._drop()
            said = self._do(node, "start", context)
            self.mark("caches_restarted", f"restarted: {said}")
        if not self.deployed.nodes:
            self._drop()
            self.mark("caches_restarted", "restarted: the driver opens it again")

    def _do(self, node: Node, verb: FaultVerb, context: Context) -> str:
        fault = Fault(at_seconds=0, verb=verb, node=node.place.number)
        return self.plugin.fault(context, self.deployed, fault).label

    def _drop(self) -> None:
        if self.target.caches != "dropped":
            return
        directory = self.context.data_directory
        try:
            before = cached(directory)
            drop_files(directory)
            if self.way == "machine":
                drop_all()
            after = cached(directory)
        except OSError as error:
            raise DeployFailed(
                f"the page cache cannot be dropped: {error}",
                "`drop_caches: machine` of the agent's policy.toml takes root; files are dropped "
                "by whoever may read them",
            ) from error
        told = (
            f"of {before.bytes / MEBIBYTE:,.1f} MiB in {before.files} files "
            f"{before.cached_bytes / MEBIBYTE:,.1f} were in the page cache, now "
            f"{after.cached_bytes / MEBIBYTE:,.1f}"
        )
        # Files of nodes that run, of which there may be more, are mapped.
        alone = len(self.deployed.nodes) <= 1
        if alone and after.cached_bytes > max(MEBIBYTE, LEFT * after.bytes):
            raise DeployFailed(
                f"files stay in memory: {told} MiB",
                "is the agent's directory on a file system that is memory itself (tmpfs)? Give it "
                "one on a disk",
            )
        self.mark("caches_dropped", f"page cache dropped: {told} MiB")

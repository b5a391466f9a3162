"""What the driver of an attempt is ordered to do, and why it gave up."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Failed
from weighhouse_protocol.endpoints import parts_of
from weighhouse_protocol.load import ClosedLoad, Share
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, Hosts
from weighhouse_sdk.driver import describe_driver
from weighhouse_sdk.errors import PluginError, TargetInvalid
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.machine.locality import any_is_here
from weighhouse_sdk.machine.nodes import Body
from weighhouse_sdk.machine.processors import usable_processors
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.toolrun.tool import Tool

from weighhouse_agent.attempt.compatibility import check_ceilings, check_memory
from weighhouse_agent.attempt.gangs import is_gang, makes_load, own_member
from weighhouse_agent.machine.facts import memory_bytes

NOWHERE = "tcp://127.0.0.1:0"
"""What stands for the endpoints in an order before there are any."""
NO_NAMES: Hosts = {}
NO_MAP: Mapping[str, str] = {}
ADDRESS_MAP = "address_map"
"""Field of a target, and of what a driver takes."""


class DriverGaveUp(PluginError):
    """The driver reported that it could not go on."""

    kind = "driver"


class DriverRefusedOrder(PluginError):
    """The driver does not understand what it was asked."""

    kind = "invalid"


class SystemUnreachable(PluginError):
    """The driver lost the system, or never had it."""

    kind = "database"


GAVE_UP: Mapping[str, type[PluginError]] = {
    "invalid": DriverRefusedOrder,
    "connection": SystemUnreachable,
    "database": SystemUnreachable,
}
"""A driver's reason → the run's; what is not here is the driver's own fault."""


def gave_up(event: Failed, log: Sequence[str], system: Sequence[Body]) -> PluginError:
    """A driver's last word as the run's failure.

    :param log: the driver's last lines.
    :param system: what runs the nodes here; their last lines tell why nobody answers.
    """
    kind = GAVE_UP.get(event.kind, DriverGaveUp)
    if kind is SystemUnreachable:
        log = (*log, *(line for each in system for line in each.log_tail()))
    return kind(
        f"the driver gave up ({event.kind}): {event.message}",
        event.hint or "the logs of driver and system tell why",
        log,
    )


@dataclass(frozen=True)
class DriverPlan:
    """Makes the driver's order out of the attempt's.

    :param target: as the policy has let it pass.
    :param tool: makes the load in the place of the plugin's own driver.
    """

    order: AttemptOrder
    target: Target
    plugin: Plugin
    context: Context
    tool: Tool | None = None

    def check(self) -> None:
        """Refuse what driver or tool cannot do, before anything is set up.

        :raises TargetInvalid: with each of the tool's reasons, or loads that this machine's memory
            cannot hold.
        :raises BinaryMissing: when the tool is not on this machine.
        :raises CredentialsRefused: when the driver has no option for them.
        """
        self.options()
        if self.tool is None and makes_load(self.order):
            check_memory(self.order, memory_bytes())
        if self.target.data == "keep" and self.tool is not None and self.tool.loads == "tool":
            name = self.tool.manifest.name
            reason = f"keep: {name} can address no keys but those that it writes itself"
            raise TargetInvalid([("data", reason)])
        self._check_tool()

    def hold(self, settings: Iterable[Setting]) -> None:
        """Refuse what is beyond what the system takes by its effective configuration.

        :raises TargetInvalid: with all that is.
        """
        system = self.plugin.manifest
        check_ceilings(self.order, self.target, system, settings, self.threads())

    def _check_tool(self) -> None:
        """Refuse what the tool cannot say, before anything is set up for it.

        :raises TargetInvalid: with each of its reasons.
        :raises BinaryMissing: when the tool is not on this machine.
        """
        if self.tool is None:
            return
        options = self.options()
        refused = self.tool.refusals(self._order((NOWHERE,), options, threads=self.threads()))
        if refused:
            raise TargetInvalid([("tool", each) for each in refused])
        self.tool.find_versions(self.context.options)

    def threads(self) -> int:
        """How many threads make the load: as many as the order says; else as many as its clients
        and the processors for the driver can use, and a foreign tool can divide its clients by.
        """
        if self.order.threads is not None:
            return self.order.threads
        if self.target.deployment == "in_process":
            return 1  # Its driver has a thread for each client, whatever it is told.
        most = max(1, min(fewest_connections(self.order), self._processors()))
        if self.tool is None:
            return most
        options = self.options()
        order = self._order((NOWHERE,), options, threads=1)
        for threads in range(most, 1, -1):
            if not self.tool.refusals(order.model_copy(update={"shards": threads})):
                return threads
        return 1

    def _processors(self) -> int:
        """For the driver: one less than there are where servers may use the same ones."""
        options = self.context.options
        everything = usable_processors()
        usable = options.driver_cpus or everything
        shared = usable & (options.server_cpus or everything)
        return len(usable) - (1 if shared and serves(self.order) else 0)

    def order_for(
        self,
        endpoints: tuple[str, ...],
        hosts: Hosts,
        told: Mapping[str, Scalar] | None = None,
    ) -> tuple[str, DriverOrder]:
        """Which driver makes the load, and what it is to do.

        :param hosts: the addresses of names in the endpoints, as the policy has let them pass.
        :param told: options that only who set the system up can know.
        """
        driver, options = self.plugin.manifest.driver.id, {**(told or {}), **self.options()}
        if self.tool is None:
            fields = describe_driver(driver).target_fields
            mapped = self.target.address_map if ADDRESS_MAP in fields else {}
            if self.order.target.address_map and not mapped:
                reason = f"the driver {driver} of this machine knows of no {ADDRESS_MAP}"
                raise TargetInvalid([(ADDRESS_MAP, reason)], "install it anew")
            if "hosts" not in fields:
                endpoints, hosts = at_addresses(endpoints, hosts), NO_NAMES
            order = self._order(endpoints, options, hosts, mapped, threads=self.threads())
            return driver, order
        installed = self.tool.find_versions(self.context.options)[0]
        options = self.tool.order_options(options, installed, driver)
        places = at_addresses(endpoints, hosts)
        order = self._order(places, options, threads=self.threads())
        return self.tool.manifest.driver.id, order

    def _order(
        self,
        endpoints: tuple[str, ...],
        options: Mapping[str, Scalar],
        hosts: Hosts = NO_NAMES,
        address_map: Mapping[str, str] = NO_MAP,
        *,
        threads: int,
    ) -> DriverOrder:
        return DriverOrder(
            workload=self.order.workload,
            target=DriverTarget(
                endpoints=endpoints,
                hosts=dict(hosts),
                address_map=dict(address_map),
                options=dict(options),
            ),
            load=self.order.load,
            phases=self.order.phases,
            seed=self.order.seed,
            interval_seconds=self.order.interval_seconds,
            shards=threads,
            share=self._share(),
            hold=is_gang(self.order),
        )

    def options(self) -> dict[str, Scalar]:
        """The driver's options, credentials and files of this machine included."""
        files = self.plugin.driver_files(self.context)
        options = {**self.plugin.driver_options(self.target), **files}
        credentials = self.context.credentials()
        if credentials is None:
            return options
        driver = self.plugin.manifest.driver.id
        known = declared(describe_driver(driver).options)
        return {**options, **credentials.driver_options(driver, known)}

    @property
    def is_first(self) -> bool:
        """Whether the driver here is the first of those that make the load together."""
        return self._share().index == 0

    def _share(self) -> Share:
        own = own_member(self.order).share if is_gang(self.order) else None
        return own or Share()


def at_addresses(endpoints: tuple[str, ...], hosts: Hosts) -> tuple[str, ...]:
    """Endpoints with the first address of each name in its place, for who would look it up."""
    found = []
    for each in map(parts_of, endpoints):
        known = hosts.get(each.host)
        found.append(str(each._replace(host=known[0]) if known else each))
    return tuple(found)


def fewest_connections(order: AttemptOrder) -> int:
    """Clients of the phase that has fewest: a thread without any would be idle."""
    load = order.load
    plain = load.clients if isinstance(load, ClosedLoad) else load.connections
    return min([plain, *(phase.clients for phase in order.phases if phase.clients is not None)])


def serves(order: AttemptOrder) -> bool:
    """Whether nodes of the system have the driver's processors too, as far as the order tells."""
    if is_gang(order):
        own = own_member(order)
        place = (own.address, own.slot)
        return any(each.nodes for each in order.gang if (each.address, each.slot) == place)
    if order.target.deployment != "external":
        return True
    return bool(any_is_here(order.target.endpoints))

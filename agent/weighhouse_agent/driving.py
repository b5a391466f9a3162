"""What the driver of an attempt is ordered to do, and why it gave up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Failed
from weighhouse_protocol.load import Share
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import describe_driver
from weighhouse_sdk.errors import PluginError, TargetInvalid
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.machine.nodes import Body
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.toolrun.tool import Tool

from weighhouse_agent.gangs import is_gang, own_member

NOWHERE = "tcp://127.0.0.1:0"
"""What stands for the endpoints in an order before there are any."""


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

        :raises TargetInvalid: with each of the tool's reasons.
        :raises BinaryMissing: when the tool is not on this machine.
        :raises CredentialsRefused: when the driver has no option for them.
        """
        self.options()
        self._check_tool()

    def _check_tool(self) -> None:
        """Refuse what the tool cannot say, before anything is set up for it.

        :raises TargetInvalid: with each of its reasons.
        :raises BinaryMissing: when the tool is not on this machine.
        """
        if self.tool is None:
            return
        name, driver = self.tool.manifest.name, self.plugin.manifest.driver.id
        if driver not in self.tool.drivers:
            reason = f"{name} cannot make load on {self.plugin.manifest.name}"
            raise TargetInvalid([("tool", reason)])
        if self.target.credentials is not None:
            # They would stand on the tool's command line, for everybody to read.
            raise TargetInvalid([("credentials", f"{name} is not given any")])
        options = self.plugin.driver_options(self.target)
        refused = self.tool.refusals(self._order((NOWHERE,), options))
        if refused:
            raise TargetInvalid([("tool", each) for each in refused])
        self.tool.find_versions(self.context.options)

    def order_for(
        self, endpoints: tuple[str, ...], told: Mapping[str, Scalar] | None = None
    ) -> tuple[str, DriverOrder]:
        """Which driver makes the load, and what it is to do.

        :param told: options that only who set the system up can know.
        """
        driver, options = self.plugin.manifest.driver.id, {**(told or {}), **self.options()}
        if self.tool is None:
            return driver, self._order(endpoints, options)
        installed = self.tool.find_versions(self.context.options)[0]
        options = self.tool.order_options(options, installed, driver)
        return self.tool.manifest.driver.id, self._order(endpoints, options)

    def _order(self, endpoints: tuple[str, ...], options: Mapping[str, Scalar]) -> DriverOrder:
        return DriverOrder(
            workload=self.order.workload,
            target=DriverTarget(endpoints=endpoints, options=dict(options)),
            load=self.order.load,
            phases=self.order.phases,
            seed=self.order.seed,
            interval_seconds=self.order.interval_seconds,
            shards=self.order.threads or 1,
            share=self._share(),
            hold=is_gang(self.order),
        )

    def options(self) -> dict[str, Scalar]:
        """The driver's options, credentials included."""
        options = self.plugin.driver_options(self.target)
        credentials = self.context.credentials()
        if credentials is None:
            return options
        driver = self.plugin.manifest.driver.id
        known = declared(describe_driver(driver).options)
        return {**options, **credentials.driver_options(driver, known)}

    def _share(self) -> Share:
        own = own_member(self.order).share if is_gang(self.order) else None
        return own or Share()

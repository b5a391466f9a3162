"""Carries out one attempt: the plugin's verbs and the driver's phases, as numbered events."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import (
    DriverOrder,
    DriverTarget,
    Failed,
    Interval,
    PhaseFinished,
    PhaseStarted,
    Ready,
)
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import (
    IntervalReported,
    MemoryMeasured,
    PhaseChanged,
    PhaseEnded,
    RunPhase,
    TargetDescribed,
    TimelineMark,
)
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun, describe_driver
from weighhouse_sdk.errors import PluginError, SystemFailed, TargetInvalid
from weighhouse_sdk.lifecycle import Deployed, Description, Plugin
from weighhouse_sdk.machine.network.ways import check_network
from weighhouse_sdk.machine.nodes import Body
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.toolrun.tool import Tool

from weighhouse_agent.faulting import Faulting, check_faults
from weighhouse_agent.policy import Policy, check_endpoint, is_local
from weighhouse_agent.sampling import Sampler
from weighhouse_agent.spool import SpoolWriter

Moment = Literal["before", "after_load", "after"]

END_GRACE_SECONDS = 0.3
"""A server that broke its connections may take so long until its end is seen."""
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


@dataclass
class Execution:
    """One attempt at work, in a process of its own.

    :param target: as the policy has let it pass.
    :param facts: of this machine, versions included.
    """

    order: AttemptOrder
    target: Target
    plugin: Plugin
    policy: Policy
    context: Context
    spool: SpoolWriter
    facts: MachineFacts
    tool: Tool | None = None
    """Makes the load in the place of the plugin's own driver."""
    _deployed: Deployed | None = None
    _description: Description | None = None
    _described: bool = False
    _sampler: Sampler | None = None
    _faulting: Faulting | None = None
    _dead: Body | None = None
    _interrupted: bool = False
    _run: DriverRun | None = field(default=None, repr=False)

    def run(self) -> None:
        """Deploy, measure, collect. Ends without an error only when all was measured.

        :raises PluginError: with kind, message, hint and log lines. `tear_down` comes after it in
            any case.
        """
        self._enter("deploy")
        self.plugin.check_target(self.target)
        check_faults(self.plugin.manifest, self.target, self.order.faults)
        self._driver_options()
        check_network(self.order.faults, self.context.options.search_path)
        self._check_tool()
        deployed = self._deploy()
        self._measure(deployed)
        self.context.check()
        if (dead := self._dead or ended_one(deployed)) is not None:
            raise self._system_ended(dead)
        if self._faulting is not None and self._faulting.failure is not None:
            raise self._faulting.failure
        if self._interrupted:
            raise DriverGaveUp(
                "the driver was told to end by somebody else", "nobody but the agent should"
            )
        self._enter("collect")
        if not self.plugin.in_process:
            self._memory_after(deployed)

    def _memory_after(self, deployed: Deployed) -> None:
        """A system that was broken on purpose need not answer in the end: that is a result."""
        try:
            self._memory("after", deployed)
        except SystemFailed as error:
            if not self.order.faults:
                raise
            self._mark("memory_failed", error.message)

    def hurry(self, stop_seconds: float) -> None:
        """Give the system less time to end by itself."""
        options = replace(self.context.options, stop_seconds=stop_seconds)
        self.context = replace(self.context, options=options)

    def tear_down(self) -> None:
        """Stop the system and remove all that was deployed; works after any failure.

        :raises PluginError: when something would not go.
        """
        if self._faulting is not None:
            self._faulting.finish()
        if self._sampler is not None:
            self._sampler.stop()
        if self._deployed is not None:
            if not self._described:
                self._describe_target(self._deployed, None)
            self.plugin.stop(self.context, self._deployed)
            self._mark("stopped")
        self.plugin.clean_up(self.context)

    def _deploy(self) -> Deployed:
        self.context.check()
        deployed = self.plugin.deploy(self.context)
        self._deployed = deployed
        for endpoint in self.plugin.endpoints(deployed):
            check_endpoint(self.policy, endpoint)
        self._mark("deployed", deployed.version)
        ready = self.plugin.wait_ready(self.context, deployed)
        self._mark("ready", f"after {ready.seconds:.3f} s")
        self._description = self.plugin.describe(self.context, deployed)
        self._memory("before", deployed)
        return deployed

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
        refused = self.tool.refusals(self._driver_order((NOWHERE,), options))
        if refused:
            raise TargetInvalid([("tool", each) for each in refused])
        self.tool.find_versions(self.context.options)

    def _driver_order(
        self, endpoints: tuple[str, ...], options: Mapping[str, Scalar]
    ) -> DriverOrder:
        return DriverOrder(
            workload=self.order.workload,
            target=DriverTarget(endpoints=endpoints, options=dict(options)),
            load=self.order.load,
            phases=self.order.phases,
            seed=self.order.seed,
            interval_seconds=self.order.interval_seconds,
            shards=self.order.threads or 1,
        )

    def _measure(self, deployed: Deployed) -> None:
        driver, options = self.plugin.manifest.driver.id, self._driver_options()
        if self.tool is not None:
            installed = self.tool.find_versions(self.context.options)[0]
            options = self.tool.order_options(options, installed, driver)
            driver = self.tool.manifest.driver.id
        order = self._driver_order(self.plugin.endpoints(deployed), options)
        with DriverRun(driver, order, self.context) as run:
            self._run = run
            self._sampler = Sampler(
                plugin=self.plugin,
                context=self.context,
                deployed=deployed,
                spool=self.spool,
                every_seconds=self.order.sample_seconds,
                on_death=self._died,
                driver_pid=run.pid,
            )
            self._sampler.start()
            self._faulting = Faulting(
                plugin=self.plugin,
                context=self.context,
                deployed=deployed,
                spool=self.spool,
                faults=self.order.faults,
                on_failure=run.terminate,
            )
            for event in run.events():
                match event:
                    case Ready():
                        self._describe_target(deployed, event)
                    case PhaseStarted():
                        self._enter(event.phase)
                        if event.phase == "measure":
                            self._faulting.begin()
                    case Interval():
                        self._interval(event)
                    case PhaseFinished():
                        if event.phase == "measure":
                            self._faulting.finish()
                        self._phase_ended(event, deployed)
                    case Failed():
                        raise self._gave_up(event, deployed)
                    case _:
                        pass

    def _driver_options(self) -> dict[str, Scalar]:
        options = self.plugin.driver_options(self.target)
        credentials = self.context.credentials()
        if credentials is None:
            return options
        driver = self.plugin.manifest.driver.id
        known = declared(describe_driver(driver).options)
        return {**options, **credentials.driver_options(driver, known)}

    def _died(self, process: Body) -> None:
        """The system ended by itself: nothing is left to measure."""
        self._dead = process
        code = process.exit_code
        self._mark("system_ended", f"{process.name}: {code}")
        if self._run is not None:
            self._run.terminate()

    def _system_ended(self, process: Body) -> SystemFailed:
        code = process.exit_code
        reason = process.reason()
        how = f"by signal {-code}" if code is not None and code < 0 else f"with status {code}"
        return SystemFailed(
            f"{process.name} ended {how} during the run" + (f": {reason}" if reason else ""),
            "its own log tells why; signal 9 often means that memory ran out",
            process.log_tail(),
        )

    def _gave_up(self, event: Failed, deployed: Deployed) -> PluginError:
        self.context.check()
        dead = self._dead or ended_one(deployed, END_GRACE_SECONDS)
        if dead is not None:
            return self._system_ended(dead)
        if self._faulting is not None and self._faulting.failure is not None:
            return self._faulting.failure
        log = self._run.process.log_tail() if self._run is not None else ()
        kind = GAVE_UP.get(event.kind, DriverGaveUp)
        if kind is SystemUnreachable:
            log = (*log, *(line for p in deployed.processes for line in p.log_tail()))
        return kind(
            f"the driver gave up ({event.kind}): {event.message}",
            event.hint or "the logs of driver and system tell why",
            log,
        )

    # events

    def _enter(self, phase: RunPhase) -> None:
        self.spool.append(lambda n, at: PhaseChanged(sequence=n, at_us=at, phase=phase))

    def _mark(self, mark: str, label: str = "") -> None:
        self.spool.append(lambda n, at: TimelineMark(sequence=n, at_us=at, mark=mark, label=label))

    def _interval(self, interval: Interval) -> None:
        self.spool.append(lambda n, at: IntervalReported(sequence=n, at_us=at, interval=interval))

    def _phase_ended(self, event: PhaseFinished, deployed: Deployed) -> None:
        self._interrupted = self._interrupted or event.interrupted
        counted = {
            name: {
                "ok": totals.ok,
                "not_found": totals.not_found,
                "errors": sum(totals.errors.values()),
                "verify_failed": totals.verify_failed,
            }
            for name, totals in event.operations.items()
        }
        self.spool.append(
            lambda n, at: PhaseEnded(
                sequence=n,
                at_us=at,
                phase=event.phase,
                duration_us=event.duration_us,
                operations=counted,
                client_bound=event.client_bound,
                client_bound_reasons=event.client_bound_reasons,
                interrupted=event.interrupted,
            )
        )
        if event.phase == "load":
            self._memory("after_load", deployed)
        elif event.phase == "measure" and self.plugin.in_process:
            # The system is gone with the driver, in a moment.
            self._memory("after", deployed)

    def _memory(self, moment: Moment, deployed: Deployed) -> None:
        pid = self._run.pid if self._run is not None else None
        found = self.plugin.memory(self.context, deployed, pid)
        seen = self._sampler.last if self._sampler is not None else None
        resident = found.resident_bytes
        if resident is None and seen is not None:
            resident = seen.resident_bytes
        self.spool.append(
            lambda n, at: MemoryMeasured(
                sequence=n,
                at_us=at,
                moment=moment,
                resident_bytes=resident,
                used_bytes=found.used_bytes,
                disk_bytes=found.disk_bytes,
            )
        )

    def _describe_target(self, deployed: Deployed, ready: Ready | None) -> None:
        """What was set up, with what the driver said of itself when it was ready."""
        self._described = True
        found = self._description
        endpoints = self.plugin.endpoints(deployed)
        facts = self.facts
        if ready is not None:
            versions = {**facts.versions, f"driver {ready.driver}": ready.version}
            facts = facts.model_copy(update={"versions": versions})
        self.spool.append(
            lambda n, at: TargetDescribed(
                sequence=n,
                at_us=at,
                version=found.version if found else deployed.version,
                endpoints=endpoints,
                effective_configuration=found.settings if found else (),
                commands=(found.commands if found else ()) or deployed.commands,
                facts=facts,
                co_located=all(is_local(each) for each in endpoints),
                layout=ready.layout if ready else None,
                stream_hash=ready.stream_hash if ready else None,
            )
        )


def ended_one(deployed: Deployed, grace_seconds: float = 0.0) -> Body | None:
    """The first of the system's processes that has ended by itself; None when all run."""
    for node in deployed.nodes:
        if not node.down:
            node.body.wait(grace_seconds)
    return deployed.ended_by_itself()

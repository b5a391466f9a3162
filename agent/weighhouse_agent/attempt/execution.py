"""Carries out one attempt: the plugin's verbs and the driver's phases, as numbered events."""

from contextlib import suppress
from dataclasses import dataclass, field, replace

from weighhouse_protocol.chain_links import links_of
from weighhouse_protocol.driver import (
    DriverEvent,
    DriverOrder,
    Failed,
    Interval,
    PhaseFinished,
    PhaseStarted,
    Ready,
)
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.faults import Fault
from weighhouse_protocol.load import PhaseKind
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, Hosts
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import PluginError, SystemFailed
from weighhouse_sdk.lifecycle import Deployed, Description, Plugin
from weighhouse_sdk.machine.network.ways import check_network
from weighhouse_sdk.machine.nodes import Body
from weighhouse_sdk.toolrun.tool import Tool

from weighhouse_agent.attempt import held_data
from weighhouse_agent.attempt.caches import Cooling, parts_of
from weighhouse_agent.attempt.compatibility import check_compatible
from weighhouse_agent.attempt.credentials import without_secrets
from weighhouse_agent.attempt.driver_plan import DriverGaveUp, DriverPlan, gave_up
from weighhouse_agent.attempt.ends import END_GRACE_SECONDS, ended_one, system_ended
from weighhouse_agent.attempt.event_log import Reporter
from weighhouse_agent.attempt.faults import Faulting
from weighhouse_agent.attempt.files_kept import keep_what_they_wrote
from weighhouse_agent.attempt.fill_limits import Filling
from weighhouse_agent.attempt.sampler import Sampler
from weighhouse_agent.attempt.self_report import SelfReport
from weighhouse_agent.delivery.spool import SpoolWriter
from weighhouse_agent.machine.disk_space import DiskFull
from weighhouse_agent.machine.kept_data import KeptData
from weighhouse_agent.machine.policy import Policy, check_endpoint, hosts_of


@dataclass
class Execution(SelfReport):
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
    _plan: DriverPlan = field(init=False)
    _reporter: Reporter = field(init=False)
    _deployed: Deployed | None = None
    """The nodes on this machine, or a system that was there before; None: not yet, or not here."""
    _endpoints: tuple[str, ...] = ()
    """Where the driver finds the system."""
    _hosts: Hosts = field(default_factory=dict)
    """The addresses of names in there."""
    _description: Description | None = None
    _described: bool = False
    _sampler: Sampler | None = None
    _faulting: Faulting | None = None
    _filling: Filling | None = None
    kept: KeptData | None = None
    """Where records of `data: once` wait for the campaign's next run; None: they go with this."""
    _all_went_well: bool = False
    _dead: Body | None = None
    _interrupted: bool = False
    _phases_before: int = 0
    """Driver's phases of the chain's links that are over."""
    _stream_hash: str | None = None
    """What the present link's driver said; None where phases are not chained."""
    _run: DriverRun | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._plan = self._plan_of(self.order)
        self._reporter = Reporter(self.spool)
        if self.order.fill_until is not None:
            self._filling = Filling(
                until=self.order.fill_until,
                system=self.plugin.manifest.name,
                context=self.context,
                on_end=self._end_driver,
                mark=self._reporter.mark,
            )

    def _plan_of(self, order: AttemptOrder) -> DriverPlan:
        return DriverPlan(order, self.target, self.plugin, self.context, self.tool)

    def run(self) -> None:
        """Deploy, measure, collect. Ends without an error only when all was measured.

        :raises PluginError: with kind, message, hint and log lines. `tear_down` comes after it in
            any case.
        """
        self._enter("deploy")
        self._check()
        self._deploy()
        self._measure()
        self._hold_to_the_order()
        self._enter("collect")
        self._collect()
        self._all_went_well = True

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
                with suppress(DiskFull):
                    self._describe_target(None)
            self.plugin.stop(self.context, self._deployed)
            with suppress(DiskFull):
                self._reporter.mark("stopped")
        keep_what_they_wrote(self.plugin, self.context)
        if self._all_went_well and self.kept is not None:
            self.kept.keep(self.context.data_directory)
        self.plugin.clean_up(self.context)

    # the course

    def _check(self) -> None:
        """Hold the order against plugin, machine and tool before anything is set up.

        :raises PluginError: of the kind that fits.
        """
        self._check_order()
        for link in links_of(self.order):
            self._plan_of(link).check()

    def _check_order(self) -> None:
        tool = None if self.tool is None else self.tool.manifest
        check_compatible(self.order, self.target, self.plugin.manifest, tool, self.context.machine)
        self.plugin.check_here(self.context)  # one of somebody else's may ask for more
        check_network(self._own_faults(), self.context.options.search_path)

    def _deploy(self) -> None:
        self.context.check()
        deployed = self._deployed = self.plugin.deploy(self.context)
        self._reach(self.plugin.endpoints(deployed))
        if self.kept is not None and self.kept.take(self.context.data_directory):
            self._reporter.mark("records_shared", "of an earlier run of the campaign")
            self.order = held_data.without_load(self.order)
        self._reporter.mark("deployed", deployed.version)
        ready = self.plugin.wait_ready(self.context, deployed)
        self._reporter.mark("ready", f"after {ready.seconds:.3f} s")
        self._look_at(deployed)

    def _reach(self, endpoints: tuple[str, ...]) -> None:
        """Take in where the driver is to find the system.

        :raises PolicyRefused: when this machine's policy does not let it go there.
        """
        own = (self.context.data_directory,)
        checked = [check_endpoint(self.policy, each, own) for each in endpoints]
        self._endpoints = tuple(str(each.endpoint) for each in checked)
        self._hosts = {**hosts_of(checked), **self.context.hosts}

    def _look_at(self, deployed: Deployed) -> None:
        told = self._description = self.plugin.describe(self.context, deployed)
        self._plan_of(self.order).hold(told.settings)
        found = self._memory("before")
        self._reporter.not_told(deployed.refusals)
        if records := held_data.beside(self.order, None if found is None else found.records):
            self._reporter.held(records)

    def _measure(self) -> None:
        """All links of a chain, one after the other on the same system; most runs have one."""
        self._plan = self._plan_of(self.order)
        if not held_data.loads(self.order) and self._plan.is_first:
            self._look_for_records()
        *parts, last = parts_of(self.order, lambda link: self._plan_of(link).threads())
        for part in (*parts, last):
            if part.cold:
                self._cool()
            self._plan = self._plan_of(part.order)
            driver, order = self._driver_order(self._plan)
            with DriverRun(driver, order, self.context, name=part.name) as run:
                self._run = run
                self._watch(run.pid)
                for event in run.events():
                    self._take(without_secrets(event, self.context.credentials()))
            self._phases_before += len(part.order.phases)
            if part.ends_link and part is not last:
                self._link_over()

    def _cool(self) -> None:
        """See to the caches between load and measurement; nothing is looked at meanwhile."""
        self._hold_to_the_order()
        if self._sampler is not None:
            self._sampler.stop()
        if (deployed := self._deployed) is not None:
            way, mark = self.policy.drop_caches, self._reporter.mark
            self._count_served("before_restart")
            Cooling(self.plugin, self.context, self.target, deployed, way, mark).cool()
            self._count_served("after_restart")

    def _look_for_records(self) -> None:
        """Read a sample of the records that are to be there, before anything is measured."""
        _, order = self._driver_order(replace(self._plan, tool=None))
        driver = self.plugin.manifest.driver.id
        with DriverRun(driver, held_data.sample_order(order), self.context, name="check") as run:
            self._run = run
            shown = self.context.credentials()
            if failed := held_data.told_of_sample(run.events(), shown, self._reporter):
                raise self._gave_up(failed)
        self._run = None

    def _link_over(self) -> None:
        """A link has ended and another follows: what it left behind is its own.

        :raises PluginError: when it did not go as ordered: then nothing follows.
        """
        self._hold_to_the_order()
        if self._sampler is not None:
            self._sampler.stop()
        self._memory("after")

    def _driver_order(self, plan: DriverPlan) -> tuple[str, DriverOrder]:
        return plan.order_for(self._endpoints, self._hosts)

    def _watch(self, driver_pid: int | None) -> None:
        """Begin to look at what is here, and be ready to break it."""
        self._sampler = Sampler(
            plugin=self.plugin,
            context=self.context,
            deployed=self._deployed,
            spool=self.spool,
            every_seconds=self.order.sample_seconds,
            on_death=self._died,
            driver_pid=driver_pid,
            looker=self._filling,
        )
        self._sampler.start()
        if self._deployed is None:
            return
        self._faulting = Faulting(
            plugin=self.plugin,
            context=self.context,
            deployed=self._deployed,
            spool=self.spool,
            faults=self._own_faults(),
            on_failure=self._end_driver,
        )

    def _own_faults(self) -> tuple[Fault, ...]:
        """What is to be done to nodes that are here."""
        return self.order.faults

    def _hold_to_the_order(self) -> None:
        """:raises PluginError: where not all went as ordered."""
        self.context.check()
        if (dead := self._dead or ended_one(self._deployed)) is not None:
            raise system_ended(dead)
        if self._faulting is not None and self._faulting.failure is not None:
            raise self._faulting.failure
        if self._filling is not None and self._filling.failure is not None:
            raise self._filling.failure
        if self._interrupted and (self._filling is None or self._filling.ended is None):
            raise DriverGaveUp(
                "the driver was told to end by somebody else", "nobody but the agent should"
            )

    def _collect(self) -> None:
        """A system that was broken on purpose need not answer in the end: that is a result."""
        if self.target.deployment == "in_process":
            return
        try:
            self._memory("after")
        except SystemFailed as error:
            if not self.order.faults:
                raise
            self._reporter.mark("memory_failed", error.message)

    # the driver

    def _take(self, event: DriverEvent) -> None:
        match event:
            case Ready():
                if self.order.chain:
                    self._stream_hash = event.stream_hash
                if not self._phases_before:
                    self._describe_target(event)
                self._driver_ready()
            case PhaseStarted():
                self._phase_begun(event.phase)
            case Interval():
                index = self._phases_before + event.index
                self._reporter.interval(event.model_copy(update={"index": index}))
                if self._filling is not None:
                    self._filling.inserted(event)
            case PhaseFinished():
                self._phase_over(event)
            case Failed():
                raise self._gave_up(event)
            case _:
                pass

    def _driver_ready(self) -> None:
        """The driver is connected; one that is not held goes on by itself."""

    def _phase_begun(self, phase: PhaseKind) -> None:
        self._enter(phase)
        if self._phases_before and self._deployed is not None:
            self._reporter.not_told(self._deployed.refusals)  # A link is a run of its own.
        for following in (self._faulting, self._filling):
            if phase == "measure" and following is not None:
                following.begin()

    def _phase_over(self, event: PhaseFinished) -> None:
        self._count(event)
        if event.phase == "load":
            self._memory("after_load")
        elif event.phase == "measure" and self.target.deployment == "in_process":
            # The system is gone with the driver, in a moment.
            self._memory("after")

    def _count(self, event: PhaseFinished) -> None:
        """A phase is over for the driver here."""
        if event.phase == "measure" and self._faulting is not None:
            self._faulting.finish()
        self._interrupted = self._interrupted or event.interrupted
        self._reporter.phase_ended(event, self._stream_hash)

    def _end_driver(self) -> None:
        if self._run is not None:
            self._run.terminate()

    def _died(self, process: Body) -> None:
        """The system ended by itself: nothing is left to measure."""
        self._dead = process
        self._reporter.mark("system_ended", f"{process.name}: {process.exit_code}")
        self._end_driver()

    def _gave_up(self, event: Failed) -> PluginError:
        self.context.check()
        dead = self._dead or ended_one(self._deployed, END_GRACE_SECONDS)
        if dead is not None:
            return system_ended(dead)
        if self._faulting is not None and self._faulting.failure is not None:
            return self._faulting.failure
        log = self._run.process.log_tail() if self._run is not None else ()
        return gave_up(event, log, self._deployed.processes if self._deployed is not None else ())

"""What an attempt tells of itself and its system, as numbered events."""

from weighhouse_protocol.counts import CountsMoment
from weighhouse_protocol.driver import Ready
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.report import RunPhase
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.lifecycle import Deployed, Description, MemoryUse, Plugin
from weighhouse_sdk.machine.locality import any_is_here
from weighhouse_sdk.toolrun.tool import Tool

from weighhouse_agent.attempt.event_log import Moment, Reporter
from weighhouse_agent.attempt.programs import programs_of
from weighhouse_agent.attempt.sampler import Sampler


class SelfReport:
    """The part of an execution that reports."""

    target: Target
    plugin: Plugin
    context: Context
    facts: MachineFacts
    _reporter: Reporter
    _deployed: Deployed | None
    _endpoints: tuple[str, ...]
    _description: Description | None
    _described: bool
    _sampler: Sampler | None
    _run: DriverRun | None
    tool: Tool | None

    def _enter(self, phase: RunPhase) -> None:
        self._reporter.enter(phase)
        if phase == "measure":
            self._count_served(phase)

    def _count_served(self, moment: CountsMoment) -> None:
        if self._deployed is not None:
            self._reporter.counted(moment, self.plugin.counts(self.context, self._deployed))

    def _memory(self, moment: Moment) -> MemoryUse | None:
        """Of the system here, with what it counted; nothing where there is none."""
        if self._deployed is None:
            return None
        self._count_served(moment)
        pid = self._run.pid if self._run is not None else None
        found = self.plugin.memory(self.context, self._deployed, pid)
        seen = self._sampler.last if self._sampler is not None else None
        self._reporter.memory(moment, found, seen.resident_bytes if seen is not None else None)
        return found

    def _describe_target(self, ready: Ready | None) -> None:
        """What was set up, with what the driver said of itself when it was ready."""
        told, deployed = self._set_up(), self._deployed
        if told is None:
            return
        self._described = True
        endpoints = self._endpoints
        if not endpoints and deployed is not None:
            endpoints = self.plugin.endpoints(deployed)
        self._reporter.target(
            told,
            endpoints,
            self.facts,
            ready,
            commands=deployed.commands if deployed is not None else (),
            programs=programs_of(
                deployed, self._run, self.tool, self.context.options, self.target.plugins
            ),
            co_located=self._co_located(endpoints),
        )

    def _set_up(self) -> Description | Deployed | None:
        return self._description or self._deployed

    def _co_located(self, endpoints: tuple[str, ...]) -> bool | None:
        """What this agent started is where its driver is, whatever its address."""
        return self.target.deployment != "external" or any_is_here(endpoints)

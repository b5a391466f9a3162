"""What a foreign load tool is to Weighhouse: a driver that somebody else wrote.

A tool makes the load in the place of the plugin's own driver, when a target names it. It is run
through a program of its own, `weighhouse-driver-ID`, that speaks the drivers' protocol
(`toolrun.program`), so that whoever runs drivers runs tools alike. What a tool's options cannot
say is refused before anything is deployed; nothing is changed silently.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.tools import option_errors
from weighhouse_protocol.compatibility.workloads import carrying_errors, making_errors
from weighhouse_protocol.document_errors import FieldError, within
from weighhouse_protocol.driver import DriverOrder
from weighhouse_protocol.load import Phase
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.reach import Reach

from weighhouse_sdk.context import HostOptions
from weighhouse_sdk.lifecycle import Installed
from weighhouse_sdk.toolrun.work import Slice, Work

PROGRAM_OPTION = "tool_program"
"""Option of the order that says which program the tool is; the agent's alone."""
STAND_IN_OPTION = "tool_stands_in_for"
"""Option of the order that says in which driver's place the tool is; the agent's alone."""


class Tool(ABC):
    """One foreign load tool. Subclass it, and name the instance in the entry-point group
    `weighhouse.plugins`, where the systems' plugins are.

    :param manifest: what `plugin.toml` says; `registry.packaged_manifest` reads it.
    """

    loads: ClassVar[Literal["engine", "tool"]]
    """Who writes the records of a load phase: Weighhouse's own driver, so that the tool meets the
    very records that the engine would; or the tool, when it can address none but its own."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest

    @property
    def manifest(self) -> Manifest:
        """What `plugin.toml` says, with the folder's README.md as documentation."""
        return self._manifest

    @property
    def reach(self) -> Reach:
        """What its options can say; nothing, where its manifest has none."""
        return (self.manifest.tool.reach if self.manifest.tool else None) or Reach()

    @property
    def drivers(self) -> tuple[str, ...]:
        """Drivers in whose place it can make load."""
        return self.manifest.tool.drivers if self.manifest.tool else ()

    @abstractmethod
    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """The versions on this machine, best first; makes no load.

        :raises BinaryMissing: when there is none, with where to get it.
        :raises WrongProduct: when the program of that name is something else.
        """

    def refusals(self, order: DriverOrder) -> list[str]:
        """Everything in the order's workload, load, phases and options that the tool's own options
        cannot say, one sentence each; none: it does exactly what the order says. Endpoints do not
        matter here: it is asked before there are any. A tool adds what its manifest does not tell.
        """
        errors = (
            *within("workload", carrying_errors(order.workload, self.manifest)),
            *within("load", making_errors(order.load, self.manifest)),
            *self._shards(order),
            *self._phases(order),
            *within("options", option_errors(order.target.options, self.manifest)),
        )
        told = [f"{each.path}: {each.message}; expected: {each.expected}" for each in errors]
        return [*told, *self._shared(order)]

    def _shards(self, order: DriverOrder) -> Iterator[FieldError]:
        if order.shards > 1 and not self.reach.shards:
            message = f"{self.manifest.name} cannot be told how many threads to have"
            yield FieldError("shards", message, "1")

    def _phases(self, order: DriverOrder) -> Iterator[FieldError]:
        name = self.manifest.name
        for index, phase in enumerate(order.phases):
            ends = (phase.operation_count, phase.duration_seconds)
            if phase.kind == "load":
                continue
            if None not in ends and not self.reach.endless:
                message = f"{name} ends at a count or at a time, not at the first"
                yield FieldError(f"phases[{index}]", message, "one of both")
            if ends == (None, None):
                yield FieldError(f"phases[{index}]", "has no end", "a count or a time")

    def _shared(self, order: DriverOrder) -> Iterator[str]:
        """What it cannot do as one of several that make a load together."""
        if order.share.of == 1:
            return
        name = self.manifest.name
        loads = any(phase.kind == "load" for phase in order.phases)
        if loads and self.loads == "tool" and not self.reach.slices:
            yield (
                f"placement.drivers.machines: {name} loads all records by itself, not a part of "
                "them; use 1"
            )
        if order.workload.operations.insert > 0:
            yield (
                f"workload.operations.insert: {name} on several machines would insert the same "
                "records on each; use 1 in placement.drivers.machines"
            )

    @abstractmethod
    def perform(self, phase: Phase, work: Work) -> Iterator[Slice]:
        """Run the tool for one phase, and tell what it measured, slice by slice.

        :raises SystemFailed: when the tool says that the system does not answer, or wrongly.
        :raises DriverFailed: when the tool itself fails, or writes what is not known of it.
        """

    def processors(self, order: DriverOrder) -> int | None:
        """How many processors it can use at most; None: as many as there are, or not to be told
        from those of the system.
        """
        del order
        return None

    def order_options(
        self, options: Mapping[str, Scalar], installed: Installed, driver_id: str
    ) -> dict[str, Scalar]:
        """What goes into `target.options` of the order: the driver's, and what the tool's program
        has to know.

        :param options: as the system's plugin gives them to its own driver.
        :param installed: which version of the tool.
        :param driver_id: in whose place it works.
        """
        return {
            **options,
            PROGRAM_OPTION: str(installed.executable),
            STAND_IN_OPTION: driver_id,
        }

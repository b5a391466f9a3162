"""The conformance kit of load tools: what every tool must hold, tried against the real tool.

Subclass `ToolConformance` in the tool's tests. A tool that is not on the machine is refused with
where to get it; that much is tried in any case.
"""

# ruff: noqa: D102, S101 - a test's name says what it holds, and pytest explains assertions

from pathlib import Path
from typing import ClassVar

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverEvent, DriverOrder, DriverTarget
from weighhouse_protocol.load import ClosedLoad, OpenLoad, Phase
from weighhouse_protocol.workload import OperationMix, Workload

from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.errors import BinaryMissing
from weighhouse_sdk.registry import load_tool
from weighhouse_sdk.testkit.testing import processes_below
from weighhouse_sdk.toolrun.tool import Tool


def tool_order(workload: Workload, **changes: object) -> DriverOrder:
    """An order for a tool: load, then measure for a second, two clients."""
    order = DriverOrder(
        workload=workload,
        target=DriverTarget(endpoints=("tcp://127.0.0.1:0",)),
        load=ClosedLoad(clients=2),
        phases=(Phase(kind="load", clients=2), Phase(kind="measure", duration_seconds=1.0)),
        seed=7,
    )
    return order.model_copy(update=changes)


def tool_target(tool: Tool, endpoints: tuple[str, ...], **options: Scalar) -> DriverTarget:
    """What a tool that is installed is told of a system, in the place of its driver."""
    installed = tool.find_versions(HostOptions())[0]
    told = tool.order_options(options, installed, tool.drivers[0])
    return DriverTarget(endpoints=endpoints, options=told)


def events_of(tool: Tool, order: DriverOrder, context: Context) -> list[DriverEvent]:
    """All that a tool's program tells of an order; nothing of it runs on."""
    with DriverRun(tool.manifest.id, order, context) as run:
        events = list(run.events())
    assert not processes_below(context.scratch_directory)
    return events


class ToolConformance:
    """What every tool must hold."""

    tool: ClassVar[Tool]
    fitting: ClassVar[Workload]
    """A workload that the tool can carry out to the letter."""

    def test_is_found_by_its_entry_point(self) -> None:
        assert load_tool(self.tool.manifest.id) is self.tool

    def test_missing_program_is_named_with_where_to_get_it(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        for name in ("PATH", "HOME", "WEIGHHOUSE_CACHE"):
            monkeypatch.setenv(name, str(tmp_path))
        monkeypatch.delenv("CASSANDRA_HOME", raising=False)
        with pytest.raises(BinaryMissing) as caught:
            self.tool.find_versions(HostOptions(search_path=str(tmp_path)))
        assert caught.value.hint
        assert caught.value.failure().kind == "missing_binary"

    def test_fitting_workload_is_not_refused(self) -> None:
        assert self.tool.refusals(tool_order(self.fitting)) == []

    def test_each_part_of_a_workload_that_it_cannot_say_is_refused(self) -> None:
        strange = {
            "ttl_seconds": 60, "verify_fraction": 0.5, "keys_per_read": 2,
            "read_miss_fraction": 0.1, "value_repetition": 0.3, "insert_start": 5,
            "fill_on_miss": True, "reconnect_every": 10,
        }  # fmt: skip
        for part, value in strange.items():
            workload = self.fitting.model_copy(update={part: value})
            refused = self.tool.refusals(tool_order(workload))
            assert (part in self.tool.reach.workload) or any(part in each for each in refused), part

    def test_operations_distributions_and_options_are_held_against_the_manifest(self) -> None:
        mix = OperationMix(delete=1.0)
        workload = self.fitting.model_copy(
            update={"operations": mix, "request_distribution": "zipf"}
        )
        target = DriverTarget(endpoints=("tcp://127.0.0.1:0",), options={"nonsense": 1})
        refused = "\n".join(self.tool.refusals(tool_order(workload, target=target)))
        assert "operations.delete" in refused
        assert "request_distribution" in refused
        assert "options.nonsense" in refused

    def test_loads_that_it_cannot_make_are_refused(self) -> None:
        pausing = tool_order(self.fitting, load=ClosedLoad(clients=1, think_time_us=10))
        assert any("think_time" in each for each in self.tool.refusals(pausing))
        opened = tool_order(self.fitting, load=OpenLoad(model="open", rate_per_second=100))
        refused = any("load.model" in each for each in self.tool.refusals(opened))
        assert refused is not self.tool.reach.open_loop

    def test_stands_in_for_drivers_and_has_one_of_its_own(self) -> None:
        assert self.tool.drivers
        assert self.tool.manifest.driver.id == self.tool.manifest.id

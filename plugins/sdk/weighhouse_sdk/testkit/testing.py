"""The conformance kit: what every plugin must hold, tried against the real system.

Subclass `PluginConformance` in the plugin's tests, name the plugin, say which parameters to change
and what the system then says of itself, and run pytest. The system and its driver must be on the
machine; a test that cannot run fails.
"""

# ruff: noqa: D102, S101 - a test's name says what it holds, and pytest explains assertions

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest
from weighhouse_protocol.base import Scalar
from weighhouse_protocol.report import Setting
from weighhouse_protocol.target import Deployment, Target

from weighhouse_sdk.configuration import same_value, system_names, system_value
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import DriverRun, describe_driver
from weighhouse_sdk.errors import (
    BinaryMissing,
    Cancelled,
    DeadlinePassed,
    NotReady,
    TargetInvalid,
    VersionMissing,
)
from weighhouse_sdk.figures import Kept
from weighhouse_sdk.kept_files import keep_files, kept
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.machine.procfs import all_processes, is_alive, working_directory
from weighhouse_sdk.machine.programs import DRIVERS_VARIABLE
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit.orders import FIELD_BYTES, FIELDS, RECORDS, order_for
from weighhouse_sdk.testkit.parameters_testing import ParametersConformance
from weighhouse_sdk.testkit.settings_testing import check_given
from weighhouse_sdk.testkit.translation import check_translation
from weighhouse_sdk.testkit.ways_in import check_ways_in


def processes_below(directory: Path) -> list[int]:
    """Live processes that work in a directory or below it."""
    found = []
    for stat in all_processes():
        where = working_directory(stat.pid) if stat.alive else None
        if where is not None and where.is_relative_to(directory):
            found.append(stat.pid)
    return found


class PluginConformance(ParametersConformance):
    """What every plugin must hold."""

    plugin: ClassVar[Plugin]
    changed: ClassVar[Mapping[str, Scalar]]
    """Parameters to change, all away from their defaults."""
    impossible: ClassVar[Mapping[str, Scalar]]
    """Parameters that the system refuses, whether or not the manifest does before it."""
    refusal: ClassVar[str]
    """What the system's own log says then."""
    records: ClassVar[int] = RECORDS
    """How many are loaded; fewer where a write takes the longer the more there are."""
    untold: ClassVar[frozenset[str]] = frozenset()
    """Parameters that the system does not tell back."""
    follows: ClassVar[bool] = False
    """Whether some of its settings follow from those that are changed."""

    @pytest.fixture
    def target(self) -> Target:
        """The plugin's system with nothing changed."""
        manifest = self.plugin.manifest
        return Target(name="t", system=manifest.id, deployment=manifest.default_deployment)

    @pytest.fixture
    def context(self, target: Target, tmp_path: Path) -> Iterator[Context]:
        """A context for that target, cleaned up in the end."""
        context = Context.open(target, tmp_path / "attempt")
        yield context
        self.plugin.clean_up(context)

    @pytest.fixture
    def bystander(self, target: Target, tmp_path: Path) -> Iterator[Context]:
        """Another attempt on the same machine, none of the first one's business."""
        context = Context.open(target, tmp_path / "bystander")
        yield context
        self.plugin.clean_up(context)

    def with_parameters(self, context: Context, parameters: Mapping[str, Scalar]) -> Context:
        """The same context for a target with these parameters."""
        target = context.target.model_copy(update={"parameters": dict(parameters)})
        return Context.open(target, context.directory)

    def told(self) -> dict[str, dict[str, Any]]:
        """The schemas of the parameters whose defaults the system tells back, by name: not those
        that are left to it.
        """
        return {
            name: schema
            for name, schema in declared(self.plugin.manifest.parameters).items()
            if name not in self.untold and schema.get("x-unset") != schema["default"]
        }

    def settings(self, context: Context) -> dict[str, Setting]:
        """Deploy, ask for the effective configuration, stop; hold the rules of fairness to it."""
        deployed = self.plugin.deploy(context)
        try:
            self.plugin.wait_ready(context, deployed)
            described = self.plugin.describe(context, deployed)
        finally:
            self.plugin.stop(context, deployed)
        ends = self.plugin.endpoints(deployed)
        check_translation(self.plugin.manifest, context.target, described.settings, ends)
        return {setting.name: setting for setting in described.settings}

    def test_is_found_by_its_entry_point(self) -> None:
        assert load_plugin(self.plugin.manifest.id) is self.plugin

    def test_settings_beside_parameters_are_given_to_its_servers(self, tmp_path: Path) -> None:
        check_given(self.plugin, tmp_path / "orders")

    def test_version_is_found(self, target: Target) -> None:
        installed = self.plugin.check_host(target, HostOptions())
        assert installed.version[0].isdigit()
        assert installed.executable.is_file()
        exact = target.model_copy(update={"version": installed.version})
        assert self.plugin.check_host(exact, HostOptions()) == installed

    def test_another_version_is_refused_with_those_there_are(self, target: Target) -> None:
        wanted = target.model_copy(update={"version": "0.0.1"})
        with pytest.raises(VersionMissing) as caught:
            self.plugin.check_host(wanted, HostOptions())
        assert caught.value.found
        assert caught.value.found[0] in str(caught.value)

    def test_missing_program_is_named(
        self, context: Context, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        nowhere = str(tmp_path)
        for name in ("PATH", "HOME", "CARGO_TARGET_DIR", DRIVERS_VARIABLE):
            monkeypatch.setenv(name, nowhere)
        options = HostOptions(search_path=nowhere)
        with pytest.raises(BinaryMissing) as caught:
            self.plugin.deploy(Context.open(context.target, context.directory, options=options))
        packages = self.plugin.manifest.packages
        assert caught.value.package == packages.get(caught.value.executable, "")
        assert caught.value.package in caught.value.hint
        assert caught.value.hint
        assert caught.value.failure().kind == "missing_binary"

    def test_what_the_manifest_does_not_declare_is_refused(self, target: Target) -> None:
        ways = self.plugin.manifest.deployments
        other = next(way for way in get_args(Deployment) if way not in ways)
        wrong = target.model_copy(
            update={
                "parameters": {"rm -rf": "/"},
                "driver_options": {"nonsense": 1},
                "deployment": other,
            }
        )
        with pytest.raises(TargetInvalid) as caught:
            self.plugin.check_target(wrong)
        paths = [path for path, _ in caught.value.problems]
        assert paths == ["deployment", "parameters.rm -rf", "driver_options.nonsense"]

    def test_every_parameter_of_the_wrong_type_is_refused(self, target: Target) -> None:
        for name, schema in declared(self.plugin.manifest.parameters).items():
            wrong: Scalar = 1.5 if schema["type"] == "string" else "certainly not"
            with pytest.raises(TargetInvalid) as caught:
                self.plugin.check_target(target.model_copy(update={"parameters": {name: wrong}}))
            assert caught.value.problems[0][0] == f"parameters.{name}"

    def test_defaults_of_the_manifest_are_the_vendors(self, context: Context) -> None:
        settings = self.settings(context)
        names = system_names(self.plugin.manifest)
        for name, schema in self.told().items():
            setting = settings[names[name]]
            assert setting.default is not None
            told = system_value(schema, schema["default"])
            assert same_value(setting.default, told), (name, setting.default, told)
            assert setting.value == setting.default, name
            assert setting.source == "default", name

    def test_parameters_arrive(self, context: Context) -> None:
        settings = self.settings(self.with_parameters(context, self.changed))
        names = system_names(self.plugin.manifest)
        schemas = declared(self.plugin.manifest.parameters)
        assert self.changed
        for name in self.changed.keys() - self.untold:
            value, setting = self.changed[name], settings[names[name]]
            told = system_value(schemas[name], value)
            assert same_value(setting.value, told), (name, setting.value, told)
            assert setting.value != setting.default, name
            assert setting.source == "experiment", name
        unexplained = {
            setting.name: setting.source
            for setting in settings.values()
            if setting.source in ({"unknown"} if self.follows else {"unknown", "system"})
        }
        assert not unexplained

    def test_refused_parameters_show_the_systems_own_words(
        self, context: Context, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        context = self.with_parameters(context, self.impossible)
        monkeypatch.setattr(self.plugin, "check_target", lambda *_: None)
        deployed = self.plugin.deploy(context)
        with pytest.raises(NotReady) as caught:
            self.plugin.wait_ready(context, deployed)
        assert self.refusal in "\n".join(caught.value.log_lines)
        assert caught.value.hint
        self.plugin.stop(context, deployed)
        self.plugin.clean_up(context)
        assert not processes_below(context.directory)

    def test_driver_fits_the_manifest(self, target: Target) -> None:
        manifest = self.plugin.manifest
        described = describe_driver(manifest.driver.id)
        assert described.protocol == 1
        assert set(manifest.operations) <= set(described.operations)
        known = set(declared(described.options))
        assert set(declared(manifest.driver.options)) <= known
        parameters = {
            name: schema["default"] for name, schema in declared(manifest.parameters).items()
        }
        full = target.model_copy(update={"parameters": parameters})
        assert set(self.plugin.driver_options(full)) <= known

    def test_every_way_in_that_the_driver_has_is_offered(self, target: Target) -> None:
        check_ways_in(self.plugin, target)

    def test_whole_life(self, context: Context) -> None:
        plugin = self.plugin
        deployed = plugin.deploy(context)
        ready = plugin.wait_ready(context, deployed)
        assert ready.seconds >= 0
        described = plugin.describe(context, deployed)
        assert described.version == deployed.version
        assert described.commands
        before = plugin.memory(context, deployed)
        options = plugin.driver_options(context.target)
        order = order_for(
            plugin.endpoints(deployed), options, measure_seconds=1.0, records=self.records
        )
        samples, memories = [], [before]
        with DriverRun(plugin.manifest.driver.id, order, context) as run:
            for event in run.events():
                if event.event in {"interval", "phase_finished"}:
                    samples.append(plugin.sample(context, deployed, run.pid))
                    memories.append(plugin.memory(context, deployed, run.pid))
                if event.event == "phase_finished":
                    counts = {name: totals.ok for name, totals in event.operations.items()}
                    assert sum(counts.values()) > 0, counts
                    assert not any(totals.errors for totals in event.operations.values())
                last = event.event
        assert last == "finished"
        assert deployed.version in plugin.describe(context, deployed).version
        self.check_growth(before.used_bytes, memories[-1].used_bytes)
        residents = [each.resident_bytes for each in memories if each.resident_bytes]
        inside = context.target.deployment == "in_process"
        assert residents[-1] > residents[0] or inside
        cpu = [sample.cpu_seconds for sample in samples if sample.cpu_seconds is not None]
        assert cpu[-1] > cpu[0]
        assert all(sample.metrics for sample in samples)
        for sample in samples:
            # Nothing that is no figure, and no size in another unit than bytes.
            assert Kept().told(sample.metrics) == sample.metrics
        assert all(sample.disk_bytes is not None for sample in samples)
        stopped = plugin.stop(context, deployed)
        assert not stopped.killed
        assert set(stopped.exit_codes) <= plugin.orderly_exit_codes
        assert keep_files(context, plugin.kept_files) == ()
        assert bool(kept(context.file_directory)) == bool(plugin.kept_files)
        plugin.clean_up(context)
        assert not processes_below(context.directory)
        assert {path.name for path in context.directory.iterdir()} <= {"logs", "files"}

    def check_growth(self, before: int | None, after: int | None) -> None:
        """Records of so many bytes cannot take less than their payload."""
        if before is not None and after is not None:
            assert after - before >= self.records * FIELDS * FIELD_BYTES

    def test_verbs_are_idempotent(self, context: Context) -> None:
        first = self.plugin.deploy(context)
        self.plugin.wait_ready(context, first)
        second = self.plugin.deploy(context)
        self.plugin.wait_ready(context, second)
        self.plugin.wait_ready(context, second)
        living = processes_below(context.directory)
        assert living == [process.pid for process in second.processes]
        for _ in range(2):
            self.plugin.stop(context, second)
            self.plugin.stop(context, first)
        for _ in range(2):
            self.plugin.clean_up(context)
        assert not processes_below(context.directory)

    def test_cancel_and_deadline_are_obeyed(self, context: Context) -> None:
        deployed = self.plugin.deploy(context)
        late = Context.open(context.target, context.directory, limit_seconds=0)
        with pytest.raises(DeadlinePassed):
            self.plugin.deploy(late)
        context.cancel.cancel("somebody pressed stop")
        with pytest.raises(Cancelled, match="somebody pressed stop"):
            self.plugin.deploy(context)
        self.plugin.stop(context, deployed)

    def test_leftovers_of_a_crash_are_removed_and_nothing_else(
        self, context: Context, bystander: Context
    ) -> None:
        plugin = self.plugin
        deployed = plugin.deploy(bystander)
        plugin.wait_ready(bystander, deployed)
        order = order_for(
            ("file:///replaced",),
            {},
            measure_seconds=300,
            interval_seconds=60,
            records=self.records,
        )
        agent = subprocess.Popen(
            [
                *(
                    sys.executable,
                    "-m",
                    "weighhouse_sdk.testkit.crashing_agent",
                    plugin.manifest.id,
                ),
                *(context.target.model_dump_json(), order.model_dump_json(exclude_none=True)),
                str(context.directory),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        with agent:
            assert agent.stdout is not None
            told = []
            for line in agent.stdout:
                told.append(line.strip())
                if told[-1] == "phase_started measure":
                    break
            agent.kill()
        assert told[-1] == "phase_started measure", told
        inside = context.target.deployment == "in_process"
        expected = {"driver"} if inside else {"driver", plugin.manifest.id}
        leftovers = plugin.leftovers(context)
        assert {leftover.name for leftover in leftovers} == expected
        assert plugin.clean_up(context).ended == leftovers
        assert not any(is_alive(each.pid, each.start_ticks) for each in leftovers)
        assert not plugin.leftovers(context)
        assert not context.data_directory.exists()
        for process in deployed.processes:
            assert process.exit_code is None
        assert bystander.data_directory.is_dir()
        plugin.stop(bystander, deployed)

"""The life of a RocksDB under test: a directory, and a library inside the driver."""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import DriverOrder, DriverTarget, Failed
from weighhouse_protocol.load import ClosedLoad, Phase
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload
from weighhouse_sdk.configuration import explained, system_names, system_value
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.driver import DriverRun, locate_driver
from weighhouse_sdk.errors import NotReady
from weighhouse_sdk.figures import Kept
from weighhouse_sdk.lifecycle import (
    Deployed,
    Description,
    Installed,
    MemoryUse,
    Plugin,
    Ready,
    Sample,
)
from weighhouse_sdk.machine.resource_usage import Usage, disk_usage, process_usage, tree_usage
from weighhouse_sdk.parameters import declared, defaults
from weighhouse_sdk.places import NodeAddress
from weighhouse_sdk.registry import packaged_manifest

from weighhouse_plugin_rocksdb import files

UNTOLD = {
    "wal": "write.wal",
    "sync_writes": "write.sync",
    "statistics": "db.statistics",
    "rate_limit_bytes_per_second": "db.rate_limit_bytes_per_second",
    "bloom_bits_per_key": "table.bloom_bits_per_key",
}
"""Parameters that no file of RocksDB tells: what it takes with each write, its rate limiter, and of
a filter no more than that there is one."""
VERSION_LIMIT_SECONDS = 60.0
REPORTED = Kept(never_zero=frozenset({"write_amplification"}))
"""Of what its LOG reports: before anything was flushed it is a share of nothing."""


class RocksDbPlugin(Plugin):
    """RocksDB has no server. What a server would say of itself, RocksDB writes into its directory
    when it is opened; so the driver opens a scratch database with one record, once with the
    target's options and once with none, and the difference is the configuration.
    """

    kept_files = ("LOG", "LOG.old.*", "OPTIONS-*")

    def find_versions(self, options: HostOptions) -> tuple[Installed, ...]:
        """The library that the driver brings with it, found by opening a scratch database."""
        executable = locate_driver(self.manifest.driver.id)
        target = Target(name="version", system=self.manifest.id, deployment="in_process")
        with tempfile.TemporaryDirectory(prefix="weighhouse-rocksdb-") as place:
            context = Context.open(
                target, Path(place), limit_seconds=VERSION_LIMIT_SECONDS, options=options
            )
            directory = self._open_scratch(context, "version", {})
            found = files.version(directory)
        if found is None:
            raise NotReady(
                "RocksDB's OPTIONS file does not tell its version", "build the driver again"
            )
        return (Installed(executable, found),)

    def deploy(
        self,
        context: Context,
        peers: tuple[NodeAddress, ...] = (),  # noqa: ARG002 - it lives in the driver
    ) -> Deployed:
        """Make an empty directory; the driver opens it."""
        self.check_here(context)
        installed = self.check_host(context.target, context.options)
        self.clean_up(context)
        directory = self._open_scratch(context, "defaults", {})
        vendor = {
            **files.options(directory),
            **_untold(self.manifest.parameters, defaults(self.manifest.parameters)),
        }
        shutil.rmtree(directory)
        context.data_directory.mkdir()
        return Deployed(
            endpoints=(f"file://{context.data_directory}",),
            version=installed.version,
            commands=(str(installed.executable),),
            vendor_settings=vendor,
        )

    def wait_ready(self, context: Context, deployed: Deployed) -> Ready:  # noqa: ARG002
        """Open a scratch database with the target's options, so that impossible ones show here.

        :raises NotReady: when RocksDB refuses them.
        """
        begun_at = context.clock.monotonic()
        options = self.driver_options(context.target)
        shutil.rmtree(self._open_scratch(context, "trial", options))
        return Ready(context.clock.monotonic() - begun_at)

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """The options RocksDB itself wrote down; what is given with each write, as ordered."""
        directory = self._open_scratch(context, "trial", self.driver_options(context.target))
        ordered = {**defaults(self.manifest.parameters), **context.target.parameters}
        effective = {
            **files.options(directory),
            **_untold(self.manifest.parameters, ordered),
        }
        shutil.rmtree(directory)
        vendor = deployed.vendor_settings or {}
        names = system_names(self.manifest)
        by_experiment = {names[each] for each in context.target.parameters}
        return Description(
            version=deployed.version,
            settings=explained(effective, vendor, by_experiment),
            commands=deployed.commands,
        )

    def as_ordered(self, context: Context, deployed: Deployed) -> frozenset[str]:  # noqa: ARG002 - the same for all
        """What is given with each write, and what no file of RocksDB tells."""
        return frozenset(UNTOLD.values())

    def sample(
        self,
        context: Context,
        deployed: Deployed,  # noqa: ARG002 - one shape for all plugins
        driver_pid: int | None = None,
    ) -> Sample:
        """The driver's process, RocksDB and load generator together; files on disk."""
        usage = _usage(context, driver_pid)
        return Sample(
            at_us=context.clock.now_us(),
            cpu_seconds=usage.cpu_seconds if usage else None,
            resident_bytes=usage.resident_bytes if usage else None,
            disk_bytes=disk_usage(context.data_directory),
            metrics={
                **_file_metrics(context.data_directory),
                **REPORTED.told(files.reported(context.data_directory)),
            },
        )

    def memory(
        self,
        context: Context,
        deployed: Deployed,  # noqa: ARG002 - one shape for all plugins
        driver_pid: int | None = None,
    ) -> MemoryUse:
        """Resident memory of the driver's process, None while there is none; disk."""
        usage = _usage(context, driver_pid)
        return MemoryUse(
            resident_bytes=usage.resident_bytes if usage else None,
            disk_bytes=disk_usage(context.data_directory),
        )

    def driver_options(self, target: Target) -> dict[str, Scalar]:
        """All parameters are the driver's options: it is the driver that opens RocksDB."""
        return {**target.driver_options, **target.parameters}

    def _open_scratch(self, context: Context, name: str, options: Mapping[str, Scalar]) -> Path:
        context.check()
        directory = context.scratch_directory / name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        order = DriverOrder(
            workload=Workload(name="one-record", record_count=1),
            target=DriverTarget(endpoints=(f"file://{directory}",), options=dict(options)),
            load=ClosedLoad(clients=1),
            phases=(Phase(kind="load", clients=1),),
            seed=1,
        )
        with DriverRun(self.manifest.driver.id, order, context, name=name) as run:
            for event in run.events():
                if isinstance(event, Failed):
                    raise NotReady(
                        f"RocksDB cannot be opened: {event.message}",
                        event.hint,
                        (*run.process.log_tail(), event.message),
                    )
        return directory


def _usage(context: Context, driver_pid: int | None) -> Usage | None:
    """Of the driver's process; a load tool is a process below it."""
    if driver_pid is None:
        return None
    return process_usage(driver_pid) if context.target.tool is None else tree_usage(driver_pid)


def _untold(schema: Mapping[str, object], values: Mapping[str, Scalar]) -> dict[str, str]:
    known = declared(schema)
    return {
        setting: system_value(known[name], values[name])
        for name, setting in UNTOLD.items()
        if name in values
    }


def _file_metrics(directory: Path) -> dict[str, float]:
    tables = logs = 0
    log_bytes = 0
    for path in directory.glob("*"):
        if path.suffix == ".sst":
            tables += 1
        elif path.suffix == ".log":
            logs += 1
            try:
                log_bytes += path.stat().st_size
            except FileNotFoundError:
                continue
    return {"sst_files": float(tables), "wal_files": float(logs), "wal_bytes": float(log_bytes)}


PLUGIN = RocksDbPlugin(packaged_manifest("weighhouse_plugin_rocksdb"))

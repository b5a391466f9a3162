"""Holds that a real server speaks TLS under the plugin's certificate, which the driver verifies."""

# ruff: noqa: S101 - these are tests

from pathlib import Path

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.driver import Failed, PhaseFinished
from weighhouse_protocol.target import Target

from weighhouse_sdk.configuration import system_names
from weighhouse_sdk.context import Context
from weighhouse_sdk.driver import DriverRun
from weighhouse_sdk.lifecycle import Deployed, Plugin
from weighhouse_sdk.machine.certificates import certify
from weighhouse_sdk.testkit.orders import order_for
from weighhouse_sdk.testkit.translation import check_translation

RECORDS = 100


def check_tls(plugin: Plugin, folder: Path) -> None:
    """Start it with `tls`, load and measure for a moment, and hold that the driver takes no other
    authority's word, and that fairness is told of it.
    """
    target = Target(name="t", system=plugin.manifest.id, parameters={"tls": True})
    plugin.check_target(target)
    context = Context.open(target, folder / "attempt")
    try:
        deployed = plugin.deploy(context)
        plugin.wait_ready(context, deployed)
        assert all(each.startswith("tls://") for each in deployed.endpoints)
        events = _driven(plugin, context, deployed, {})
        ends = [event for event in events if isinstance(event, PhaseFinished)]
        assert [each.phase for each in ends] == ["load", "measure"], events
        assert not any(one.errors for each in ends for one in each.operations.values())
        other = certify(folder / "other", ["127.0.0.1"])
        *_, last = _driven(plugin, context, deployed, {"tls_ca_file": str(other)})
        assert isinstance(last, Failed)
        assert "certificate" in last.message.lower(), last.message
        settings = plugin.describe(context, deployed).settings
        told = check_translation(plugin.manifest, target, settings, plugin.endpoints(deployed))
        assert told.encryption == "tls"
        name = system_names(plugin.manifest)["tls"]
        (found,) = [each for each in settings if each.name == name]
        assert (found.source, found.value) != ("default", found.default)
        plugin.stop(context, deployed)
    finally:
        plugin.clean_up(context)


def _driven(
    plugin: Plugin, context: Context, deployed: Deployed, other: dict[str, Scalar]
) -> list[object]:
    options = {**plugin.driver_options(context.target), **plugin.driver_files(context), **other}
    ends = plugin.endpoints(deployed)
    order = order_for(ends, options, measure_seconds=0.3, records=RECORDS)
    with DriverRun(plugin.manifest.driver.id, order, context) as run:
        return list(run.events())

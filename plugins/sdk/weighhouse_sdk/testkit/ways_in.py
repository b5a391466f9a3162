"""What a driver can reach and be told stands in the manifest, or here with the reason why not."""

# ruff: noqa: S101 - pytest explains assertions

from collections.abc import Mapping

from weighhouse_protocol.compatibility.targets import is_reserved
from weighhouse_protocol.target import Target

from weighhouse_sdk.credentials import OPTIONS
from weighhouse_sdk.driver import describe_driver
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_sdk.parameters import declared

NOT_OFFERED: Mapping[str, str] = {
    "cluster": "told by the plugin, of a topology with several primaries",
    "replication_factor": "told by the plugin, by the topology",
    "resp3": "RESP2 is what every relative speaks",
    "tls_verify": "an experiment does not decide that anybody may read the password",
}
"""Driver option → why no experiment sets it."""


def check_ways_in(plugin: Plugin, target: Target) -> None:
    """Hold a manifest against its driver's description.

    :raises AssertionError: naming the options, or the ways in, that are on one side alone.
    """
    manifest = plugin.manifest
    described = describe_driver(manifest.driver.id)
    offered = {*declared(manifest.driver.options), *declared(manifest.parameters)}
    offered |= {*plugin.driver_options(target), *OPTIONS, *NOT_OFFERED}
    hidden = {name for name in declared(described.options) if not is_reserved(name)} - offered
    assert not hidden, f"the driver takes {sorted(hidden)}, which no experiment can set"
    servers = set(described.endpoint_kinds) - {"file"}
    written = set(manifest.addresses.kinds) if manifest.addresses else set()
    assert written == servers, f"the driver reaches {servers}, addresses.kinds says {written}"

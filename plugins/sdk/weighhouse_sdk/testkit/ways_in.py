"""What a driver can reach and be told stands in the manifest, or here with the reason why not."""

# ruff: noqa: S101 - pytest explains assertions

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from weighhouse_protocol.base import Scalar
from weighhouse_protocol.compatibility.targets import is_reserved
from weighhouse_protocol.driver import DriverEvent, Failed, PhaseFinished
from weighhouse_protocol.layouts import HASHING
from weighhouse_protocol.target import Target

from weighhouse_sdk.announced import known_by, reached
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.credentials import OPTIONS, Credentials
from weighhouse_sdk.driver import DriverRun, describe_driver
from weighhouse_sdk.lifecycle import Deployed, Plugin
from weighhouse_sdk.machine.certificates import AUTHORITY, CERTIFICATE, KEY
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.testkit.orders import order_for

NOT_OFFERED: Mapping[str, str] = {
    "cluster": "told by the plugin, of a topology with several primaries",
    "replication_factor": "told by the plugin, by the topology",
    "resp3": "RESP2 is what every relative speaks",
    "settings": "told by the plugin, of the target's settings",
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
    if manifest.topology.keys_by_client == "never":
        offered.add(HASHING)
    if "scan" not in manifest.operations:
        offered.add("scan_index")
    hidden = {name for name in declared(described.options) if not is_reserved(name)} - offered
    assert not hidden, f"the driver takes {sorted(hidden)}, which no experiment can set"
    servers = set(described.endpoint_kinds) - {"file"}
    written = set(manifest.addresses.kinds) if manifest.addresses else set()
    assert written == servers, f"the driver reaches {servers}, addresses.kinds says {written}"


READY_SECONDS = 20.0
"""Plenty for a server that is started beside it."""


@dataclass(frozen=True)
class Way:
    """One way in to a server that somebody else started.

    :param endpoint: with PORT, and DIRECTORY for that of the server.
    :param host: where the server listens.
    :param hosts: addresses of names, of which no directory has to know.
    :param options: the driver's.
    :param own: whether the server wants to see a certificate.
    :param server_name: what its certificate is for, by the agent's policy.
    :param announced: host by which the server names itself, and which leads nowhere.
    """

    endpoint: str
    host: str = "127.0.0.1"
    hosts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    options: dict[str, Scalar] = field(default_factory=dict)
    own: bool = False
    server_name: str | None = None
    announced: str = ""

    @property
    def secured(self) -> bool:
        """Whether TLS is spoken."""
        return self.endpoint.startswith("tls")

    def shown(self, files: Path) -> Credentials:
        """What the server wants to see.

        :param files: with what `certify` made.
        """
        if not self.secured:
            return Credentials()
        return Credentials(
            tls_ca_file=files / AUTHORITY,
            tls_server_name=self.server_name,
            tls_certificate_file=files / CERTIFICATE if self.own else None,
            tls_key_file=files / KEY if self.own else None,
        )

    def context(
        self,
        system: str,
        port: int,
        directory: Path,
        shown: Credentials,
        name: str = "attempt",
    ) -> Context:
        """An attempt that comes by it.

        :param directory: the server's.
        """
        endpoint = self.endpoint.replace("PORT", str(port)).replace("DIRECTORY", str(directory))
        target = Target(
            name="there",
            system=system,
            deployment="external",
            endpoints=(endpoint,),
            address_map={f"{self.announced}:{port}": endpoint} if self.announced else {},
            driver_options=self.options,
            credentials="staging",
        )
        return Context.open(
            target,
            directory / name,
            options=HostOptions(credentials=shown, ready_seconds=READY_SECONDS),
            hosts=self.hosts,
        )


def check_reached(plugin: Plugin, context: Context, records: int = 50) -> None:
    """Ask a server that is there what it is, load it and measure it, by a context's way.

    :raises AssertionError: when one of them does not get through.
    """
    deployed, ends, context = found(plugin, context)
    described = plugin.describe(context, deployed)
    assert described.version
    assert described.settings
    events = loaded(plugin, context, ends, records)
    assert not [each for each in events if isinstance(each, Failed)], events[-1]
    assert len([each for each in events if isinstance(each, PhaseFinished)]) == PHASES
    assert plugin.memory(context, deployed).records in (records, None)


def found(plugin: Plugin, context: Context) -> tuple[Deployed, tuple[str, ...], Context]:
    """A server that is there, with the nodes that it names, where the driver is sent, and a context
    whose target has the driver's map; as an agent does it, but for its policy.
    """
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    nodes = plugin.find_nodes(context, deployed)
    if not nodes:
        return deployed, plugin.endpoints(deployed), context
    ends = reached(context.target, nodes)
    spread = plugin.manifest.topology.by_client(context.target)
    known = known_by(context.target, nodes, ends, spread=spread)
    mapping = context.target.model_copy(update={"address_map": dict(known.address_map)})
    knowing = replace(context, target=mapping)
    return replace(deployed, endpoints=known.asked), known.loaded, knowing


def loaded(
    plugin: Plugin, context: Context, endpoints: tuple[str, ...], records: int = 50
) -> list[DriverEvent]:
    """Have the driver load a server and measure it, by a context's way; all that it tells."""
    driver = plugin.manifest.driver.id
    options = dict(plugin.driver_options(context.target))
    if shown := context.credentials():
        options |= shown.driver_options(driver, declared(describe_driver(driver).options))
    order = order_for(endpoints, options, measure_seconds=0.2, records=records)
    known = {"hosts": context.hosts, "address_map": context.target.address_map}
    reaching = order.target.model_copy(update=known)
    with DriverRun(driver, order.model_copy(update={"target": reaching}), context) as run:
        return list(run.events())


PHASES = 2
"""Load and measure."""

"""What this machine accepts, whatever the server says. Written by the operator, read anew for
every attempt, checked by the agent's own code before a plugin is so much as loaded.

```toml
plugins = ["redis", "memcached"]      # "*": every installed one
third_party = ["etcd:3f0c…"]          # of plugins that are not of this release, which bytes may run
deployments = ["process", "in_process"]
networks = ["127.0.0.0/8", "::1/128"] # where endpoints may be
drop_caches = "files"                 # what `caches: dropped` may empty; "machine", as root; "no"
paths = []                            # what `unix://` and `file://` may lead to
max_run_seconds = 3600
max_rate_per_second = 100000          # of open loops
max_clients = 256                     # clients, connections, load clients
settings = ["listed"]                 # beside parameters: those that plugins list; "redis:hz-*"
images = ["docker.io/library/*"]      # containers' images; not given: those that plugins name
pull_images = false                   # whether an image that is missing is pulled
updates = true                        # whether the platform may bring this agent up to its version

[machine]
host = "127.0.0.1"                    # address that servers listen on
search_path = ""                      # where executables are looked for; empty: PATH
agent_cpus = []                       # processors for the agent; the rest is left to the measured
server_cpus = []
driver_cpus = []
ready_seconds = 30
stop_seconds = 10
docker_host = "unix:///var/run/docker.sock"
address = ""                          # where peers of a gang reach this machine; empty: host
spool_mebibytes = 10240               # what may wait here before no more work is taken
spare_mebibytes = 256                 # what has to be free on the disk for that
max_disk_mebibytes = 0                # what a run may take of the disk; 0: what there is
metrics_listen = ""                   # host:port where Prometheus may ask; empty: no port is opened

[[slots]]                             # not given: one slot, the machine
name = "left"
processors = [0, 1]
memory_mebibytes = 8192
ports = [20000, 20999]                # first and last that servers listen on

[credentials.staging]                 # what a target's `credentials: staging` stands for
endpoints = ["tls://10.0.0.5:6379"]   # used for these alone
username = "loader"
password_file = "/etc/weighhouse/staging.password"
tls = true                            # never without TLS
tls_ca_file = "/etc/weighhouse/staging-ca.pem"
tls_server_name = ""                  # name in the server's certificate; empty: the endpoint's host
tls_certificate_file = ""             # what this machine shows of itself, and its key
tls_key_file = ""
```
"""

import ipaddress
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from weighhouse_protocol.base import Document, Name
from weighhouse_protocol.chain_links import links_of, most_clients
from weighhouse_protocol.compatibility.targets import is_reserved
from weighhouse_protocol.endpoints import NotAnEndpoint, concealed
from weighhouse_protocol.facts import PolicyStatement
from weighhouse_protocol.load import ClosedLoad
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.target import Deployment, Target
from weighhouse_protocol.text import seen
from weighhouse_sdk.context import HostOptions, Hosts
from weighhouse_sdk.errors import PluginError
from weighhouse_sdk.machine.images import full_name
from weighhouse_sdk.machine.processors import usable_processors

from weighhouse_agent.machine.endpoints import Judged, NotWithin, judged, judged_host
from weighhouse_agent.machine.kept_credentials import KeptCredentials
from weighhouse_agent.machine.policy_faults import what_is_wrong
from weighhouse_agent.machine.slots import Slot, check_exclusive

EVERYTHING = "*"
LISTED = "listed"
"""In `settings`: those that plugins say are harmless."""
AllowedSetting = Annotated[str, Field(pattern=r"^(listed|[a-z0-9._-]+:[A-Za-z0-9_.*-]+)$")]
ThirdParty = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}:[0-9a-f]{64}$")]
DropCaches = Literal["no", "files", "machine"]

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class PolicyRefused(PluginError):
    """The machine's own policy does not accept what the server ordered."""

    kind = "policy"


class Machine(Document):
    """How this machine runs what it accepts."""

    host: str = "127.0.0.1"
    search_path: str = ""
    agent_cpus: frozenset[int] = frozenset()
    server_cpus: frozenset[int] = frozenset()
    driver_cpus: frozenset[int] = frozenset()
    ready_seconds: float = Field(default=30.0, gt=0)
    stop_seconds: float = Field(default=10.0, gt=0)
    docker_host: str = HostOptions.docker_host
    address: str = ""
    """Where peers reach servers on this machine; empty: `host`."""
    spool_mebibytes: int = Field(default=10_240, ge=1)
    """What may wait here for delivery before no more work is taken; nothing is dropped."""
    spare_mebibytes: int = Field(default=256, ge=1)
    """What has to be free on the disk before work is taken."""
    max_disk_mebibytes: int = Field(default=0, ge=0)
    """What a run may take of the disk, its system's data, logs and spool; 0: what there is."""
    metrics_listen: str = Field(default="", pattern=r"^(\S+:[1-9]\d{0,4})?$")
    """`host:port` where Prometheus may ask, as read at the start; empty: no port is opened."""


class Policy(Document):
    """The policy file. A key that is not known makes the whole file invalid, and an invalid file
    accepts nothing.
    """

    plugins: tuple[str, ...] = (EVERYTHING,)
    third_party: tuple[ThirdParty, ...] = ()
    """Plugins that are not of the agent's release and may be used all the same, each with the
    digest of its files (`PLUGIN:SHA-256`), as `weighhouse plugin check` tells it of a wheel."""
    deployments: tuple[Deployment, ...] = ("process", "in_process")
    external: Literal["read", "prefix", "all"] = "all"
    """What may be done to `external` systems: `read`, nothing is written to them; `prefix`, only
    keys of a workload's `key_prefix` are."""
    networks: tuple[Network, ...] = (
        ipaddress.IPv4Network("127.0.0.0/8"),
        ipaddress.IPv6Network("::1/128"),
    )
    paths: tuple[Path, ...] = ()
    """Sockets and directories that external endpoints may be, or be below."""
    drop_caches: DropCaches = "files"
    """What `caches: dropped` may do: nothing; empty the page cache of the system's own files; or of
    the whole machine, which is everybody's on it and takes root."""
    max_run_seconds: float = Field(default=86_400.0, gt=0)
    max_rate_per_second: float | None = Field(default=None, gt=0)
    max_clients: int | None = Field(default=None, ge=1)
    settings: tuple[AllowedSetting, ...] = (LISTED,)
    """Settings beside parameters that a target may have: `listed`, and further ones as `redis:NAME`
    or `redis:*`. What a plugin never takes no policy allows."""
    images: tuple[str, ...] | None = None
    pull_images: bool = False
    updates: bool = True
    machine: Machine = Machine()
    slots: tuple[Slot, ...] = (Slot(),)
    credentials: dict[Name, KeptCredentials] = Field(default_factory=dict)

    @field_validator("paths")
    @classmethod
    def _are_absolute(cls, paths: tuple[Path, ...]) -> tuple[Path, ...]:
        if not all(path.is_absolute() for path in paths):
            raise ValueError("each is to be an absolute path")
        return paths

    @model_validator(mode="after")
    def _slots_are_exclusive(self) -> Self:
        check_exclusive(self.slots)
        return self

    def slot(self, name: str) -> Slot:
        """A slot by its name.

        :raises PolicyRefused: when there is none of that name.
        """
        for each in self.slots:
            if each.name == name:
                return each
        raise _refusal(f"slot `{name}`", "slots", ", ".join(each.name for each in self.slots))

    def statement(self) -> PolicyStatement:
        """The policy as the server shows it to people."""
        return PolicyStatement(
            plugins=self.plugins,
            networks=tuple(str(network) for network in self.networks),
            deployments=self.deployments,
            max_run_seconds=self.max_run_seconds,
            max_rate_per_second=self.max_rate_per_second,
            max_clients=self.max_clients,
            external=self.external,
            settings=self.settings,
            address=self.machine.address or self.machine.host,
            slots=tuple(each.statement() for each in self.slots),
            updates="allowed" if self.updates else "forbidden",
        )

    def host_options(self, slot_name: str | None = None) -> HostOptions:
        """What plugins are told of the machine.

        :param slot_name: the slot that is theirs; None: the machine as a whole.
        :raises PolicyRefused: when there is no such slot.
        """
        machine = self.machine
        slot = Slot() if slot_name is None else self.slot(slot_name)
        # Not this process's own processors: it may be kept to the agent's already.
        everything = usable_processors()
        given = slot.processors or everything
        rest = given - machine.agent_cpus
        left = (rest or slot.processors or None) if given - rest or slot.processors else None
        plain = HostOptions()
        return HostOptions(
            search_path=machine.search_path or plain.search_path,
            host=machine.host,
            ports=slot.port_range,
            server_cpus=slot.own(machine.server_cpus) or left,
            driver_cpus=slot.own(machine.driver_cpus) or left,
            ready_seconds=machine.ready_seconds,
            stop_seconds=machine.stop_seconds,
            docker_host=machine.docker_host,
            pull_images=self.pull_images,
        )


NOTHING = PolicyStatement(
    plugins=(), networks=(), deployments=(), max_run_seconds=0.0, updates="forbidden"
)
"""What the agent states while its policy file is not valid."""


@dataclass(frozen=True)
class PolicyFile:
    """Where the policy is written."""

    path: Path

    def read(self) -> Policy:
        """The policy now; the defaults when there is no file.

        :raises PolicyRefused: when the file cannot be understood: then nothing is accepted.
        """
        try:
            with self.path.open("rb") as file:
                return Policy.model_validate(tomllib.load(file))
        except FileNotFoundError:
            return Policy()
        except (ValidationError, tomllib.TOMLDecodeError, UnicodeError, OSError) as error:
            raise PolicyRefused(
                f"the policy file of this machine cannot be understood: {what_is_wrong(error)}",
                f"mend {self.path.name} in the agent's directory; until then nothing is accepted",
            ) from error

    def statement(self) -> PolicyStatement:
        """What the server is told; nothing is accepted while the file is not valid."""
        try:
            return self.read().statement()
        except PolicyRefused:
            return NOTHING


class Admitted(NamedTuple):
    """What the policy has let pass."""

    target: Target
    hosts: Hosts
    """The addresses that were checked of each name in its endpoints: nobody looks them up again,
    so that a name cannot point elsewhere a moment later."""


def check_order(policy: Policy, order: AttemptOrder) -> Admitted:
    """Hold an order against the policy, before anything is done for it.

    :raises PolicyRefused: naming the line of the policy that refuses.
    """
    target = order.target
    for plugin in (target.system, target.tool):
        if plugin is not None and not {EVERYTHING, plugin} & set(policy.plugins):
            raise _refusal(f"plugin `{plugin}`", "plugins", ", ".join(policy.plugins))
    if target.deployment not in policy.deployments:
        allowed = ", ".join(policy.deployments)
        raise _refusal(f"deployment `{target.deployment}`", "deployments", allowed)
    if order.limit_seconds > policy.max_run_seconds:
        text = f"a run of up to {order.limit_seconds:g} s"
        raise _refusal(text, "max_run_seconds", f"{policy.max_run_seconds:g}")
    _check_load(policy, order)
    _check_slot(policy, order)
    if reserved := [name for name in target.driver_options if is_reserved(name)]:
        raise PolicyRefused(
            f"an experiment may not set {', '.join(reserved)}: accounts and files are the agent's",
            "name `credentials` that the agent's policy.toml keeps, and leave the options out",
        )
    if target.deployment != "external":
        check_host(policy, policy.machine.host)
        return Admitted(target, {})
    checked = [check_endpoint(policy, each) for each in target.endpoints]
    mapped = {name: check_endpoint(policy, end) for name, end in target.address_map.items()}
    update = {
        "endpoints": tuple(str(each.endpoint) for each in checked),
        "address_map": {name: str(each.endpoint) for name, each in mapped.items()},
    }
    return Admitted(target.model_copy(update=update), hosts_of([*checked, *mapped.values()]))


def hosts_of(checked: Iterable[Judged]) -> Hosts:
    """The addresses of each name among endpoints."""
    return {each.endpoint.host: each.addresses for each in checked if each.addresses}


def check_image(policy: Policy, target: Target, manifest: Manifest) -> None:
    """Hold a container's image against the policy, once the plugin is known and before it is used.

    :raises PolicyRefused: when the image is neither among `images` nor, without that key, the one
        that the plugin's manifest names.
    """
    if target.deployment != "docker":
        return
    own = full_name(manifest.image.image) if manifest.image else ""
    wanted = full_name(target.image) if target.image else own
    if policy.images is None:
        if wanted != own:
            raise _refusal(f"image `{wanted}`", "images", f"those that plugins name, as `{own}`")
    elif not any(fnmatchcase(wanted, pattern) for pattern in policy.images):
        raise _refusal(f"image `{wanted}`", "images", ", ".join(policy.images) or "none")


def _check_load(policy: Policy, order: AttemptOrder) -> None:
    for link in links_of(order):
        _check_link(policy, link)


def _check_link(policy: Policy, order: AttemptOrder) -> None:
    load = order.load
    most = most_clients(order)
    if policy.max_clients is not None and most > policy.max_clients:
        raise _refusal(f"{most} clients", "max_clients", str(policy.max_clients))
    if isinstance(load, ClosedLoad) or policy.max_rate_per_second is None:
        return
    if load.rate_per_second > policy.max_rate_per_second:
        text = f"{load.rate_per_second:g} operations a second"
        raise _refusal(text, "max_rate_per_second", f"{policy.max_rate_per_second:g}")


def _check_slot(policy: Policy, order: AttemptOrder) -> None:
    slot, target = policy.slot(order.slot), order.target
    limit, nodes = target.limits.memory_mebibytes, target.topology.nodes
    if limit is None or slot.memory_mebibytes is None:
        return
    here = [len(each.nodes) for each in order.gang if each.index == order.member] or [nodes]
    if limit * here[0] > slot.memory_mebibytes:
        text = f"{here[0]} × {limit} MiB in slot `{slot.name}`"
        raise _refusal(text, "slots", f"{slot.memory_mebibytes} MiB")


def check_endpoint(policy: Policy, endpoint: str, own: Sequence[Path] = ()) -> Judged:
    """Hold one endpoint against the networks and paths that the policy allows.

    :param own: directories of the attempt, where what the plugin set up may listen, too.
    :raises PolicyRefused: when any of its addresses, or its file, is elsewhere, or it has none.
    """
    shown = seen(concealed(endpoint))[:300]
    try:
        return judged(endpoint, policy.networks, (*policy.paths, *own))
    except NotAnEndpoint as error:
        raise PolicyRefused(
            f"endpoint `{shown}`: {error}", "write SCHEME://HOST:PORT, or unix:///PATH"
        ) from error
    except (NotWithin, OSError) as error:
        raise _elsewhere(policy, f"endpoint `{shown}`", error) from error


def check_host(policy: Policy, host: str) -> None:
    """Hold a machine's address, or its name, against the networks that the policy allows.

    :raises PolicyRefused: when any of its addresses is elsewhere, or it has none.
    """
    try:
        judged_host(host, policy.networks)
    except (NotWithin, OSError, UnicodeError) as error:
        raise _elsewhere(policy, f"host `{seen(host)[:300]}`", error) from error


def _elsewhere(policy: Policy, what: str, error: Exception) -> PolicyRefused:
    if not isinstance(error, NotWithin):
        return PolicyRefused(f"{what}: its name has no address: {error}", "write its address")
    key: PolicyKey = "paths" if error.key == "paths" else "networks"
    allowed = ", ".join(str(each) for each in getattr(policy, key)) or "none"
    return _refusal(f"{what} ({error})", key, allowed)


PolicyKey = Literal[
    "plugins", "deployments", "networks", "paths", "max_run_seconds", "max_rate_per_second",
    "max_clients", "images", "slots",
]  # fmt: skip


def _refusal(what: str, key: PolicyKey, allowed: str) -> PolicyRefused:
    return PolicyRefused(
        f"this machine's policy does not accept {what}; {key}: {allowed}",
        f"the operator of the machine may change `{key}` in the agent's policy.toml,"
        " or let the run go to another agent",
    )

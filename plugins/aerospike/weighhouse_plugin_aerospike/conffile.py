"""Writes `aerospike.conf`: what a node reads when it starts.

Source: https://aerospike.com/docs/database/reference/config and as/etc/aerospike.conf of the server
8.1, both read on 2026-11-21.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.configuration import setting_word, system_value
from weighhouse_sdk.places import Place, is_loopback
from weighhouse_sdk.wire import Address

NAMESPACE = "ycsb"
FABRIC_PORT, HEARTBEAT_PORT = 3001, 3002
"""The vendor's; nodes of one machine have addresses of their own for them."""
DATA_MEBIBYTES = 4096
"""`data-size` of the shipped file: the one setting that a namespace in memory has to have."""
SMALLEST_FILE_MEBIBYTES = 128
ENGINES = {"memory": "memory", "memory_and_files": "memory", "files": "device"}
MEBIBYTE = 2**20
OWN_SECTIONS = {
    "service": "service",
    "listens": "network.service",
    "heartbeat": "network.heartbeat",
    "fabric": "network.fabric",
    "namespace": "namespace",
    "storage": "namespace.storage-engine",
}
"""Sections that a parameter or the agent writes into → their path in a setting's name."""

Block = list["str | tuple[str, Block]"]
"""Lines of a section, and sections in it with their names."""


def node_id(place: Place) -> str:
    """The name of a node in its cluster: hexadecimal, its own wherever it lives, and by its number
    in the order of the nodes.
    """
    digest = hashlib.sha256(str(place.directory).encode()).hexdigest()
    return f"a{place.number:03x}{digest[:10]}"


def file_name(place: Place) -> str:
    """The configuration file's name, which names the node: on the command line it tells whose
    process that is.
    """
    return f"node-{node_id(place)}.conf"


def peer_host(place: Place, address: Address) -> str:
    """Where a node of the deployment listens for its peers.

    Nodes with hosts of their own use these. Nodes that share one, and a node alone, get an address
    of the loopback network that no other port leads to, as all use the same two ports there: ports
    below those that the machine gives to outgoing connections.
    """
    hosts = [each.host for each in place.addresses]
    if hosts.count(address.host) == 1 and (len(hosts) > 1 or not is_loopback(address.host)):
        return address.host
    return f"127.{1 + address.port // 256}.{address.port % 256}.1"


def text(
    parameters: Mapping[str, Scalar], schemas: Mapping[str, dict[str, Any]], place: Place
) -> str:
    """The file for a node.

    :param parameters: those that an experiment set; no others are written.
    :param schemas: the manifest's, which name section and setting of each.
    """
    own: dict[str, Block] = {name: [] for name in OWN_SECTIONS}
    for name, value in parameters.items():
        schema = schemas[name]
        section, directive = schema.get("x-section"), schema.get("x-directive")
        if section and not (directive and value == schema["default"]):
            word = directive or str(schema["x-setting"]).rpartition(".")[2]
            own[section].append(f"{word} {system_value(schema, value)}")
    further: dict[str, Block] = {}
    for name, value in sorted(place.settings.items()):
        section, _, word = name.rpartition(".")
        further.setdefault(section, []).append(f"{word} {setting_word(value, 'true', 'false')}")
    for section, name in OWN_SECTIONS.items():
        own[section] += further.pop(name, [])
    storage = str(parameters.get("storage", "memory"))
    sizes = _sizes(storage, parameters)
    peer = peer_host(place, place.address)
    others = [each for each in place.addresses if each != place.address]
    seeds: Block = [
        f"mesh-seed-address-port {peer_host(place, each)} {HEARTBEAT_PORT}" for each in others
    ]
    listens: Block = [f"address {place.address.host}", f"port {place.address.port}"]
    heartbeat: Block = ["mode mesh", f"address {peer}", f"port {HEARTBEAT_PORT}"]
    network: Block = [
        ("service", [*listens, *own["listens"]]),
        ("heartbeat", [*heartbeat, *seeds, *own["heartbeat"]]),
        ("fabric", [f"address {peer}", f"port {FABRIC_PORT}", *own["fabric"]]),
    ]
    engine: Block = [*sizes, *own["storage"]]
    namespace: Block = [
        f"replication-factor {place.replication_factor}",
        *own["namespace"],
        *_within("namespace", further),
        (f"storage-engine {ENGINES[storage]}", engine),
    ]
    service: Block = ["cluster-name weighhouse", f"node-id {node_id(place)}", "work-directory ."]
    return _written(
        [
            ("service", [*service, *own["service"]]),
            ("logging", [("console", ["context any info"])]),
            ("mod-lua", ["user-path lua"]),
            ("network", network),
            (f"namespace {NAMESPACE}", namespace),
            # What belongs nowhere, for the server to say so.
            *further.items(),
        ]
    )


def _within(above: str, further: dict[str, Block]) -> Block:
    """Sections of their own that settings name below another."""
    names = [name for name in further if name.rpartition(".")[0] == above]
    return [(name.rpartition(".")[2], further.pop(name)) for name in names]


def _sizes(storage: str, parameters: Mapping[str, Scalar]) -> Block:
    """Where the data is and how large it may grow; in files, the size is shared out among them."""
    whole = int(parameters.get("data_size_mebibytes", DATA_MEBIBYTES))
    if storage == "memory":
        return [f"data-size {whole * MEBIBYTE}"]
    count = int(parameters.get("files", 1))
    each = max(SMALLEST_FILE_MEBIBYTES, whole // count)
    files: Block = [f"file {NAMESPACE}-{number}.dat" for number in range(1, count + 1)]
    return [*files, f"filesize {each * MEBIBYTE}"]


def _written(block: Block, depth: int = 0) -> str:
    indent = "  " * depth
    out = ""
    for each in block:
        if isinstance(each, str):
            out += f"{indent}{each}\n"
        else:
            name, inner = each
            out += f"{indent}{name} {{\n{_written(inner, depth + 1)}{indent}}}\n"
    return out

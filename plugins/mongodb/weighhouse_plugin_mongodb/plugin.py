"""The life of MongoDB servers under test."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.configuration import explained, nested, system_names, system_value
from weighhouse_sdk.context import Context
from weighhouse_sdk.families.mongo import ask
from weighhouse_sdk.families.mongo_server import MongoServerPlugin
from weighhouse_sdk.figures import Kept
from weighhouse_sdk.lifecycle import Deployed, Description
from weighhouse_sdk.machine.certificates import AUTHORITY, BOTH
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.replies import OtherProtocol
from weighhouse_sdk.serving.certified import TLS
from weighhouse_sdk.wire import Address

from weighhouse_plugin_mongodb import engine, replica_set

VERSION = re.compile(r"^db version v(\d\S*)", re.MULTILINE)
FILE = "mongod.conf"
CACHE = "wiredTiger.cache."
USED = f"{CACHE}bytes currently in the cache"


class MongodbPlugin(MongoServerPlugin):
    """MongoDB as one server, or as a replica set of several."""

    program = "mongod"
    users = ("mongodb", "nobody")
    ready_floor_seconds = 60.0
    ask_seconds = 5.0
    places: ClassVar[Mapping[str, str | None]] = {
        "net.bindIp": None,
        "net.port": "27017",
        "net.unixDomainSocket.enabled": None,
        "storage.dbPath": None,
        "replication.replSet": None,
    }
    sampled = (
        "connections.current", "opcounters.", "mem.resident", "network.bytesIn",
        "network.bytesOut", "globalLock.currentQueue.", "metrics.document.", "metrics.cursor.open.",
        "flowControl.isLagged", USED, f"{CACHE}maximum bytes configured",
        f"{CACHE}tracked dirty bytes in the cache", f"{CACHE}bytes read into cache",
        f"{CACHE}bytes written from cache", f"{CACHE}pages evicted by application threads",
        "wiredTiger.log.log bytes written", "wiredTiger.log.log sync operations",
        "wiredTiger.transaction.transaction checkpoint currently running",
        "wiredTiger.checkpoint.progress state",
    )  # fmt: skip
    kept = Kept(asked="connections.current")
    gauges_marked: ClassVar[Mapping[str, str]] = {
        "wiredTiger.transaction.transaction checkpoint currently running": "checkpoint",
        "wiredTiger.checkpoint.progress state": "checkpoint",
    }

    def version_of(self, text: str) -> str | None:
        """From the line `db version v8.0.26`."""
        found = VERSION.search(text)
        return found.group(1) if found else None

    def version_in(self, build_info: Mapping[str, str]) -> str:
        """`version`; a server that says it is FerretDB is refused, whatever version it gives."""
        if {"ferretdbVersion", "ferretdb.version"} & build_info.keys():
            raise OtherProtocol(
                "FerretDB answers, which is weighed by a plugin of its own",
                "let the target say `system: ferretdb`",
            )
        return build_info["version"]

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """One option for each parameter, and one for all of the storage engine's; those not set
        are left to MongoDB.
        """
        schemas = declared(self.manifest.parameters)
        words = ["--bind_ip", place.address.host, "--port", str(place.address.port)]
        words += ["--dbpath", ".", "--nounixsocket"]
        if not place.alone:
            words += ["--replSet", replica_set.NAME]
        if place.address.tls:
            words += ["--tlsMode", "requireTLS", "--tlsCertificateKeyFile", f"{TLS}/{BOTH}"]
            words += ["--tlsCAFile", f"{TLS}/{AUTHORITY}"]
            words.append("--tlsAllowConnectionsWithoutCertificates")
        for name, value in sorted(parameters.items()):
            if name == TLS:
                continue  # The address says so.
            schema, text = schemas[name], system_value(schemas[name], value)
            if "x-engine" in schema or schema.get("x-unset") == value:
                continue
            option = str(schema["x-option"])
            words += (
                [f"--{option}", text] if "=" not in option else ["--setParameter", option + text]
            )
        if place.settings:
            words += ["--config", FILE]
        text = engine.text(parameters, schemas)
        return [*words, "--wiredTigerEngineConfigString", text] if text else words

    def prepare(self, parameters: Mapping[str, Scalar], place: Place) -> None:
        """Write settings beside parameters as the server's configuration file; what stands on its
        command line comes first with it.
        """
        super().prepare(parameters, place)
        if place.settings:
            # JSON is YAML.
            text = json.dumps(nested(place.settings), indent=1)
            (place.directory / FILE).write_text(text, encoding="ascii")

    def settings(self, address: Address, timeout_seconds: float) -> dict[str, str]:
        """As the family's; the storage engine's are told in one text, and listed one by one."""
        found = super().settings(address, timeout_seconds)
        return found | engine.told(found.pop(engine.TOLD_AS, ""))

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:
        """What WiredTiger's cache holds."""
        return int(metrics[USED]) if USED in metrics else None

    def join(self, places: Sequence[Place], timeout_seconds: float) -> None:
        """Initiate the replica set by its first server, unless that was done before."""
        first = places[0].address
        (hello,) = ask(first, timeout_seconds, {"hello": 1})
        if "setName" not in hello:
            ask(first, timeout_seconds, replica_set.initiation([each.address for each in places]))

    def missing(self, places: Sequence[Place], timeout_seconds: float) -> str | None:
        """By what each server answers to `hello`; then by a write that all of them acknowledge."""
        hellos = [ask(each.address, timeout_seconds, {"hello": 1})[0] for each in places]
        unseen = replica_set.missing(hellos, len(places[0].addresses))
        if unseen is not None:
            return unseen
        primary = next(
            place
            for place, hello in zip(places, hellos, strict=True)
            if hello.get("isWritablePrimary")
        )
        return replica_set.unacknowledged(primary.address, len(places), timeout_seconds)

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """What the servers tell, and of parameters that they do not tell what was ordered, or the
        default that the vendor documents.
        """
        described = super().describe(context, deployed)
        if not deployed.nodes:
            return described
        schemas, names = declared(self.manifest.parameters), system_names(self.manifest)
        told = {one.name for one in described.settings}
        vendor = {
            names[name]: system_value(each, each["default"])
            for name, each in schemas.items()
            if names[name] not in told
        }
        ordered = {
            names[name]: system_value(schemas[name], value)
            for name, value in context.target.parameters.items()
            if names[name] in vendor
        }
        rows = explained({**vendor, **ordered}, vendor, by_experiment=ordered)
        return Description(
            version=described.version,
            settings=tuple(sorted((*described.settings, *rows), key=lambda one: one.name)),
            commands=described.commands,
        )


PLUGIN = MongodbPlugin(packaged_manifest("weighhouse_plugin_mongodb"))

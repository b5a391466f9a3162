"""The life of a FerretDB server under test."""

import re
from collections.abc import Mapping, Sequence

from weighhouse_protocol.base import Scalar
from weighhouse_sdk.configuration import explained, system_names, system_value
from weighhouse_sdk.context import Context
from weighhouse_sdk.families.mongo_server import MongoServerPlugin
from weighhouse_sdk.lifecycle import Deployed, Description
from weighhouse_sdk.machine.certificates import CERTIFICATE, KEY
from weighhouse_sdk.parameters import declared
from weighhouse_sdk.places import Place
from weighhouse_sdk.registry import packaged_manifest
from weighhouse_sdk.replies import OtherProtocol
from weighhouse_sdk.serving.certified import TLS

VERSION = re.compile(r"^version: v?(\d\S*)", re.MULTILINE)
DATA = "data"


class FerretdbPlugin(MongoServerPlugin):
    """FerretDB 1 as one process, with SQLite in its directory."""

    program = "ferretdb"
    users = ()
    sampled = (
        "metrics.commands.",
        "catalogStats.collections",
        "catalogStats.capped",
        "uptimeMillis",
    )
    """It answers 0 for kinds of collections that it does not have."""

    def version_of(self, text: str) -> str | None:
        """From the line `version: v1.24.2`."""
        found = VERSION.search(text)
        return found.group(1) if found else None

    def version_in(self, build_info: Mapping[str, str]) -> str:
        """FerretDB's own, not that of MongoDB which it says it is; `unknown` when it was built
        without one.
        """
        for name in ("ferretdbVersion", "ferretdb.version"):
            if name in build_info:
                return build_info[name].removeprefix("v")
        raise OtherProtocol(
            f"no FerretDB answers, but what calls itself {build_info.get('version')}",
            "name FerretDB's address, or let the target say `system: mongodb`",
        )

    def arguments(self, parameters: Mapping[str, Scalar], place: Place) -> Sequence[str]:
        """The backend SQLite in the working directory, its settings in the URI; nothing that
        reports or listens elsewhere.
        """
        schemas = declared(self.manifest.parameters)
        pragmas, flags = [], []
        for name, value in sorted(parameters.items()):
            if name == TLS:
                continue  # The address says so.
            text = system_value(schemas[name], value)
            if "x-pragma" in schemas[name]:
                pragmas.append(f"_pragma={schemas[name]['x-pragma'].format(text)}")
            else:
                flags.append(f"--{system_names(self.manifest)[name]}={text}")
        query = f"?{'&'.join(pragmas)}" if pragmas else ""
        return (
            "--handler=sqlite",
            *_listening(place),
            f"--sqlite-url=file:{DATA}/{query}",
            "--state-dir=-",
            "--telemetry=disable",
            "--debug-addr=-",
            *flags,
        )

    def prepare(self, parameters: Mapping[str, Scalar], place: Place) -> None:
        """Make the directory of the databases, which has to be there."""
        super().prepare(parameters, place)
        directory = place.directory / DATA
        directory.mkdir(exist_ok=True)
        # The server's user writes here; nobody else gets through the directory above.
        directory.chmod(0o777)

    def used_bytes(self, metrics: Mapping[str, float]) -> int | None:  # noqa: ARG002 - it does not tell
        """Not told; the databases are on disk."""
        return None

    def describe(self, context: Context, deployed: Deployed) -> Description:
        """What the server tells of itself, and its parameters as they were ordered: it tells
        nothing of SQLite, nor of its own command line.
        """
        described = super().describe(context, deployed)
        if not deployed.nodes:
            return described
        schemas, names = declared(self.manifest.parameters), system_names(self.manifest)
        vendor = {
            names[name]: system_value(each, each["default"]) for name, each in schemas.items()
        }
        ordered = {
            names[name]: system_value(schemas[name], value)
            for name, value in context.target.parameters.items()
        }
        rows = explained({**vendor, **ordered}, vendor, by_experiment=ordered)
        return Description(
            version=described.version,
            settings=tuple(sorted((*described.settings, *rows), key=lambda one: one.name)),
            commands=described.commands,
        )


def _listening(place: Place) -> list[str]:
    at = f"{place.address.host}:{place.address.port}"
    if not place.address.tls:
        return [f"--listen-addr={at}"]
    files = [f"--listen-tls-cert-file={TLS}/{CERTIFICATE}", f"--listen-tls-key-file={TLS}/{KEY}"]
    return ["--listen-addr=", f"--listen-tls={at}", *files]


PLUGIN = FerretdbPlugin(packaged_manifest("weighhouse_plugin_ferretdb"))
